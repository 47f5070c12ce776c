// VertexWelder makes one vertex of all corners with equal coordinates; vertices are in the order of
// their first appearance.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "graze/vec3.h"
#include "io/binary_cursor.h"

namespace graze::io {

template <class T>
class VertexWelder {
public:
    VertexWelder() : slots_(kFirstSlots, kEmpty) {}

    std::size_t vertex_count() const { return positions_.size(); }

    // Returns the index of the vertex at a finite position; -0 counts as 0.
    std::uint32_t add(Vec3T<T> position) {
        const T zero = T(0);
        position = position + Vec3T<T>{zero, zero, zero};  // -0 + 0 is 0
        if (2 * positions_.size() >= slots_.size()) grow();
        const std::size_t slot = find(position);
        if (slots_[slot] == kEmpty) {
            slots_[slot] = static_cast<std::uint32_t>(positions_.size());
            positions_.push_back(position);
        }
        return slots_[slot];
    }
    std::vector<Vec3T<T>> take() { return std::move(positions_); }

private:
    static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
    static constexpr std::size_t kFirstSlots = 64;  // a power of two, as after each doubling

    // Odd multipliers carry every bit of each coordinate upwards, so the high bits are the good
    // ones, also for coordinates with few digits, whose low bits are all zero.
    static std::uint64_t hash(const Vec3T<T>& p) {
        std::uint64_t h = std::bit_cast<BitsOf<T>>(p.x) * 0x9E3779B97F4A7C15u;
        h = (std::rotl(h, 29) ^ std::bit_cast<BitsOf<T>>(p.y)) * 0xBF58476D1CE4E5B9u;
        h = (std::rotl(h, 31) ^ std::bit_cast<BitsOf<T>>(p.z)) * 0x94D049BB133111EBu;
        return h;
    }
    // Returns the slot that holds this position, or else the empty one where it belongs.
    std::size_t find(const Vec3T<T>& position) const {
        std::size_t slot = hash(position) >> (64 - std::countr_zero(slots_.size()));
        while (slots_[slot] != kEmpty && positions_[slots_[slot]] != position)
            slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), kEmpty);
        for (std::uint32_t i = 0; i < positions_.size(); ++i)
            slots_[find(positions_[i])] = i;
    }

    std::vector<Vec3T<T>> positions_;
    std::vector<std::uint32_t> slots_;  // open addressing, at most half full
};

}  // namespace graze::io
