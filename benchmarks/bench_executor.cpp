// Times the CPU executor's verbs, and its sort beside std::sort on pairs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "parallel/cpu_executor.h"

namespace graze {
namespace {

constexpr std::int64_t kCount = 10'000'000;

const std::vector<std::uint64_t>& keys() {
    static const std::vector<std::uint64_t> values = [] {
        std::vector<std::uint64_t> result(kCount);
        std::mt19937_64 random(1);
        for (auto& key : result)
            key = random();
        return result;
    }();
    return values;
}

void report_elements(benchmark::State& state) {
    state.counters["elements/s"] = benchmark::Counter(
        static_cast<double>(kCount), benchmark::Counter::kIsIterationInvariantRate);
}

void run_with_threads(benchmark::internal::Benchmark* bench) {
    bench->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
}

void sort_std(benchmark::State& state) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs(kCount);
    for (auto _ : state) {
        state.PauseTiming();
        for (std::size_t i = 0; i < pairs.size(); ++i)
            pairs[i] = {keys()[i], static_cast<std::uint32_t>(i)};
        state.ResumeTiming();
        std::sort(pairs.begin(), pairs.end());
    }
    report_elements(state);
}
BENCHMARK(sort_std)->Unit(benchmark::kMillisecond)->UseRealTime();

void sort_by_key(benchmark::State& state) {
    CpuExecutor executor(static_cast<int>(state.range(0)));
    std::vector<std::uint32_t> values(kCount), values_out(kCount);
    std::vector<std::uint64_t> keys_out(kCount);
    std::iota(values.begin(), values.end(), 0u);
    for (auto _ : state) {
        executor.sort_by_key("sort", keys().data(), keys_out.data(), values.data(),
                             values_out.data(), kCount);
    }
    if (!std::is_sorted(keys_out.begin(), keys_out.end())) state.SkipWithError("not sorted");
    report_elements(state);
}
BENCHMARK(sort_by_key)->Apply(run_with_threads);

void exclusive_scan(benchmark::State& state) {
    CpuExecutor executor(static_cast<int>(state.range(0)));
    std::vector<std::uint64_t> out(kCount + 1);
    for (auto _ : state)
        executor.exclusive_scan("scan", keys().data(), out.data(), kCount);
    report_elements(state);
}
BENCHMARK(exclusive_scan)->Apply(run_with_threads);

void compact(benchmark::State& state) {
    struct IsOdd {
        const std::uint64_t* in;
        bool operator()(std::int64_t i) const { return in[i] % 2 == 1; }
    };
    CpuExecutor executor(static_cast<int>(state.range(0)));
    std::vector<std::uint32_t> out(kCount);
    std::uint32_t count = 0;
    for (auto _ : state)
        executor.compact("compact", kCount, IsOdd{keys().data()}, out.data(), &count);
    report_elements(state);
}
BENCHMARK(compact)->Apply(run_with_threads);

}  // namespace
}  // namespace graze

BENCHMARK_MAIN();
