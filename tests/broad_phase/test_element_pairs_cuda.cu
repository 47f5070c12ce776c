#include "broad_phase/element_slot_units.h"
#include "tests/broad_phase/element_pairs_cases.h"
#include "tests/cuda_test.h"

namespace graze {
namespace {

class ElementPairsCuda : public CudaTest {
protected:
    oracle::PairList find(const std::vector<Aabb>& boxes, PairSearch search, ElementPairs& result) {
        const auto there = upload(executor(), boxes);
        find_element_pairs(executor(), there.data(), there.size(), search, result);
        return sorted_list(download(executor(), result.pairs));
    }
};

TEST_F(ElementPairsCuda, AreThoseOfBruteForce) {
    for (const PairSearch search : kPairSearches) {
        ElementPairs result(executor().memory());
        for (const ElementCase& elements : element_cases()) {
            EXPECT_TRUE(find(elements.boxes, search, result) == brute_element_pairs(elements.boxes))
                << elements.name << ", " << name_of(search);
        }
    }
}

TEST_F(ElementPairsCuda, PropagationsAgree) {
    const std::vector<Aabb> boxes = random_boxes(3000, 5, 1, 4, 121);
    ElementPairs by_search(executor().memory()), by_scan(executor().memory());
    by_scan.grid.propagation = Propagation::scan;
    for (int step = 0; step < 3; ++step) {
        EXPECT_TRUE(find(boxes, PairSearch::two_level_grid, by_search) ==
                    find(boxes, PairSearch::two_level_grid, by_scan));
        EXPECT_TRUE(download(executor(), by_search.grid.owners) ==
                    download(executor(), by_scan.grid.owners));
    }
}

TEST_F(ElementPairsCuda, SlicesAreTheWhole) {
    const std::vector<Aabb> boxes = random_boxes(3000, 5, 1, 4, 122);
    const auto there = upload(executor(), boxes);
    for (const PairSearch search : kPairSearches) {
        ElementPairs result(executor().memory());
        build_element_search(executor(), there.data(), there.size(), search, result);
        const std::int64_t count = count_element_pairs(executor(), AcceptSome{}, result);
        store_element_pairs(executor(), AcceptSome{}, {0, result.unit_count, 0, count}, result);
        const oracle::PairList whole = as_list(download(executor(), result.pairs));
        EXPECT_EQ(static_cast<std::int64_t>(whole.size()), count);
        for (const std::int64_t room : {1000, 20000, 100000000}) {
            oracle::PairList pieces;
            for (UnitSlice slice; next_slice(executor(), room, result, slice);) {
                EXPECT_TRUE(slice.pair_count <= room || slice.last - slice.first == 1);
                store_element_pairs(executor(), AcceptSome{}, slice, result);
                const oracle::PairList piece = as_list(download(executor(), result.pairs));
                pieces.insert(pieces.end(), piece.begin(), piece.end());
            }
            EXPECT_TRUE(pieces == whole) << name_of(search) << ", room for " << room;
        }
    }
}

TEST_F(ElementPairsCuda, StepsAllocateNothing) {
    const auto boxes = upload(executor(), random_boxes(20000, 20, 0.5f, 3, 123));
    for (const PairSearch search : kPairSearches) {
        ElementPairs result(executor().memory());
        const auto step = [&] {
            find_element_pairs(executor(), boxes.data(), boxes.size(), search, result);
        };
        // The hierarchy settles: it depends on the step before.
        for (int i = 0; i < 6; ++i)
            step();
        const std::int64_t before = executor().memory().allocation_count();
        for (int i = 0; i < 6; ++i)
            step();
        EXPECT_EQ(executor().memory().allocation_count(), before) << name_of(search);
    }
}

// A fine thing among coarse ones fills a cell of the grid, whose pairs would all be looked at.
TEST_F(ElementPairsCuda, AutomaticLeavesCrowdedGrids) {
    std::vector<Aabb> boxes = random_boxes(40000, 50, 0.5f, 2, 124);
    const auto find_pairs = [&](ElementPairs& result) {
        const auto there = upload(executor(), boxes);
        build_element_search(executor(), there.data(), there.size(), PairSearch::automatic, result,
                             true);
        const std::int64_t count = count_element_pairs(executor(), AcceptAll{}, result);
        store_element_pairs(executor(), AcceptAll{}, {0, result.unit_count, 0, count}, result);
        return sorted_list(download(executor(), result.pairs));
    };
    ElementPairs result(executor().memory()), by_tree(executor().memory());
    EXPECT_TRUE(find_pairs(result) == find(boxes, PairSearch::tree, by_tree));
    EXPECT_EQ(result.search, PairSearch::one_level_grid);
    for (const Aabb& box : random_boxes(20000, 0.05f, 1e-4f, 2, 125))
        boxes.push_back(box);
    for (int step = 0; step < 2; ++step) {
        EXPECT_TRUE(find_pairs(result) == find(boxes, PairSearch::tree, by_tree));
        EXPECT_EQ(result.search, PairSearch::tree);
    }
    EXPECT_EQ(result.steps_without_grid, AutomaticSearch::kStepsWithoutGrid - 1);
}

TEST_F(ElementPairsCuda, OfRealSequences) {
    for (const SequenceFrames& sequence : kSequences) {
        const std::vector<Aabb> boxes = swept_boxes(sequence);
        if (boxes.empty()) continue;
        PairHash expected;
        for (const PairSearch search : kPairSearches) {
            ElementPairs result(executor().memory());
            const auto there = upload(executor(), boxes);
            find_element_pairs(executor(), there.data(), there.size(), search, result);
            PairHash hash;
            for (const IndexPair& pair : download(executor(), result.pairs))
                hash(pair.a, pair.b);
            if (search == PairSearch::tree) expected = hash;
            EXPECT_EQ(hash, expected) << sequence.name << ", " << name_of(search);
        }
        if (sequence.pair_count > 0) {
            EXPECT_EQ(expected.count, sequence.pair_count);
        }
    }
}

}  // namespace
}  // namespace graze
