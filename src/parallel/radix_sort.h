// RadixSort: stable ascending sort of key-value pairs on the host.
//
// One parallel pass splits the pairs by their leading digit into buckets; each bucket is then
// sorted by one thread, split further while it exceeds the cache and finally digit by digit from
// the lowest (LSD) inside the cache. Bits that all keys share are skipped. Where one bucket holds
// most of the pairs, plain parallel LSD passes are used. Every path is stable, so the result does
// not depend on the number of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace graze {

template <class Key, class Value>
class RadixSort {
    static constexpr int kDigitBits = 8;
    static constexpr int kDigitCount = 1 << kDigitBits;
    // A bucket of so many pairs is finished inside the second-level cache, where its two copies
    // take 24 bytes a pair.
    static constexpr std::int64_t kCachePairs = 1 << 16;
    // Up to so many pairs, insertion sort beats the counting of digits; measured on 64-bit keys.
    static constexpr std::int64_t kInsertionPairs = 40;

public:
    RadixSort(std::int64_t count, int end_bit)
        : count_(count),
          mask_(end_bit < static_cast<int>(sizeof(Key) * 8) ? (Key{1} << end_bit) - 1 : ~Key{0}) {}

    std::int64_t scratch_bytes(int thread_count) const {
        return histogram_bytes(thread_count) + aligned(count_ * sizeof(Key)) +
               count_ * sizeof(Value);
    }
    void set_scratch(char* scratch, int thread_count) {
        chunk_count_ = thread_count;
        histograms_ = reinterpret_cast<std::int64_t*>(scratch);
        spare_.keys = reinterpret_cast<Key*>(scratch + histogram_bytes(thread_count));
        spare_.values = reinterpret_cast<Value*>(scratch + histogram_bytes(thread_count) +
                                                 aligned(count_ * sizeof(Key)));
    }

    template <class Executor>
    void run(Executor& executor, const Key* keys_in, Key* keys_out, const Value* values_in,
             Value* values_out) {
        const Pairs in{const_cast<Key*>(keys_in), const_cast<Value*>(values_in)};
        const Pairs out{keys_out, values_out};
        find_bits_in_use(executor, in.keys);
        if (low_bit_ >= high_bit_) {
            move_pairs(in, out, count_);
        } else if (count_ <= kInsertionPairs) {
            move_pairs(in, out, count_);
            insertion_sort(out, count_);
        } else {
            sort_buckets(executor, in, out);
        }
    }

private:
    struct Pairs {
        Key* keys;
        Value* values;
        Pairs operator+(std::int64_t offset) const { return {keys + offset, values + offset}; }
    };

    static std::int64_t aligned(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }
    static std::int64_t histogram_bytes(int thread_count) {
        return aligned((thread_count + 1) * kDigitCount *
                       static_cast<std::int64_t>(sizeof(std::int64_t)));
    }
    int digit(Key key, int shift) const {
        return static_cast<int>(((key & mask_) >> shift) & (kDigitCount - 1));
    }

    std::int64_t chunk_begin(std::int64_t chunk) const { return count_ * chunk / chunk_count_; }

    template <class Executor, class Chunk>
    void for_each_chunk(Executor& executor, const Chunk& chunk) {
        executor.for_each_range(chunk_count_, 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t c = first; c < last; ++c)
                chunk(c, chunk_begin(c), chunk_begin(c + 1));
        });
    }

    // The range of bits in which any two keys differ.
    template <class Executor>
    void find_bits_in_use(Executor& executor, const Key* keys) {
        for_each_chunk(executor, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
            Key differing = 0;
            for (std::int64_t i = begin; i < end; ++i)
                differing |= keys[i] ^ keys[0];
            histograms_[chunk] = static_cast<std::int64_t>(differing);
        });
        Key differing = 0;
        for (int chunk = 0; chunk < chunk_count_; ++chunk)
            differing |= static_cast<Key>(histograms_[chunk]);
        differing &= mask_;
        low_bit_ = differing ? std::countr_zero(differing) : 0;
        high_bit_ = static_cast<int>(std::bit_width(differing));
    }

    template <class Executor>
    void sort_buckets(Executor& executor, Pairs in, Pairs out) {
        const int shift = std::max(high_bit_ - kDigitBits, low_bit_);
        std::int64_t* ends = histograms_ + chunk_count_ * kDigitCount;
        count_digits(executor, in.keys, shift);
        const std::int64_t largest = *std::max_element(ends, ends + kDigitCount);
        if (chunk_count_ > 1 && largest > std::max(count_ / 2, kCachePairs)) {
            sort_by_passes(executor, in, out);
            return;
        }
        scatter(executor, in, spare_, shift);
        executor.for_each_range(kDigitCount, 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t bucket = first; bucket < last; ++bucket) {
                const std::int64_t begin = bucket == 0 ? 0 : ends[bucket - 1];
                sort_serial(spare_ + begin, out + begin, ends[bucket] - begin, shift, true);
            }
        });
    }

    // LSD passes over all pairs, each parallel; in -> spare -> out -> spare -> ... -> out.
    template <class Executor>
    void sort_by_passes(Executor& executor, Pairs in, Pairs out) {
        const int pass_count = (high_bit_ - low_bit_ + kDigitBits - 1) / kDigitBits;
        Pairs from = in;
        for (int pass = 0; pass < pass_count; ++pass) {
            const Pairs to = (pass_count - pass) % 2 == 1 ? out : spare_;
            const int shift = low_bit_ + pass * kDigitBits;
            count_digits(executor, from.keys, shift);
            scatter(executor, from, to, shift);
            from = to;
        }
    }

    // Writes every chunk's histogram, and behind them the total of each digit.
    template <class Executor>
    void count_digits(Executor& executor, const Key* keys, int shift) {
        for_each_chunk(executor, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
            std::int64_t* histogram = histograms_ + chunk * kDigitCount;
            std::fill_n(histogram, kDigitCount, 0);
            for (std::int64_t i = begin; i < end; ++i)
                ++histogram[digit(keys[i], shift)];
        });
        std::int64_t* totals = histograms_ + chunk_count_ * kDigitCount;
        for (int d = 0; d < kDigitCount; ++d) {
            totals[d] = 0;
            for (int chunk = 0; chunk < chunk_count_; ++chunk)
                totals[d] += histograms_[chunk * kDigitCount + d];
        }
    }

    // Moves the pairs into digit order after count_digits; the totals become the ends of the
    // buckets.
    template <class Executor>
    void scatter(Executor& executor, Pairs from, Pairs to, int shift) {
        std::int64_t* ends = histograms_ + chunk_count_ * kDigitCount;
        std::int64_t offset = 0;
        for (int d = 0; d < kDigitCount; ++d) {
            for (int chunk = 0; chunk < chunk_count_; ++chunk) {
                const std::int64_t n = histograms_[chunk * kDigitCount + d];
                histograms_[chunk * kDigitCount + d] = offset;
                offset += n;
            }
            ends[d] = offset;
        }
        for_each_chunk(executor, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
            std::int64_t* offsets = histograms_ + chunk * kDigitCount;
            move_by_digit(from + begin, to, end - begin, offsets, shift);
        });
    }

    void move_by_digit(Pairs from, Pairs to, std::int64_t count, std::int64_t* offsets,
                       int shift) const {
        for (std::int64_t i = 0; i < count; ++i) {
            const Key key = from.keys[i];
            const std::int64_t index = offsets[digit(key, shift)]++;
            to.keys[index] = key;
            to.values[index] = from.values[i];
        }
    }

    // Sorts bits [low_bit_, high) of data, with a spare of the same size; the result is left in the
    // spare where into_spare says so, else in data.
    void sort_serial(Pairs data, Pairs spare, std::int64_t count, int high, bool into_spare) const {
        if (count <= kInsertionPairs || high <= low_bit_) {
            if (high > low_bit_) insertion_sort(data, count);
            if (into_spare) move_pairs(data, spare, count);
        } else if (count <= kCachePairs) {
            sort_in_cache(data, spare, count, high, into_spare);
        } else {
            const int shift = std::max(high - kDigitBits, low_bit_);
            std::int64_t offsets[kDigitCount] = {};
            for (std::int64_t i = 0; i < count; ++i)
                ++offsets[digit(data.keys[i], shift)];
            to_offsets(offsets);
            move_by_digit(data, spare, count, offsets, shift);
            std::int64_t begin = 0;
            for (int d = 0; d < kDigitCount; ++d) {  // offsets now hold the buckets' ends
                sort_serial(spare + begin, data + begin, offsets[d] - begin, shift, !into_spare);
                begin = offsets[d];
            }
        }
    }

    // Three LSD passes order the leading 24 bits; runs that are equal in them, rare among spread
    // keys, are then sorted by what is left.
    void sort_in_cache(Pairs data, Pairs spare, std::int64_t count, int high,
                       bool into_spare) const {
        constexpr int kPassCount = 3;
        const int base = std::max(high - kPassCount * kDigitBits, low_bit_);
        std::int64_t offsets[kPassCount][kDigitCount] = {};
        for (std::int64_t i = 0; i < count; ++i) {
            for (int pass = 0; pass < kPassCount && base + pass * kDigitBits < high; ++pass) {
                ++offsets[pass][digit(data.keys[i], base + pass * kDigitBits)];
            }
        }
        bool in_spare = false;
        for (int pass = 0; pass < kPassCount && base + pass * kDigitBits < high; ++pass) {
            const int shift = base + pass * kDigitBits;
            if (offsets[pass][digit(data.keys[0], shift)] == count) continue;
            to_offsets(offsets[pass]);
            move_by_digit(data, spare, count, offsets[pass], shift);
            std::swap(data, spare);
            in_spare = !in_spare;
        }
        if (in_spare != into_spare) {
            move_pairs(data, spare, count);
            std::swap(data, spare);
        }
        if (base > low_bit_) sort_equal_runs(data, spare, count, base);
    }

    // Sorts every run of keys that agree in bits [high, ...); the result stays in data.
    void sort_equal_runs(Pairs data, Pairs spare, std::int64_t count, int high) const {
        for (std::int64_t begin = 0; begin < count;) {
            std::int64_t end = begin + 1;
            while (end < count && ((data.keys[end] ^ data.keys[begin]) & mask_) >> high == 0)
                ++end;
            if (end - begin > 1) sort_serial(data + begin, spare + begin, end - begin, high, false);
            begin = end;
        }
    }

    // Replaces the counts of digits by the sums of those before.
    static void to_offsets(std::int64_t* counts) {
        std::int64_t sum = 0;
        for (int d = 0; d < kDigitCount; ++d)
            sum += std::exchange(counts[d], sum);
    }

    static void move_pairs(Pairs from, Pairs to, std::int64_t count) {
        if (count == 0) return;
        std::memcpy(to.keys, from.keys, static_cast<std::size_t>(count) * sizeof(Key));
        std::memcpy(to.values, from.values, static_cast<std::size_t>(count) * sizeof(Value));
    }

    void insertion_sort(Pairs pairs, std::int64_t count) const {
        for (std::int64_t i = 1; i < count; ++i) {
            const Key key = pairs.keys[i];
            const Value value = pairs.values[i];
            std::int64_t j = i;
            for (; j > 0 && (pairs.keys[j - 1] & mask_) > (key & mask_); --j) {
                pairs.keys[j] = pairs.keys[j - 1];
                pairs.values[j] = pairs.values[j - 1];
            }
            pairs.keys[j] = key;
            pairs.values[j] = value;
        }
    }

    std::int64_t count_;
    Key mask_;  // the bits that are sorted by
    int low_bit_ = 0;
    int high_bit_ = 0;
    int chunk_count_ = 1;
    std::int64_t* histograms_ = nullptr;
    Pairs spare_{};
};

}  // namespace graze
