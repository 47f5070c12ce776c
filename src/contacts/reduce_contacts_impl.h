// Every pair is reduced by itself: one reduction after the other leaves fewer of its picks
// (pair_picks.h). Then their counts are summed up and the contacts copied, once.
#pragma once

#include "contacts/keep_deepest.h"
#include "contacts/keep_one_per_cell.h"
#include "contacts/reduce_contacts.h"
#include "contacts/spread_manifold.h"

namespace graze {
namespace contacts_detail {

// The pairs of a list and where their picks are.
struct PairReduction {
    ContactReduction reduction;
    const Contact* contacts;
    const std::uint64_t* offsets;
    std::uint64_t contact_capacity;
    std::uint32_t* picks;
    std::uint64_t* scratch;
    std::uint64_t* pick_counts;

    // The first contact of a pair. Contacts beyond the capacity are missing.
    GRAZE_INLINE std::uint64_t begin(std::int64_t p) const {
        return min_of(offsets[p], contact_capacity);
    }
    GRAZE_INLINE std::uint32_t contact_count(std::int64_t p) const {
        return static_cast<std::uint32_t>(begin(p + 1) - begin(p));
    }
    GRAZE_INLINE PairPicks pair(std::int64_t p) const {
        return {contacts + begin(p), picks + begin(p), scratch + begin(p)};
    }

    template <class Group>
    GRAZE_HD void reduce(Group& group, std::int64_t p, const PairPicks& pair) const {
        std::uint32_t count = contact_count(p);
        for (std::uint32_t i = group.rank(); i < count; i += group.size())
            pair.picks[i] = i;
        group.sync();
        if (reduction.cell_size > 0) {
            count = keep_one_per_cell(group, pair, count, reduction.cell_size);
        }
        if (reduction.deepest_count > 0) {
            count = keep_deepest(group, pair, count,
                                 static_cast<std::uint32_t>(reduction.deepest_count));
        }
        if (reduction.manifold_count > 0) {
            count = spread_manifold(group, pair, count,
                                    static_cast<std::uint32_t>(reduction.manifold_count),
                                    reduction.manifold_slack);
        }
        if (group.rank() == 0) pick_counts[p] = count;
    }
};

struct ReducePair {
    PairReduction work;
    GRAZE_HD void operator()(std::int64_t p) const {
        OneThread group;
        work.reduce(group, p, work.pair(p));
    }
};

struct CopyPicksOfPair {
    PairReduction work;
    const std::uint64_t* offsets;  // of the new list
    Contact* contacts;
    GRAZE_HD void operator()(std::int64_t p) const {
        const PairPicks pair = work.pair(p);
        for (std::uint64_t i = 0; i < offsets[p + 1] - offsets[p]; ++i)
            contacts[offsets[p] + i] = pair.contacts[pair.picks[i]];
    }
};

inline PairReduction make_pair_reduction(const ContactReduction& reduction, const ContactList& from,
                                         ReduceWorkspace& workspace) {
    workspace.picks.resize(from.contacts.size());
    workspace.scratch.resize(from.contacts.size());
    workspace.pick_counts.resize(from.pair_count());
    return {reduction,
            from.contacts.data(),
            from.offsets.data(),
            static_cast<std::uint64_t>(from.contacts.size()),
            workspace.picks.data(),
            workspace.scratch.data(),
            workspace.pick_counts.data()};
}

template <class Executor>
void copy_list(Executor& executor, const ContactList& from, ContactList& to) {
    to.offsets.resize(from.offsets.size());
    to.contacts.resize(from.contacts.size());
    executor.copy("reduce: copy", from.offsets.data(), to.offsets.data(), from.offsets.size());
    executor.copy("reduce: copy", from.contacts.data(), to.contacts.data(), from.contacts.size());
}

}  // namespace contacts_detail
}  // namespace graze
