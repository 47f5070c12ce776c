// PairBlocks: which block each pair belongs to, from step to step.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/bvh/bvh_pairs.h"
#include "graze/detector.h"

namespace graze {

class PairBlocks {
public:
    explicit PairBlocks(std::size_t block_count)
        : loads_(block_count), pairs_of_block_(block_count) {}

    // Takes over the pairs of a step, ascending. A pair that was there in the last step stays in
    // its block; new ones go, in their order, to the block that has least to do. load(pair) is what
    // a pair costs, in any unit.
    template <class Load>
    void update(std::span<const IndexPair> pairs, const Load& load) {
        next_.clear();
        for (std::uint64_t& sum : loads_)
            sum = 0;
        std::size_t at = 0;
        for (const IndexPair& pair : pairs) {
            const BodyPair key{pair.a, pair.b};
            while (at < owned_.size() && owned_[at].pair < key)
                ++at;
            const bool is_known = at < owned_.size() && owned_[at].pair == key;
            next_.push_back({key, is_known ? owned_[at].block : kNoBlock});
            if (is_known) loads_[owned_[at].block] += load(key);
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
