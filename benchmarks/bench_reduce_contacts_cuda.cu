// Reduces contacts on the GPU, timed by events, and prints the fraction of the memory's speed that
// is reached. The least traffic is: every contact's position and distance is read once (16 of its
// 48 bytes, in sectors of 32 of which two in three are met), a pick is written and read, and the
// contacts kept are read and written.
#include <cstdio>

#include "benchmarks/bench_contacts.h"
#include "benchmarks/cuda_timing.h"
#include "benchmarks/reduction_cases.h"
#include "benchmarks/stage_times.h"
#include "contacts/reduce_contacts.h"
#include "graze/device.h"
#include "parallel/upload.h"

namespace graze {
namespace {

// [GB/s] The bytes read and written by a copy of a large array on an H200.
constexpr double kMemorySpeed = 2650;

double least_bytes(const ContactReduction& reduction, double from_count, double to_count) {
    return (is_reduced(reduction) ? 32.0 + 4 : 0) * from_count + (2.0 * 48 + 4) * to_count;
}

void run(const BenchContacts& list, std::int64_t spare_percent) {
    CudaExecutor executor;
    ContactList from(executor.memory()), to(executor.memory());
    ReduceWorkspace workspace(executor.memory());
    const auto count = static_cast<std::int64_t>(list.contacts.size());
    from.contacts.resize(count + count * spare_percent / 100);
    executor.copy_from_host("upload", list.contacts.data(), from.contacts.data(), count);
    upload(executor, "upload", list.offsets, from.offsets);
    executor.wait();
    std::printf("%s, room for %lld%% more\n", list.name, static_cast<long long>(spare_percent));
    for (const ReductionCase& c : kReductionCases) {
        const double ms = median_milliseconds(
            executor, [&] { reduce_contacts(executor, c.reduction, from, to, workspace); });
        const auto kept = static_cast<double>(executor.read(to.total()));
        const double bytes = least_bytes(c.reduction, static_cast<double>(count), kept);
        std::printf("  %-15s %8lld -> %8.0f   %8.4f ms   %6.1f MB, %4.1f%% of %.0f GB/s\n", c.name,
                    static_cast<long long>(count), kept, ms, bytes * 1e-6,
                    100 * bytes / (ms * 1e6) / kMemorySpeed, kMemorySpeed);
    }
    const auto reduce = [&] { reduce_contacts(executor, {0.05f, 64, 4}, from, to, workspace); };
    for (const TraceEntry& entry : trace_call(executor, reduce))
        std::printf("    %-22s %8.4f ms\n", entry.name, entry.seconds * 1e3);
}

}  // namespace
}  // namespace graze

int main() {
    if (!graze::find_gpu()) return 0;
    for (const graze::BenchContacts& list : graze::all_bench_contacts()) {
        for (const int spare_percent : {0, 50})
            graze::run(list, spare_percent);
    }
}
