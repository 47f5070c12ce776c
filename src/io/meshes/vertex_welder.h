// VertexWelder makes one vertex of all corners with equal coordinates; vertices are in the order of
// their first appearance.
#pragma once

#include <bit>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "graze/vec3.h"
#include "io/content_hash.h"

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

    // No file can be made whose positions have equal hashes: the seed is another one in each run.
    // What is welded does not depend on it.
    static std::uint64_t hash(const Vec3T<T>& p) {
        static const std::uint64_t seed =
            std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
        const T coordinates[3] = {p.x, p.y, p.z};
        return hash_bytes({reinterpret_cast<const char*>(coordinates), sizeof coordinates}, seed);
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
