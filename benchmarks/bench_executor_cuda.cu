// Times the CUDA executor's verbs beside the bare CUB calls on the same data, by events.
#include <cstdio>
#include <vector>

#include "benchmarks/cuda_timing.h"
#include "graze/hd.h"
#include "parallel/reductions.h"

namespace graze {
namespace {

struct Hash {
    std::uint64_t* keys;
    std::uint32_t* values;
    GRAZE_HD void operator()(std::int64_t i) const {
        std::uint64_t x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ull;
        x ^= x >> 31;
        keys[i] = x * 0xbf58476d1ce4e5b9ull;
        values[i] = static_cast<std::uint32_t>(x >> 40);
    }
};
struct GroupKeys {
    std::uint32_t* keys;
    GRAZE_HD void operator()(std::int64_t i) const { keys[i] = static_cast<std::uint32_t>(i / 37); }
};
struct Get {
    const std::uint32_t* values;
    GRAZE_HD std::uint32_t operator()(std::int64_t i) const { return values[i]; }
};
struct IsOdd {
    const std::uint32_t* values;
    GRAZE_HD bool operator()(std::int64_t i) const { return values[i] % 2 == 1; }
};
struct Increment {
    GRAZE_HD std::uint32_t operator()(std::uint32_t x) const { return x + 1; }
};
struct AddOne {
    const std::uint32_t* in;
    std::uint32_t* out;
    GRAZE_HD void operator()(std::int64_t i) const { out[i] = in[i] + 1; }
};

void print_row(const char* verb, std::int64_t count, double ours, double bare, double bytes) {
    std::printf("%-16s %11lld  %9.4f ms  bare CUB %9.4f ms  ratio %5.3f  %7.0f GB/s\n", verb,
                static_cast<long long>(count), ours, bare, ours / bare, bytes / ours * 1e-6);
}

void run(std::int64_t count) {
    CudaExecutor executor;
    auto keys = executor.make_buffer<std::uint64_t>(count),
         keys_out = executor.make_buffer<std::uint64_t>(count);
    auto values = executor.make_buffer<std::uint32_t>(count),
         values_out = executor.make_buffer<std::uint32_t>(count + 1);
    auto groups = executor.make_buffer<std::uint32_t>(count);
    auto one = executor.make_buffer<std::uint32_t>(1);
    executor.for_each("hash", count, Hash{keys.data(), values.data()});
    executor.for_each("groups", count, GroupKeys{groups.data()});
    executor.wait();

    auto scratch = executor.make_buffer<char>();
    const auto bare = [&](const auto& call) {
        std::size_t bytes = 0;
        check_cuda(call(nullptr, bytes), "bare call");
        scratch.resize(static_cast<std::int64_t>(bytes) + 256);
        return median_milliseconds(executor,
                                   [&] { check_cuda(call(scratch.data(), bytes), "bare call"); });
    };
    const auto n = static_cast<double>(count);
    cudaStream_t stream = executor.stream();

    const double for_each_ms = median_milliseconds(executor, [&] {
        executor.for_each("add one", count, AddOne{values.data(), values_out.data()});
    });
    print_row("for_each", count, for_each_ms, bare([&](void* p, std::size_t& b) {
                  b = 1;
                  const AddOne work{values.data(), values_out.data()};
                  return p ? cub::DeviceFor::Bulk(count, work, stream) : cudaSuccess;
              }),
              8 * n);
    // A transform knows its ranges and fetches ahead, which is what a pure streaming pass could
    // gain over for_each.
    print_row("(as transform)", count, for_each_ms, bare([&](void* p, std::size_t& b) {
                  b = 1;
                  return p ? cub::DeviceTransform::Transform(values.data(), values_out.data(),
                                                             count, Increment{}, stream)
                           : cudaSuccess;
              }),
              8 * n);
    print_row("reduce", count,
              median_milliseconds(executor,
                                  [&] {
                                      executor.reduce("sum", count, Get{values.data()}, AddValues{},
                                                      0u, one.data());
                                  }),
              bare([&](void* p, std::size_t& b) {
                  return cub::DeviceReduce::Reduce(p, b, values.data(), one.data(), count,
                                                   AddValues{}, 0u, stream);
              }),
              4 * n);
    print_row(
        "exclusive_scan", count,
        median_milliseconds(
            executor,
            [&] { executor.exclusive_scan("scan", values.data(), values_out.data(), count); }),
        bare([&](void* p, std::size_t& b) {
            return cub::DeviceScan::ExclusiveSum(p, b, values.data(), values_out.data(), count,
                                                 stream);
        }),
        8 * n);
    print_row("segmented_scan", count,
              median_milliseconds(executor,
                                  [&] {
                                      executor.segmented_scan("segments", groups.data(),
                                                              values.data(), values_out.data(),
                                                              count);
                                  }),
              bare([&](void* p, std::size_t& b) {
                  return cub::DeviceScan::InclusiveSumByKey(p, b, groups.data(), values.data(),
                                                            values_out.data(), count,
                                                            cuda::std::equal_to<>(), stream);
              }),
              12 * n);
    print_row("sort_by_key", count,
              median_milliseconds(executor,
                                  [&] {
                                      executor.sort_by_key("sort", keys.data(), keys_out.data(),
                                                           values.data(), values_out.data(), count);
                                  }),
              bare([&](void* p, std::size_t& b) {
                  return cub::DeviceRadixSort::SortPairs(p, b, keys.data(), keys_out.data(),
                                                         values.data(), values_out.data(), count, 0,
                                                         64, stream);
              }),
              24 * n);
    print_row("compact", count,
              median_milliseconds(executor,
                                  [&] {
                                      executor.compact("compact", count, IsOdd{values.data()},
                                                       values_out.data(), one.data());
                                  }),
              bare([&](void* p, std::size_t& b) {
                  return cub::DeviceSelect::If(p, b, thrust::counting_iterator<std::uint32_t>(0),
                                               values_out.data(), one.data(), count,
                                               IsOdd{values.data()}, stream);
              }),
              6 * n);
    print_row(
        "copy", count,
        median_milliseconds(
            executor, [&] { executor.copy("copy", values.data(), values_out.data(), count); }),
        bare([&](void* p, std::size_t& b) {
            b = 1;
            return p ? cudaMemcpyAsync(values_out.data(), values.data(),
                                       static_cast<std::size_t>(count) * 4,
                                       cudaMemcpyDeviceToDevice, stream)
                     : cudaSuccess;
        }),
        8 * n);
}

}  // namespace
}  // namespace graze

int main() {
    if (!graze::find_gpu()) return 0;
    std::printf("%s\n", graze::Device::cuda().description().c_str());
    for (const std::int64_t count : {1'000'000, 20'000'000, 200'000'000})
        graze::run(count);
}
