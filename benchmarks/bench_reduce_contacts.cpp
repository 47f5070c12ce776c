// Reducing contacts on the host, by number of threads. The copy is what moving them alone takes.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "benchmarks/bench_contacts.h"
#include "benchmarks/reduce_ways.h"
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
    for (const ReduceWay& way : kReduceWays) {
        double best_ms = 1e300;
        for (int round = 0; round < 7; ++round) {
            const auto start = std::chrono::steady_clock::now();
            reduce_contacts(executor, way.reduction, from, to, workspace);
            const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - start;
            best_ms = std::min(best_ms, elapsed.count());
        }
        std::printf("  %-15s %8lld -> %8lld   %8.3f ms  %6.1f ns a contact\n", way.name,
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
