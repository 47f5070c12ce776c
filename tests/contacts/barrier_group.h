// BarrierGroup: some threads of the host that reduce a pair together, as a block of the device
// does. With it the reductions' syncs are tested without a device, under the thread sanitizer too.
#pragma once

#include <barrier>
#include <thread>
#include <vector>

#include "contacts/thread_group.h"

namespace graze {

class BarrierGroup {
public:
    static constexpr std::uint32_t kBinCount = OneThread::kBinCount;
    struct Shared {
        explicit Shared(std::uint32_t size)
            : barrier(static_cast<std::ptrdiff_t>(size)), sums(size), candidates(size) {}
        std::barrier<> barrier;
        std::uint32_t bins[kBinCount];
        std::vector<std::uint32_t> sums;
        std::vector<Candidate> candidates;
    };

    BarrierGroup(Shared& shared, std::uint32_t rank) : shared_(shared), rank_(rank) {}

    // Calls work(group) on as many threads.
    template <class Work>
    static void run(std::uint32_t size, const Work& work) {
        Shared shared(size);
        std::vector<std::thread> threads;
        threads.reserve(size);
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            threads.emplace_back([&shared, &work, rank] {
                BarrierGroup group(shared, rank);
                work(group);
            });
        }
        for (std::thread& thread : threads)
            thread.join();
    }

    std::uint32_t rank() const { return rank_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(shared_.sums.size()); }
    std::uint32_t* bins() { return shared_.bins; }
    void sync() { shared_.barrier.arrive_and_wait(); }

    std::uint32_t sum_before(std::uint32_t value, std::uint32_t& total) {
        shared_.sums[rank_] = value;
        sync();
        std::uint32_t before = 0;
        total = 0;
        for (std::uint32_t rank = 0; rank < size(); ++rank) {
            if (rank == rank_) before = total;
            total += shared_.sums[rank];
        }
        sync();
        return before;
    }
    Candidate first_of(const Candidate& own) {
        shared_.candidates[rank_] = own;
        sync();
        Candidate first = Candidate::none();
        for (const Candidate& candidate : shared_.candidates) {
            if (candidate.is_before(first)) first = candidate;
        }
        sync();
        return first;
    }

    static void add_one(std::uint32_t* target) { __atomic_fetch_add(target, 1u, __ATOMIC_RELAXED); }
    static std::uint32_t exchange(std::uint32_t* target, std::uint32_t expected,
                                  std::uint32_t value) {
        __atomic_compare_exchange_n(target, &expected, value, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
        return expected;
    }

private:
    Shared& shared_;
    std::uint32_t rank_;
};

}  // namespace graze
