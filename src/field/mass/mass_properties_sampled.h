// mass_properties: the integrals over samples on the host; see graze/mass_properties.h.
#pragma once

#include "field/sampled/sampled_field.h"
#include "graze/mass_properties.h"

namespace graze {

MassProperties mass_properties(const SampledField& field, VoxelRule rule, const Device& device);

}  // namespace graze
