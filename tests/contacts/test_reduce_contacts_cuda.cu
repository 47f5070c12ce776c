// The GPU keeps the contacts that the CPU keeps, in the same order.
#include <gtest/gtest.h>

#include "parallel/cpu_executor.h"
#include "tests/contacts/reduce_cases.h"
#include "tests/cuda_test.h"

namespace graze {
namespace {

class ReduceContactsCuda : public CudaTest {};

TEST_F(ReduceContactsCuda, SameAsTheCpu) {
    CpuExecutor cpu;
    Reducer<CpuExecutor> on_cpu{cpu};
    Reducer<CudaExecutor> on_gpu{executor()};
    for (const auto& [name, pairs] : contact_lists()) {
        for (const ContactReduction& reduction : reductions()) {
            ASSERT_TRUE(on_gpu(pairs, reduction) == on_cpu(pairs, reduction))
                << name << ": " << describe(reduction);
        }
        ASSERT_TRUE(on_gpu(pairs, {}) == pairs) << name;
    }
}

// As a step has it: buffers with room for more pairs and contacts than there are.
TEST_F(ReduceContactsCuda, SpareRoomChangesNothing) {
    CpuExecutor cpu;
    Reducer<CpuExecutor> on_cpu{cpu};
    Reducer<CudaExecutor> on_gpu{executor()};
    const ContactReduction reduction{0.3f, 200, 5};
    for (const auto& [name, pairs] : contact_lists()) {
        upload(executor(), pairs, on_gpu.from, 10'000, 300);
        reduce_contacts(executor(), reduction, on_gpu.from, on_gpu.to, on_gpu.workspace);
        PairContacts found = download(executor(), on_gpu.to);
        ASSERT_EQ(found.size(), pairs.size() + 300);
        for (std::size_t p = pairs.size(); p < found.size(); ++p)
            EXPECT_TRUE(found[p].empty());
        found.resize(pairs.size());
        EXPECT_TRUE(found == on_cpu(pairs, reduction)) << name;
        EXPECT_EQ(on_gpu.to.contacts.size(), on_gpu.from.contacts.size());
    }
}

// A step that finds too little room is run again; until then the contacts beyond are not read.
TEST_F(ReduceContactsCuda, ContactsBeyondTheRoomAreLeftOut) {
    CpuExecutor cpu;
    Reducer<CpuExecutor> on_cpu{cpu};
    Reducer<CudaExecutor> on_gpu{executor()};
    PairContacts pairs;
    for (unsigned seed = 1; seed <= 30; ++seed)
        pairs.push_back(random_contacts(700, Positions::in_box, seed));
    upload(executor(), pairs, on_gpu.from);
    on_gpu.from.contacts.resize(700 * 20 + 100);
    pairs[20].resize(100);
    for (std::size_t p = 21; p < pairs.size(); ++p)
        pairs[p].clear();
    for (const ContactReduction& reduction : reductions()) {
        reduce_contacts(executor(), reduction, on_gpu.from, on_gpu.to, on_gpu.workspace);
        EXPECT_TRUE(download(executor(), on_gpu.to) == on_cpu(pairs, reduction))
            << describe(reduction);
    }
}

TEST_F(ReduceContactsCuda, ReducingAgainAllocatesNothing) {
    Reducer<CudaExecutor> reducer{executor()};
    upload(executor(), contact_lists().at(3).pairs, reducer.from);
    const ContactReduction reduction{0.5f, 100, 4};
    reduce_contacts(executor(), reduction, reducer.from, reducer.to, reducer.workspace);
    executor().wait();
    const std::int64_t before = executor().memory().allocation_count();
    reduce_contacts(executor(), reduction, reducer.from, reducer.to, reducer.workspace);
    executor().wait();
    EXPECT_EQ(executor().memory().allocation_count(), before);
}

}  // namespace
}  // namespace graze
