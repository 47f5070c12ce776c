// A VDB archive is checked before OpenVDB reads it: OpenVDB trusts every length in a file, and with
// some of them it damages the heap or asks for any amount of memory.
#pragma once

#include <string>
#include <string_view>

namespace graze::io {

// Returns an archive that has one grid alone: the first level set of 32-bit floats of the given
// archive, or else its first grid of floats, with its class, what graze writes beside it, its
// transform and its tree. Every length in that is one that the bytes behind it bear out, so that
// reading it takes memory in proportion to its size. Throws Error, whose message begins with the
// name, where there is no such grid or it does not verify.
std::string float_grid_archive(std::string_view bytes, const std::string& name);

}  // namespace graze::io
