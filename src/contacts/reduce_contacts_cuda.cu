#include "contacts/block_group.h"
#include "contacts/reduce_contacts_impl.h"
#include "core/segment_of.h"
#include "parallel/cuda_executor.h"
#include "parallel/fill.h"

namespace graze {
namespace contacts_detail {

// Up to so many contacts a pair goes to a warp, to a block of 256, and beyond to one of 1024.
constexpr std::uint32_t kWarpContacts = 64;
constexpr std::uint32_t kBlockContacts = 4096;
// The scratch of a block's pair is in shared memory up to so many contacts.
constexpr std::uint32_t kSharedContacts = 1024;

// Pairs by the block that they need. Their order does not matter, as each is reduced by itself.
struct LargePairs {
    std::uint32_t* pairs;   // medium and huge ones, with room for pair_count each
    std::uint32_t* counts;  // medium, huge
    std::int64_t pair_count;

    __device__ void add(std::int64_t p, std::uint32_t contact_count) const {
        const int size = contact_count <= kBlockContacts ? 0 : 1;
        const std::uint32_t index = atomicAdd(counts + size, 1u);
        pairs[size * pair_count + index] = static_cast<std::uint32_t>(p);
    }
};

// A warp reduces each pair; those too large for it are listed.
struct ReduceSmallPairs {
    static constexpr int kBlockSize = 256;

    PairReduction work;
    LargePairs large;

    __device__ void operator()(std::int64_t i) const {
        __shared__ BlockGroup<32>::Shared shared[kBlockSize / 32];
        __shared__ std::uint64_t scratch[kBlockSize / 32][kWarpContacts];
        const unsigned warp = threadIdx.x / 32;
        const std::int64_t p = i / 32;
        const std::uint32_t count = work.contact_count(p);
        if (count > kWarpContacts) {
            if (i % 32 == 0) large.add(p, count);
            return;
        }
        BlockGroup<32> group(shared[warp]);
        PairPicks pair = work.pair(p);
        pair.scratch = scratch[warp];
        work.reduce(group, p, pair);
    }
};

// A block reduces each pair of a list.
template <int kSize>
struct ReduceLargePairs {
    static constexpr int kBlockSize = kSize;

    PairReduction work;
    const std::uint32_t* pairs;
    const std::uint32_t* count;

    __device__ void operator()(std::int64_t i) const {
        __shared__ typename BlockGroup<kSize>::Shared shared;
        __shared__ std::uint64_t scratch[kSharedContacts];
        if (blockIdx.x >= *count) return;
        BlockGroup<kSize> group(shared);
        const std::int64_t p = pairs[blockIdx.x];
        PairPicks pair = work.pair(p);
        if (work.contact_count(p) <= kSharedContacts) pair.scratch = scratch;
        work.reduce(group, p, pair);
    }
};

// A thread copies each contact of the new list.
struct CopyPick {
    PairReduction work;
    std::int64_t pair_count;
    const std::uint64_t* offsets;  // of the new list
    Contact* contacts;

    __device__ void operator()(std::int64_t i) const {
        const auto index = static_cast<std::uint64_t>(i);
        if (index >= offsets[pair_count]) return;
        const std::int64_t p = segment_of(offsets, pair_count, index);
        const PairPicks pair = work.pair(p);
        contacts[index] = pair.contact(static_cast<std::uint32_t>(index - offsets[p]));
    }
};

void reduce_pairs(CudaExecutor& executor, const PairReduction& work, std::int64_t pair_count,
                  ReduceWorkspace& workspace) {
    workspace.large_pairs.resize(2 * pair_count);
    workspace.large_counts.resize(2);
    std::uint32_t* counts = workspace.large_counts.data();
    std::uint32_t* pairs = workspace.large_pairs.data();
    executor.for_each("reduce: begin", 2, Fill<std::uint32_t>{counts, 0});
    executor.for_each("reduce: small pairs", pair_count * 32,
                      ReduceSmallPairs{work, {pairs, counts, pair_count}});
    // There cannot be more large ones than the contacts allow; blocks without a pair end at once.
    const auto capacity = static_cast<std::int64_t>(work.contact_capacity);
    const auto block_count = [&](std::uint32_t least) {
        return min_of(pair_count, capacity / static_cast<std::int64_t>(least + 1));
    };
    executor.for_each("reduce: large pairs", block_count(kWarpContacts) * 256,
                      ReduceLargePairs<256>{work, pairs, counts});
    executor.for_each("reduce: huge pairs", block_count(kBlockContacts) * 1024,
                      ReduceLargePairs<1024>{work, pairs + pair_count, counts + 1});
}

// How many contacts there can be in the end.
std::int64_t largest_total(const ContactReduction& reduction, std::int64_t pair_count,
                           std::int64_t capacity) {
    for (const int most : {reduction.deepest_count, reduction.manifold_count}) {
        if (most > 0 && pair_count < capacity / most) capacity = pair_count * most;
    }
    return capacity;
}

}  // namespace contacts_detail

template <>
void reduce_contacts(CudaExecutor& executor, const ContactReduction& reduction,
                     const ContactList& from, ContactList& to, ReduceWorkspace& workspace) {
    using namespace contacts_detail;
    if (!is_reduced(reduction)) return copy_list(executor, from, to);
    const std::int64_t pair_count = from.pair_count();
    const PairReduction work = make_pair_reduction(reduction, from, workspace);
    reduce_pairs(executor, work, pair_count, workspace);
    to.offsets.resize(pair_count + 1);
    executor.exclusive_scan("reduce: offsets", work.pick_counts, to.offsets.data(), pair_count);
    to.contacts.resize(from.contacts.size());
    executor.for_each("reduce: copy", largest_total(reduction, pair_count, from.contacts.size()),
                      CopyPick{work, pair_count, to.offsets.data(), to.contacts.data()});
}

}  // namespace graze
