// IndexSet is a set of indices below a bound that finds its next member in a few steps.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graze::io {

// A tree of words: each bit of a level says whether a word of the level below has any bit.
class IndexSet {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    explicit IndexSet(std::uint32_t bound) {
        std::size_t count = bound;
        do {
            count = (count + 63) / 64;
            levels_.emplace_back(count, 0);
        } while (count > 1);
    }

    void insert(std::uint32_t i) {
        std::size_t n = i;
        for (std::vector<std::uint64_t>& level : levels_) {
            level[n / 64] |= std::uint64_t{1} << n % 64;
            n /= 64;
        }
    }
    void erase(std::uint32_t i) {
        std::size_t n = i;
        for (std::vector<std::uint64_t>& level : levels_) {
            level[n / 64] &= ~(std::uint64_t{1} << n % 64);
            if (level[n / 64] != 0) return;
            n /= 64;
        }
    }
    void set(std::uint32_t i, bool is_in) {
        if (is_in) {
            insert(i);
        } else {
            erase(i);
        }
    }

    // Returns the first member from i on, and around the end from 0 on; kNone where it is empty.
    std::uint32_t next_around(std::uint32_t i) const {
        const std::uint32_t found = next(i);
        return found == kNone ? next(0) : found;
    }

private:
    std::uint32_t next(std::uint32_t i) const {
        std::size_t n = i;  // at the level, the first bit that is looked at
        for (std::size_t up = 0; up < levels_.size(); ++up, n = n / 64 + 1) {
            if (n / 64 >= levels_[up].size()) return kNone;
            const std::uint64_t word = levels_[up][n / 64] & ~std::uint64_t{0} << n % 64;
            if (word == 0) continue;
            n = n / 64 * 64 + static_cast<std::size_t>(std::countr_zero(word));
            for (; up > 0; --up)
                n = n * 64 + static_cast<std::size_t>(std::countr_zero(levels_[up - 1][n]));
            return static_cast<std::uint32_t>(n);
        }
        return kNone;
    }

    std::vector<std::vector<std::uint64_t>> levels_;  // that of the indices first
};

}  // namespace graze::io
