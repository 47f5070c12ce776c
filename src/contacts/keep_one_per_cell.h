// keep_one_per_cell: the deepest contact of each cell of a grid, as Krayer et al. keep one
// collision per voxel of a binary grid. Theirs is whichever comes first; here it is the deepest,
// and of equals the first in the list, so that the answer does not depend on which thread comes
// first.
//
// Cells are found by a hash table of the pair alone, with two slots a contact. A slot holds the
// best contact of its cell so far. Whether two contacts share a cell is decided by the cells
// themselves, never by their hashes, so no two cells are taken for one.
#pragma once

#include <bit>
#include <cmath>

#include "contacts/pair_picks.h"

namespace graze {
namespace contacts_detail {

// The cell of a position as whole numbers; the grid has a corner at the world's origin. A double
// neither wraps nor saturates here, and two positions get the same cell only where they are in one:
// up to 2^28 cells from the origin the floor is exact, as a quotient of two floats that is no whole
// number is at least 2^-24 away from any and its rounding moves it by less; farther out floats are
// more than a dozen cells apart, so that no rounding brings two together.
GRAZE_INLINE Vec3d cell_of(const Vec3& position, double cell_size) {
    // Adding zero makes the two zeros equal.
    return {std::floor(static_cast<double>(position.x) / cell_size) + 0.0,
            std::floor(static_cast<double>(position.y) / cell_size) + 0.0,
            std::floor(static_cast<double>(position.z) / cell_size) + 0.0};
}

// Whole numbers differ in their high bits alone, so those are moved down after each coordinate.
GRAZE_INLINE std::uint32_t hash_of(const Vec3d& cell) {
    std::uint64_t h = 0;
    for (int axis = 0; axis < 3; ++axis) {
        h = (h ^ std::bit_cast<std::uint64_t>(cell[axis])) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    h *= 0xd6e8feb86659fd93u;
    return static_cast<std::uint32_t>(h >> 32);
}

GRAZE_INLINE bool is_deeper(const Contact* contacts, std::uint32_t a, std::uint32_t b) {
    return contacts[a].distance < contacts[b].distance ||
           (contacts[a].distance == contacts[b].distance && a < b);
}

// Puts contact i into the slot of its cell, and marks the one that it beats, or itself, as out.
template <class Group>
GRAZE_INLINE void enter_cell(const PairPicks& pair, std::uint32_t i, double cell_size,
                             std::uint32_t slot_count) {
    auto* slots = reinterpret_cast<std::uint32_t*>(pair.scratch);
    const Vec3d cell = cell_of(pair.contacts[i].position, cell_size);
    auto slot =
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(hash_of(cell)) * slot_count >> 32);
    // A slot keeps its cell once it has one, so whoever looks for a cell meets it before any empty
    // slot.
    std::uint32_t there = Group::exchange(slots + slot, kNoPick, i);
    while (there != kNoPick && cell_of(pair.contacts[there].position, cell_size) != cell) {
        slot = slot + 1 < slot_count ? slot + 1 : 0;
        there = Group::exchange(slots + slot, kNoPick, i);
    }
    while (there != kNoPick) {
        if (is_deeper(pair.contacts, there, i)) {
            pair.picks[i] = kNoPick;
            return;
        }
        const std::uint32_t seen = Group::exchange(slots + slot, there, i);
        if (seen == there) {
            pair.picks[there] = kNoPick;
            return;
        }
        there = seen;  // another thread was faster, with a contact of the same cell
    }
}

struct IsIn {
    GRAZE_INLINE bool operator()(std::uint32_t pick) const { return pick != kNoPick; }
};

}  // namespace contacts_detail

// This has to be the first reduction: picks[i] is i for all `count` contacts.
template <class Group>
GRAZE_HD std::uint32_t keep_one_per_cell(Group& group, const PairPicks& pair, std::uint32_t count,
                                         double cell_size) {
    const std::uint32_t slot_count = 2 * count;
    auto* slots = reinterpret_cast<std::uint32_t*>(pair.scratch);
    for (std::uint32_t s = group.rank(); s < slot_count; s += group.size())
        slots[s] = kNoPick;
    group.sync();
    for (std::uint32_t i = group.rank(); i < count; i += group.size())
        contacts_detail::enter_cell<Group>(pair, i, cell_size, slot_count);
    group.sync();
    return keep_picks(group, pair, count, contacts_detail::IsIn{});
}

}  // namespace graze
