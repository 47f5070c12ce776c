// FirstEqual: which of many things are equal, and which is the first of its kind.
#pragma once

#include <algorithm>
#include <vector>

#include "graze/mesh.h"
#include "parallel/cpu_executor.h"

namespace graze {

inline std::uint64_t mixed_bits(std::uint64_t value) {
    value ^= value >> 31;
    value *= 0x9e3779b97f4a7c15u;
    value ^= value >> 29;
    value *= 0xd6e8feb86659fd93u;
    return value ^ (value >> 32);
}

// Groups equal things: finds for each of count things the lowest index of one equal to it.
class FirstEqual {
public:
    FirstEqual(CpuExecutor& executor, std::int64_t count)
        : executor_(executor),
          keys_(host_memory(), count),
          sorted_keys_(host_memory(), count),
          indices_(host_memory(), count),
          sorted_(host_memory(), count) {}

    // Equal things have equal keys, of 64 bits that are well mixed, and equal orders, by which they
    // can be sorted. Of things with the same order there are few kinds.
    template <class Things, class Key, class Order, class Equal>
    std::vector<std::uint32_t> find(const Things& things, const Key& key_of, const Order& order_of,
                                    const Equal& are_equal) {
        const std::int64_t count = keys_.size();
        executor_.for_each_range(count, 4096, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                keys_.data()[i] = key_of(things[static_cast<std::size_t>(i)]);
                indices_.data()[i] = static_cast<std::uint32_t>(i);
            }
        });
        executor_.sort_by_key("first equal: sort", keys_.data(), sorted_keys_.data(),
                              indices_.data(), sorted_.data(), count);
        std::vector<std::uint32_t> first(static_cast<std::size_t>(count));
        const std::uint64_t* keys = sorted_keys_.data();
        executor_.for_each_range(count, 4096, [&](std::int64_t from, std::int64_t to) {
            // This range looks at the runs of equal keys that start in it.
            while (from > 0 && from < to && keys[from] == keys[from - 1])
                ++from;
            for (std::int64_t begin = from, end = from; begin < to; begin = end) {
                while (end < count && keys[end] == keys[begin])
                    ++end;
                // Equal keys nearly always mean equal things.
                std::uint32_t* run = sorted_.data() + begin;
                bool is_one = true;
                for (std::int64_t i = 1; i < end - begin && is_one; ++i)
                    is_one = are_equal(things[run[0]], things[run[i]]);
                if (!is_one) sort_run(things, order_of, run, run + (end - begin));
                std::vector<std::uint32_t> firsts;
                for (std::int64_t i = 0; i < end - begin; ++i) {
                    const auto& thing = things[run[i]];
                    if (!is_one && i > 0 && order_of(thing) != order_of(things[run[i - 1]]))
                        firsts.clear();
                    const auto found = std::find_if(
                        firsts.begin(), firsts.end(),
                        [&](std::uint32_t other) { return are_equal(things[other], thing); });
                    first[run[i]] = found == firsts.end() ? run[i] : *found;
                    if (found == firsts.end()) firsts.push_back(run[i]);
                }
            }
        });
        return first;
    }

private:
    // Brings equal things together, the lowest index first. A file can be made in which all keys
    // are equal, so that comparing all with all would take forever.
    template <class Things, class Order>
    static void sort_run(const Things& things, const Order& order_of, std::uint32_t* begin,
                         std::uint32_t* end) {
        std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
            const auto order_a = order_of(things[a]), order_b = order_of(things[b]);
            return order_a != order_b ? order_a < order_b : a < b;
        });
    }

    CpuExecutor& executor_;
    Buffer<std::uint64_t> keys_, sorted_keys_;
    Buffer<std::uint32_t> indices_, sorted_;
};

// Returns for each vertex the first one at its position; -0 equals 0.
std::vector<std::uint32_t> find_first_vertices(CpuExecutor& executor,
                                               const std::vector<Vec3>& positions);

}  // namespace graze
