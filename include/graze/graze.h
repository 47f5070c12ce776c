// This header includes all of graze's public headers, a group for each step from shapes to contacts
// and on to what is made of them.
#pragma once

// The version, the machine that works, the names of enums, what is thrown, and whole files.
#include "graze/device.h"
#include "graze/error.h"
#include "graze/names.h"
#include "graze/number_table.h"
#include "graze/version.h"
#include "graze/write_file.h"

// Small mathematics: vectors, rotations, poses and boxes.
#include "graze/aabb.h"
#include "graze/mat3.h"
#include "graze/quat.h"
#include "graze/transform.h"
#include "graze/vec3.h"

// Triangle meshes: read, written, generated and examined.
#include "graze/generate_mesh.h"
#include "graze/mesh.h"
#include "graze/mesh_generators.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "graze/mesh_tree.h"
#include "graze/ray.h"

// Distance fields: formulas, samples of a mesh, files, surfaces and masses.
#include "graze/build_field.h"
#include "graze/extract_surface.h"
#include "graze/field.h"
#include "graze/field_cache.h"
#include "graze/field_grid.h"
#include "graze/field_io.h"
#include "graze/field_summary.h"
#include "graze/mass_properties.h"
#include "graze/segment_search.h"

// Rigid bodies: shapes and poses in, contacts out.
#include "graze/compare_methods.h"
#include "graze/contact.h"
#include "graze/contact_matcher.h"
#include "graze/detector.h"
#include "graze/scene.h"
#include "graze/shape.h"
#include "graze/split_detector.h"
#include "graze/sweep_tracks.h"

// Cloth and soft bodies: impacts, proximities and intersections of deforming meshes.
#include "graze/deforming.h"
#include "graze/deforming_contacts.h"

// Simulations: scene files, rigid bodies and cloth over time, and their recordings.
#include "graze/cloth_simulation.h"
#include "graze/recording.h"
#include "graze/scene_description.h"
#include "graze/simulation.h"
#include "graze/stop.h"

// Pictures of fields and contacts.
#include "graze/draw_contacts.h"
#include "graze/draw_rays.h"
#include "graze/draw_slice.h"
#include "graze/image.h"
