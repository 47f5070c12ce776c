// Reduces contacts on the host, by count of threads. The row "copy" is the time of moving them
// alone.
#include <cstdio>

#include "benchmarks/bench_contacts.h"
#include "benchmarks/call_times.h"
#include "benchmarks/reduction_cases.h"
#include "contacts/reduce_contacts.h"
#include "parallel/cpu_executor.h"
#include "parallel/upload.h"

namespace graze {
namespace {

void run(const BenchContacts& list, int thread_count) {
    CpuExecutor executor(thread_count);
    ContactList from(executor.memory()), to(executor.memory());
    ReduceWorkspace workspace(executor.memory());
    upload(executor, "upload", list.contacts, from.contacts);
    upload(executor, "upload", list.offsets, from.offsets);
    std::printf("%s, %d threads\n", list.name, executor.thread_count());
    for (const ReductionCase& c : kReductionCases) {
        const auto reduce = [&] { reduce_contacts(executor, c.reduction, from, to, workspace); };
        const double best_ms = time_calls(0, 7, reduce).fastest().wall;
        std::printf("  %-15s %8lld -> %8lld   %8.3f ms  %6.1f ns a contact\n", c.name,
                    static_cast<long long>(from.contacts.size()),
                    static_cast<long long>(to.contacts.size()), best_ms,
                    best_ms * 1e6 / static_cast<double>(from.contacts.size()));
    }
}

}  // namespace
}  // namespace graze

int main() {
    for (const graze::BenchContacts& list : graze::all_bench_contacts()) {
        for (const int thread_count : {1, 2})
            graze::run(list, thread_count);
    }
}
