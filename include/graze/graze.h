// Everything that graze offers.
#pragma once

#include "graze/aabb.h"
#include "graze/device.h"
#include "graze/error.h"
#include "graze/extract_surface.h"
#include "graze/field.h"
#include "graze/field_cache.h"
#include "graze/field_io.h"
#include "graze/mass_properties.h"
#include "graze/mat3.h"
#include "graze/mesh.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "graze/quat.h"
#include "graze/transform.h"
#include "graze/vec3.h"
#include "graze/version.h"
