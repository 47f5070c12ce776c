#include "contacts/reduce_contacts_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template <>
void reduce_contacts(CpuExecutor& executor, const ContactReduction& reduction,
                     const ContactList& from, ContactList& to, ReduceWorkspace& workspace) {
    using namespace contacts_detail;
    if (!is_reduced(reduction)) return copy_list(executor, from, to);
    const std::int64_t pair_count = from.pair_count();
    const PairReduction work = make_pair_reduction(reduction, from, workspace);
    // A pair takes from 50 ns to milliseconds.
    executor.for_each("reduce: pairs", pair_count, ReducePair{work}, 16);
    to.offsets.resize(pair_count + 1);
    executor.exclusive_scan("reduce: offsets", work.pick_counts, to.offsets.data(), pair_count);
    to.contacts.resize(static_cast<std::int64_t>(*to.total()));
    executor.for_each("reduce: copy", pair_count,
                      CopyPicksOfPair{work, to.offsets.data(), to.contacts.data()}, 16);
}

}  // namespace graze
