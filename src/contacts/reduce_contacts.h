// reduce_contacts: keeps some of many contacts.
#pragma once

#include "graze/detector.h"
#include "narrow_phase/contact_list.h"

namespace graze {

// False where a reduction keeps everything as it is.
inline bool is_reduced(const ContactReduction& reduction) {
    return reduction.cell_size > 0 || reduction.deepest_count > 0 || reduction.manifold_count > 0;
}

// Memory that a reduction needs beside its lists, 12 bytes a contact and up to 16 a pair; keep it
// to reduce again without allocation.
struct ReduceWorkspace {
    explicit ReduceWorkspace(Memory& memory)
        : picks(memory),
          scratch(memory),
          pick_counts(memory),
          large_pairs(memory),
          large_counts(memory) {}

    // Pair p has pick_counts[p] picks, from offsets[p] on; a pick is an index among the contacts of
    // its pair.
    Buffer<std::uint32_t> picks;
    Buffer<std::uint64_t> scratch;  // by contact, for a reduction's own use
    Buffer<std::uint64_t> pick_counts;
    // On the device: the pairs that go to blocks of threads, in no order, and their counts.
    Buffer<std::uint32_t> large_pairs;
    Buffer<std::uint32_t> large_counts;
};

// Reduces one list to another. Contacts keep their order, but for those of a manifold, which are in
// the order of their choice. A pair without contacts stays without. Does not wait. The result has
// the same bits on either machine and for any number of threads. On the device `to` gets the
// capacity of `from`; contacts that were beyond that are not looked at.
//
// Positions and distances are numbers, not NaN; no pair has 2^31 contacts or more. See
// keep_one_per_cell.h for where cells begin and end.
template <class Executor>
void reduce_contacts(Executor& executor, const ContactReduction& reduction, const ContactList& from,
                     ContactList& to, ReduceWorkspace& workspace);

}  // namespace graze
