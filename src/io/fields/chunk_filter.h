// A reversible filter that lets zstd see how smooth a distance field is: it takes differences along
// rows and between them, makes small numbers of small differences of either sign, and puts bytes of
// equal weight side by side.
//
// It was chosen on a dense field of armadillo (216 x 256 x 197) and its bricks, with zstd 1.5.4 at
// level 1. The size before over the size after is, without the filter and with it: dense order
// 1 1.12 and 2.41, order 0 1.12 and 2.00; bricks of order 1 1.32 and 1.51, of order 0 1.18
// and 1.41.
#pragma once

#include <cstdint>

namespace graze::io {

// ChunkLayout tells how an array's bytes are made of numbers: single bytes, which are left as they
// are, two or four 16-bit numbers an element, or one of 32 bits.
struct ChunkLayout {
    int lane_bytes;           // of each number
    int lane_count;           // numbers of an element; each is subtracted from its like in another
    std::int64_t row_stride;  // elements from one row to the next; 0 where there are no rows

    int element_bytes() const { return lane_bytes * lane_count; }
};

// Both functions take count elements from one array to another. scratch has room for as many,
// aligned to 4 bytes; no two of the three arrays overlap.
void filter_chunk(const ChunkLayout& layout, const char* from, char* scratch, char* to,
                  std::int64_t count);
void unfilter_chunk(const ChunkLayout& layout, const char* from, char* scratch, char* to,
                    std::int64_t count);

}  // namespace graze::io
