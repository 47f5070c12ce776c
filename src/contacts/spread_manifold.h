// spread_manifold: a manifold for solvers. It is the deepest contact, then again and again the one
// that is farthest from those chosen, that is whose distance to the nearest of them is the largest.
// Every contact is then within a radius of a chosen one that no other choice of as many could halve
// (Gonzalez 1985). Contacts half as deep as the deepest, or within slack of it, come first, and
// others only when there are no more of those: what lies farthest apart is the rim of an
// intersection, where nothing carries any load.
//
// Distances are squared in double, where the difference of two floats is never lost: only contacts
// at the very position of a chosen one have 0. They add nothing and are not chosen.
#pragma once

#include "contacts/pair_picks.h"

namespace graze {
namespace contacts_detail {

template <class Group>
GRAZE_INLINE Candidate find_deepest(Group& group, const PairPicks& pair, std::uint32_t count) {
    Candidate best = Candidate::none();
    for (std::uint32_t i = group.rank(); i < count; i += group.size()) {
        const Candidate own{-static_cast<double>(pair.contact(i).distance), pair.picks[i], i};
        if (own.is_before(best)) best = own;
    }
    return group.first_of(best);
}

// [m] The distance up to which contacts come first.
GRAZE_INLINE float first_limit(float deepest, float slack) {
    if (deepest >= 0 && !(slack > 0)) return std::numeric_limits<float>::infinity();
    return max_of(deepest * 0.5f, deepest + slack);
}

// The value that a choice goes by: the square of the gap [m^2], or one below 0 for contacts that
// come later.
GRAZE_INLINE double spread_value(double gap_sq, bool comes_first) {
    if (!(gap_sq > 0)) return -std::numeric_limits<double>::infinity();
    return comes_first ? gap_sq : -1 / gap_sq;
}

// Looks among the picks that are not chosen; their gaps [m^2] are brought up to date with the last
// choice.
template <class Group>
GRAZE_INLINE Candidate find_farthest(Group& group, const PairPicks& pair, std::uint32_t count,
                                     std::uint32_t chosen, float slack) {
    auto* gaps_sq = reinterpret_cast<double*>(pair.scratch);
    const auto last = static_cast<Vec3d>(pair.contact(chosen - 1).position);
    const float limit = first_limit(pair.contact(0).distance, slack);
    Candidate best = Candidate::none();
    for (std::uint32_t i = chosen + group.rank(); i < count; i += group.size()) {
        const double to_last_sq = length_sq(static_cast<Vec3d>(pair.contact(i).position) - last);
        const double gap_sq = chosen == 1 ? to_last_sq : min_of(gaps_sq[i], to_last_sq);
        gaps_sq[i] = gap_sq;
        const Candidate own{spread_value(gap_sq, pair.contact(i).distance <= limit), pair.picks[i],
                            i};
        if (own.is_before(best)) best = own;
    }
    return group.first_of(best);
}

// Moves a choice to the earlier ones at the front.
template <class Group>
GRAZE_INLINE void add_choice(Group& group, const PairPicks& pair, std::uint32_t chosen,
                             const Candidate& choice) {
    auto* gaps_sq = reinterpret_cast<double*>(pair.scratch);
    if (group.rank() == 0) {
        pair.picks[choice.index] = pair.picks[chosen];
        pair.picks[chosen] = choice.pick;
        if (chosen > 0) gaps_sq[choice.index] = gaps_sq[chosen];
    }
    group.sync();
}

}  // namespace contacts_detail

template <class Group>
GRAZE_HD std::uint32_t spread_manifold(Group& group, const PairPicks& pair, std::uint32_t count,
                                       std::uint32_t wanted, float slack) {
    using namespace contacts_detail;
    if (count == 0) return 0;
    add_choice(group, pair, 0, find_deepest(group, pair, count));
    std::uint32_t chosen = 1;
    for (; chosen < wanted && chosen < count; ++chosen) {
        const Candidate farthest = find_farthest(group, pair, count, chosen, slack);
        if (farthest.value == -std::numeric_limits<double>::infinity()) break;
        add_choice(group, pair, chosen, farthest);
    }
    return chosen;
}

}  // namespace graze
