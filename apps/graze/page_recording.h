// A recording as small as a page takes it: rounded to what an eye sees, with the errors stated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "graze/build_field.h"  // Progress
#include "graze/recording.h"

namespace graze::app {

// How far what the page shows may be from the recording.
struct PageRounding {
    float length = 0;                          // [m] places of bodies along each axis
    float turn = 0;                            // each of the four numbers of their rotations
    float vertices = 0;                        // [m] vertices of cloth along each axis
    float contacts = 0;                        // [m] places of contacts along each axis
    std::int64_t contacts_per_frame = 0;       // at most so many are kept, the deepest
    std::vector<std::int64_t> contact_counts;  // how many there were, by frame
};

// Writes the recording anew. Places are rounded to 13 to 16 bits of the run's longest side, as many
// as the size of a page allows, vertices of cloth to 16; what moves evenly or trembles by no more
// than that goes straight on or stays. Meshes are kept as they are. Throws Error as recordings do,
// and where progress says to stop.
PageRounding round_recording(const Recording& recording, const std::filesystem::path& file,
                             const Progress& progress);

}  // namespace graze::app
