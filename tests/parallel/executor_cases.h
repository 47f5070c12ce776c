// What every executor must do, against plain loops; run for the CPU by test_executor.cpp and for a
// GPU by test_executor_cuda.cu.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "graze/hd.h"
#include "parallel/reductions.h"
#include "parallel/upload.h"
#include "tests/oracle/case_count.h"

namespace graze {

const std::int64_t kSizes[] = {0, 1, 31, GRAZE_SANITIZED != 0 ? 100'003 : 1'000'003,
                               oracle::case_count(20'000'000)};

template <class T>
std::vector<T> random_values(std::int64_t count, T limit) {
    std::mt19937_64 random(static_cast<std::uint64_t>(count) + 1);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values)
        value = static_cast<T>(random() % static_cast<std::uint64_t>(limit));
    return values;
}

struct WriteSquare {
    std::uint64_t* out;
    GRAZE_HD void operator()(std::int64_t i) const {
        out[i] = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(i) + 1;
    }
};
template <class Executor>
void check_for_each(Executor& executor, std::int64_t count) {
    auto buffer = upload(executor, std::vector<std::uint64_t>(static_cast<std::size_t>(count), 0));
    executor.for_each("test: squares", count, WriteSquare{buffer.data()});
    const auto result = download(executor, buffer);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        wrong += result[static_cast<std::size_t>(i)] != static_cast<std::uint64_t>(i * i + 1);
    }
    EXPECT_EQ(wrong, 0);
}

struct Widen {
    const std::uint32_t* in;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return in[i]; }
};
template <class Executor>
void check_reduce(Executor& executor, std::int64_t count) {
    const auto values = random_values<std::uint32_t>(count, 1u << 31);
    const auto in = upload(executor, values);
    auto result = executor.template make_buffer<std::uint64_t>(1);
    executor.reduce("test: sum", count, Widen{in.data()}, AddValues{}, std::uint64_t{5},
                    result.data());
    EXPECT_EQ(executor.read(result.data()),
              std::accumulate(values.begin(), values.end(), std::uint64_t{5}));
    executor.reduce("test: largest", count, Widen{in.data()}, LargerValue{}, std::uint64_t{0},
                    result.data());
    const std::uint64_t largest =
        values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    EXPECT_EQ(executor.read(result.data()), largest);
}

template <class Executor>
void check_exclusive_scan(Executor& executor, std::int64_t count) {
    const auto values = random_values<std::uint64_t>(count, 1000);
    const auto in = upload(executor, values);
    auto out = executor.template make_buffer<std::uint64_t>(count + 1);
    executor.exclusive_scan("test: scan", in.data(), out.data(), count);
    std::vector<std::uint64_t> expected(static_cast<std::size_t>(count + 1), 0);
    std::partial_sum(values.begin(), values.end(), expected.begin() + 1);
    EXPECT_TRUE(download(executor, out) == expected);
}

// Runs of equal keys from 1 element to longer than any block of work, and one key for everything.
template <class Executor>
void check_segmented_scan(Executor& executor, std::int64_t count) {
    const auto values = random_values<std::uint32_t>(count, 10);
    for (const int longest : {3, 100'000, 1 << 30}) {
        std::mt19937 random(static_cast<unsigned>(longest));
        std::vector<std::uint32_t> keys;
        keys.reserve(values.size());
        for (std::uint32_t key = 0; static_cast<std::int64_t>(keys.size()) < count; ++key) {
            const auto run = std::min<std::int64_t>(1 + random() % static_cast<unsigned>(longest),
                                                    count - static_cast<std::int64_t>(keys.size()));
            keys.insert(keys.end(), static_cast<std::size_t>(run), key % 7);
        }
        std::vector<std::uint32_t> expected(values);
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (keys[i] == keys[i - 1]) expected[i] += expected[i - 1];
        }
        const auto in = upload(executor, values);
        const auto key_buffer = upload(executor, keys);
        auto out = executor.template make_buffer<std::uint32_t>(count);
        executor.segmented_scan("test: segmented", key_buffer.data(), in.data(), out.data(), count);
        EXPECT_TRUE(download(executor, out) == expected) << "runs up to " << longest;
    }
}

template <class Executor, class Key>
void check_sort(Executor& executor, std::vector<Key> keys, int end_bit, const char* what) {
    const auto count = static_cast<std::int64_t>(keys.size());
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0u);
    const auto keys_in = upload(executor, keys);
    const auto values_in = upload(executor, values);
    auto keys_out = executor.template make_buffer<Key>(count);
    auto values_out = executor.template make_buffer<std::uint32_t>(count);
    executor.sort_by_key("test: sort", keys_in.data(), keys_out.data(), values_in.data(),
                         values_out.data(), count, end_bit);
    const Key mask =
        end_bit == static_cast<int>(sizeof(Key) * 8) ? ~Key{0} : (Key{1} << end_bit) - 1;
    // Stable: equal keys keep the order of their values.
    std::sort(values.begin(), values.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Key key_a = keys[a] & mask, key_b = keys[b] & mask;
        return key_a != key_b ? key_a < key_b : a < b;
    });
    EXPECT_TRUE(download(executor, values_out) == values) << what;
    std::vector<Key> expected(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        expected[i] = keys[values[i]];
    EXPECT_TRUE(download(executor, keys_out) == expected) << what;
    auto keys_alone = executor.template make_buffer<Key>(count);
    executor.sort_keys("test: sort", keys_in.data(), keys_alone.data(), count, end_bit);
    EXPECT_TRUE(download(executor, keys_alone) == expected) << what << " alone";
    EXPECT_TRUE(download(executor, keys_in) == keys) << what << ": the input changed";
}

template <class Executor>
void check_sort_by_key(Executor& executor, std::int64_t count) {
    std::mt19937_64 random(3);
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(count));
    for (auto& key : keys)
        key = random();
    check_sort(executor, keys, 64, "random 64-bit keys");
    if (count > 1'000'003) return;  // the rest is about kinds of keys, not about size
    check_sort(executor, keys, 13, "13 low bits of random keys");
    check_sort(executor, keys, 50, "50 low bits of random keys");
    for (auto& key : keys)
        key = random() % 5;
    check_sort(executor, keys, 64, "five different keys");
    for (auto& key : keys)
        key = 42;
    check_sort(executor, keys, 64, "equal keys");
    for (auto& key : keys)
        key = random() % 1000 == 0 ? random() : random() % 70'000;
    check_sort(executor, keys, 64, "nearly all keys small");
    for (auto& key : keys)
        key = (random() % 300) << 40 | random() % 4096;
    check_sort(executor, keys, 64, "two groups of bits");
    for (auto& key : keys)
        key = random() << 50;
    check_sort(executor, keys, 64, "only the high bits differ");
    std::vector<std::uint32_t> short_keys(keys.size());
    for (auto& key : short_keys)
        key = static_cast<std::uint32_t>(random());
    check_sort(executor, short_keys, 32, "random 32-bit keys");
    for (auto& key : short_keys)
        key = static_cast<std::uint32_t>(random()) << 20;
    check_sort(executor, short_keys, 32, "only the high bits of 32 differ");
}

struct IsOdd {
    const std::uint32_t* in;
    GRAZE_HD bool operator()(std::int64_t i) const { return in[i] % 2 == 1; }
};
template <class Executor>
void check_compact(Executor& executor, std::int64_t count) {
    const auto values = random_values<std::uint32_t>(count, 1000);
    const auto in = upload(executor, values);
    auto out = executor.template make_buffer<std::uint32_t>(count);
    auto out_count = executor.template make_buffer<std::uint32_t>(1);
    executor.compact("test: compact", count, IsOdd{in.data()}, out.data(), out_count.data());
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] % 2 == 1) expected.push_back(static_cast<std::uint32_t>(i));
    }
    ASSERT_EQ(executor.read(out_count.data()), expected.size());
    auto result = download(executor, out);
    result.resize(expected.size());
    EXPECT_TRUE(result == expected);
}

template <class Executor>
void check_copy(Executor& executor, std::int64_t count) {
    const auto values = random_values<std::uint32_t>(count, 1u << 31);
    const auto in = upload(executor, values);
    auto out = executor.template make_buffer<std::uint32_t>(count);
    executor.copy("test: copy", in.data(), out.data(), count);
    EXPECT_TRUE(download(executor, out) == values);
}

// One step of every verb, on buffers that it grows at most once.
template <class Executor>
class RepeatedStep {
public:
    explicit RepeatedStep(Executor& executor)
        : executor_(executor),
          in_(executor.memory()),
          keys_(executor.memory()),
          keys_out_(executor.memory()),
          out_(executor.memory()),
          sums_(executor.memory()),
          total_(executor.memory()) {}

    void run(std::int64_t count) {
        in_.resize(count);
        keys_.resize(count);
        keys_out_.resize(count);
        out_.resize(count);
        sums_.resize(count + 1);
        total_.resize(1);
        executor_.for_each("test: fill", count, WriteSquare{keys_.data()});
        executor_.for_each("test: fill", count, WriteIndex{in_.data()});
        executor_.reduce("test: sum", count, Widen{in_.data()}, AddValues{}, std::uint64_t{0},
                         total_.data());
        executor_.exclusive_scan("test: scan", keys_.data(), sums_.data(), count);
        executor_.segmented_scan("test: segmented", in_.data(), keys_.data(), keys_out_.data(),
                                 count);
        executor_.sort_by_key("test: sort", keys_.data(), keys_out_.data(), in_.data(), out_.data(),
                              count);
        executor_.compact("test: compact", count, IsOdd{in_.data()}, out_.data(), in_.data());
        executor_.copy("test: copy", keys_.data(), keys_out_.data(), count);
        last_ = executor_.read(total_.data());
    }
    std::uint64_t last() const { return last_; }

    struct WriteIndex {
        std::uint32_t* out;
        GRAZE_HD void operator()(std::int64_t i) const {
            out[i] = static_cast<std::uint32_t>(i % 1000);
        }
    };

private:
    Executor& executor_;
    Buffer<std::uint32_t> in_;
    Buffer<std::uint64_t> keys_, keys_out_;
    Buffer<std::uint32_t> out_;
    Buffer<std::uint64_t> sums_, total_;
    std::uint64_t last_ = 0;
};

}  // namespace graze
