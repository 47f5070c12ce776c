// A VDB archive is checked before OpenVDB reads it: OpenVDB trusts every length in a file, and with
// some of them it damages the heap or asks for any amount of memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graze::io {

// An archive that has one grid alone, with its class, what graze writes beside it, its transform
// and its tree. Every length in that is one that the bytes behind it bear out, so that reading it
// takes memory in proportion to its size.
struct FloatGridArchive {
    std::string grid;  // its name
    std::string bytes;
};

struct VdbGrids {
    // The level sets of 32-bit floats of an archive or, where it has none, its first grid of
    // floats.
    std::vector<FloatGridArchive> grids;
    // The names of all other grids with what they are, or why they cannot be read.
    std::vector<std::string> left_out;
};

// Throws Error, whose message begins with the name, where there is no grid to read: where the
// archive is cut or altered, and where no level set, and no grid of floats beside none, verifies.
// An archive without the places of its grids, as a stream has it, is read up to the first grid that
// cannot be stepped over, where that comes behind a level set.
VdbGrids read_float_grids(std::string_view bytes, const std::string& name);
// The first of those grids.
std::string float_grid_archive(std::string_view bytes, const std::string& name);

}  // namespace graze::io
