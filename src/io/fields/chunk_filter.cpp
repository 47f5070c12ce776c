#include "io/fields/chunk_filter.h"

#include <cstring>

namespace graze::io {
namespace {

// Turns a[i] into a[i] - a[i - stride], modulo 2^bits; the first stride elements stay.
template <class T>
void difference(T* a, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = count - 1; i >= stride; --i)
        a[i] = static_cast<T>(a[i] - a[i - stride]);
}
template <class T>
void accumulate(T* a, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = stride; i < count; ++i)
        a[i] = static_cast<T>(a[i] + a[i - stride]);
}

// Turns 0, -1, 1, -2, ... into 0, 1, 2, 3, ..., so that high bytes are zero for either sign.
template <class T>
void fold_sign(T* a, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        a[i] = static_cast<T>((a[i] << 1) ^ -(a[i] >> (8 * sizeof(T) - 1)));
}
template <class T>
void unfold_sign(T* a, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        a[i] = static_cast<T>((a[i] >> 1) ^ -(a[i] & 1));
}

// Stores byte b of every element side by side, for each b in turn; join_bytes does the reverse.
template <int element_bytes>
void split_bytes(const char* from, char* to, std::int64_t count) {
    for (int b = 0; b < element_bytes; ++b) {
        for (std::int64_t i = 0; i < count; ++i)
            to[b * count + i] = from[i * element_bytes + b];
    }
}
template <int element_bytes>
void join_bytes(const char* from, char* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        for (int b = 0; b < element_bytes; ++b)
            to[i * element_bytes + b] = from[b * count + i];
    }
}

template <class T, int lane_count>
void filter(const char* from, char* scratch, char* to, std::int64_t count, std::int64_t row) {
    constexpr int kElementBytes = sizeof(T) * lane_count;
    std::memcpy(scratch, from, static_cast<std::size_t>(count) * kElementBytes);
    T* lanes = reinterpret_cast<T*>(scratch);
    difference(lanes, count * lane_count, lane_count);
    if (row > 0) difference(lanes, count * lane_count, row * lane_count);
    fold_sign(lanes, count * lane_count);
    split_bytes<kElementBytes>(scratch, to, count);
}
template <class T, int lane_count>
void unfilter(const char* from, char* scratch, char* to, std::int64_t count, std::int64_t row) {
    constexpr int kElementBytes = sizeof(T) * lane_count;
    join_bytes<kElementBytes>(from, scratch, count);
    T* lanes = reinterpret_cast<T*>(scratch);
    unfold_sign(lanes, count * lane_count);
    if (row > 0) accumulate(lanes, count * lane_count, row * lane_count);
    accumulate(lanes, count * lane_count, lane_count);
    std::memcpy(to, scratch, static_cast<std::size_t>(count) * kElementBytes);
}

}  // namespace

void filter_chunk(const ChunkLayout& layout, const char* from, char* scratch, char* to,
                  std::int64_t count) {
    const std::int64_t row = layout.row_stride;
    if (layout.lane_bytes == 4) return filter<std::uint32_t, 1>(from, scratch, to, count, row);
    if (layout.lane_count == 4) return filter<std::uint16_t, 4>(from, scratch, to, count, row);
    if (layout.lane_count == 2) return filter<std::uint16_t, 2>(from, scratch, to, count, row);
    std::memcpy(to, from, static_cast<std::size_t>(count));
}

void unfilter_chunk(const ChunkLayout& layout, const char* from, char* scratch, char* to,
                    std::int64_t count) {
    const std::int64_t row = layout.row_stride;
    if (layout.lane_bytes == 4) return unfilter<std::uint32_t, 1>(from, scratch, to, count, row);
    if (layout.lane_count == 4) return unfilter<std::uint16_t, 4>(from, scratch, to, count, row);
    if (layout.lane_count == 2) return unfilter<std::uint16_t, 2>(from, scratch, to, count, row);
    std::memcpy(to, from, static_cast<std::size_t>(count));
}

}  // namespace graze::io
