// Distance fields as a page carries them, coarse, to draw slices through them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "graze/recording.h"

namespace graze::app {

// Of the recording's shapes, by fields that are built of their meshes; shapes of cloth, and those
// whose mesh is too large or makes no field, have none. Where there are many shapes there are none
// at all.
nlohmann::ordered_json fields_of(const RecordingSetup& setup);

}  // namespace graze::app
