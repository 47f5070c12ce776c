// PairBlocks: which block each pair belongs to, from step to step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "geometry/bvh/bvh_pairs.h"
#include "graze/detector.h"

namespace graze {

class PairBlocks {
public:
    explicit PairBlocks(std::size_t block_count)
        : loads_(block_count), pairs_of_block_(block_count) {}

    // Takes over the pairs of a step, ascending. A pair that was there in the last step stays in
    // its block; new ones go, in their order, to the block that has least to do. last_body: by body
    // its index in the last step, kNoIndex where it was not there; empty where all have the same.
    // load(pair) is what a pair costs, in any unit.
    template <class Load>
    void update(std::span<const IndexPair> pairs, std::span<const std::uint32_t> last_body,
                const Load& load) {
        next_.clear();
        for (std::uint64_t& sum : loads_)
            sum = 0;
        for (const IndexPair& pair : pairs) {
            const BodyPair key{pair.a, pair.b};
            const std::uint32_t block = last_block(pair, last_body);
            next_.push_back({key, block});
            if (block != kNoBlock) loads_[block] += load(key);
        }
        owned_.swap(next_);
        for (auto& list : pairs_of_block_)
            list.clear();
        for (Owned& owned : owned_) {
            if (owned.block == kNoBlock) {
                owned.block = least_loaded();
                loads_[owned.block] += load(owned.pair);
            }
            pairs_of_block_[owned.block].push_back(owned.pair);
        }
    }

    std::size_t count() const { return pairs_of_block_.size(); }
    const std::vector<BodyPair>& pairs_of(std::size_t block) const {
        return pairs_of_block_[block];
    }

private:
    static constexpr std::uint32_t kNoBlock = 0xffffffffu;
    struct Owned {
        BodyPair pair;
        std::uint32_t block;
    };

    // kNoBlock where the pair is new.
    std::uint32_t last_block(const IndexPair& pair,
                             std::span<const std::uint32_t> last_body) const {
        BodyPair before{pair.a, pair.b};
        if (!last_body.empty()) before = {last_body[pair.a], last_body[pair.b]};
        if (before.body_b < before.body_a) std::swap(before.body_a, before.body_b);
        const auto found = std::lower_bound(
            owned_.begin(), owned_.end(), before,
            [](const Owned& owned, const BodyPair& key) { return owned.pair < key; });
        return found != owned_.end() && found->pair == before ? found->block : kNoBlock;
    }
    std::uint32_t least_loaded() const {
        std::size_t best = 0;
        for (std::size_t block = 1; block < loads_.size(); ++block) {
            if (loads_[block] < loads_[best]) best = block;
        }
        return static_cast<std::uint32_t>(best);
    }

    std::vector<Owned> owned_, next_;  // of the last step and of this one, ascending
    std::vector<std::uint64_t> loads_;
    std::vector<std::vector<BodyPair>> pairs_of_block_;  // ascending
};

}  // namespace graze
