#include <mutex>

#include "broad_phase/element_leaf_units.h"
#include "broad_phase/element_slot_units.h"
#include "tests/broad_phase/element_pairs_cases.h"
#include "tests/needs_data.h"

namespace graze {
namespace {

std::int64_t size_of(const std::vector<Aabb>& boxes) {
    return static_cast<std::int64_t>(boxes.size());
}

oracle::PairList find(CpuExecutor& executor, const std::vector<Aabb>& boxes, PairSearch search) {
    ElementPairs result(executor.memory());
    find_element_pairs(executor, boxes.data(), size_of(boxes), search, result);
    EXPECT_EQ(result.pair_count, result.pairs.size());
    return sorted_list(download(executor, result.pairs));
}

TEST(ElementPairs, AreThoseOfBruteForce) {
    CpuExecutor one(1), all(0);
    for (const ElementCase& elements : element_cases()) {
        const oracle::PairList expected = brute_element_pairs(elements.boxes);
        for (const PairSearch search : kPairSearches) {
            EXPECT_TRUE(find(one, elements.boxes, search) == expected)
                << elements.name << ", " << name_of(search);
            EXPECT_TRUE(find(all, elements.boxes, search) == expected)
                << elements.name << ", " << name_of(search) << ", all threads";
        }
    }
}

// The order of the pairs does not depend on the number of threads.
TEST(ElementPairs, ComeInTheSameOrder) {
    CpuExecutor one(1), all(0);
    const std::vector<Aabb> boxes = random_boxes(3000, 5, 1, 4, 111);
    for (const PairSearch search : kPairSearches) {
        ElementPairs a(one.memory()), b(all.memory());
        find_element_pairs(one, boxes.data(), size_of(boxes), search, a);
        find_element_pairs(all, boxes.data(), size_of(boxes), search, b);
        EXPECT_TRUE(as_list(download(one, a.pairs)) == as_list(download(all, b.pairs)))
            << name_of(search);
        EXPECT_GT(a.pairs.size(), 4000);
    }
}

struct CollectPairs {
    oracle::PairList& list;
    void operator()(std::uint32_t a, std::uint32_t b) const { list.push_back({a, b}); }
};

// Pairs can be taken one by one from several threads, as an engine does.
struct StreamUnits {
    CpuExecutor& executor;
    oracle::PairList& list;
    template <class Units>
    void operator()(const Units& units) const {
        std::mutex mutex;
        executor.for_each_range(units.count(), 1, [&](std::int64_t first, std::int64_t last) {
            oracle::PairList mine;
            CollectPairs report{mine};
            for (std::int64_t unit = first; unit < last; ++unit)
                units.visit(unit, report);
            const std::lock_guard<std::mutex> lock(mutex);
            list.insert(list.end(), mine.begin(), mine.end());
        });
        std::sort(list.begin(), list.end());
    }
};

TEST(ElementPairs, CanBeTakenOneByOne) {
    CpuExecutor executor(0);
    ElementPairs result(executor.memory());
    for (const ElementCase& elements : element_cases()) {
        const oracle::PairList expected = brute_element_pairs(elements.boxes);
        for (const PairSearch search : kPairSearches) {
            build_element_search(executor, elements.boxes.data(), size_of(elements.boxes), search,
                                 result);
            oracle::PairList list;
            with_units<CpuExecutor>(result, StreamUnits{executor, list});
            EXPECT_TRUE(list == expected) << elements.name << ", " << name_of(search);
        }
    }
}

// The device's tree finds the same pairs where the host walks it.
TEST(ElementPairs, SlotsFindWhatLeavesFind) {
    CpuExecutor executor(1);
    ElementPairs result(executor.memory());
    for (const ElementCase& elements : element_cases()) {
        build_element_search(executor, elements.boxes.data(), size_of(elements.boxes),
                             PairSearch::tree, result);
        ElementTree<CudaExecutor>::build(executor, result);
        oracle::PairList by_slot, by_leaf;
        StreamUnits{executor, by_slot}(ElementTree<CudaExecutor>::units(result));
        StreamUnits{executor, by_leaf}(ElementTree<CpuExecutor>::units(result));
        EXPECT_TRUE(by_slot == by_leaf) << elements.name;
    }
}

TEST(ElementPairs, AreThoseThatAreAccepted) {
    CpuExecutor executor(2);
    ElementPairs result(executor.memory());
    const std::vector<Aabb> boxes = random_boxes(1000, 5, 1, 4, 112);
    oracle::PairList expected;
    for (const auto& [a, b] : brute_element_pairs(boxes)) {
        if (AcceptSome{}(a, b)) expected.push_back({a, b});
    }
    for (const PairSearch search : kPairSearches) {
        build_element_search(executor, boxes.data(), size_of(boxes), search, result);
        const std::int64_t count = count_element_pairs(executor, AcceptSome{}, result);
        EXPECT_EQ(count, static_cast<std::int64_t>(expected.size()));
        store_element_pairs(executor, AcceptSome{}, {0, result.unit_count, 0, count}, result);
        EXPECT_TRUE(sorted_list(download(executor, result.pairs)) == expected) << name_of(search);
    }
}

TEST(ElementPairs, SlicesAreTheWhole) {
    CpuExecutor executor(2);
    ElementPairs result(executor.memory());
    std::vector<Aabb> boxes = random_boxes(3000, 5, 1, 4, 113);
    boxes.push_back({{-100, -100, -100}, {100, 100, 100}});
    for (const PairSearch search : kPairSearches) {
        find_element_pairs(executor, boxes.data(), size_of(boxes), search, result);
        const oracle::PairList whole = as_list(download(executor, result.pairs));
        for (const std::int64_t room : {0, 1, 100, 5000, 100000, 100000000}) {
            oracle::PairList pieces;
            UnitSlice slice;
            std::int64_t unit_count = 0;
            while (next_slice(executor, room, result, slice)) {
                EXPECT_TRUE(slice.pair_count <= room || slice.last - slice.first == 1);
                EXPECT_LE(slice.pair_count, 8 * size_of(boxes));
                unit_count += slice.last - slice.first;
                store_element_pairs(executor, AcceptAll{}, slice, result);
                const oracle::PairList piece = as_list(download(executor, result.pairs));
                pieces.insert(pieces.end(), piece.begin(), piece.end());
            }
            EXPECT_EQ(unit_count, result.unit_count);
            EXPECT_TRUE(pieces == whole) << name_of(search) << ", room for " << room;
        }
    }
}

// Frame after frame with one result: nothing stays from the step before, and steps like earlier
// ones take no memory.
TEST(ElementPairs, StepAfterStep) {
    CpuExecutor executor(2);
    for (const PairSearch search : kPairSearches) {
        ElementPairs result(executor.memory());
        const std::vector<Aabb> start = random_boxes(oracle::case_count(2000), 5, 0.5f, 3, 114);
        std::int64_t before = 0;
        for (const bool is_measured : {false, true}) {
            before = executor.memory().allocation_count();
            for (unsigned step = 0; step < 8; ++step) {
                const std::vector<Aabb> boxes = moved(start, 0.1f, 115 + step);
                find_element_pairs(executor, boxes.data(), size_of(boxes), search, result);
                if (is_measured) continue;
                EXPECT_TRUE(sorted_list(download(executor, result.pairs)) ==
                            brute_element_pairs(boxes));
            }
        }
        EXPECT_EQ(executor.memory().allocation_count(), before) << name_of(search);
        for (const ElementCase& other : element_cases()) {
            find_element_pairs(executor, other.boxes.data(), size_of(other.boxes), search, result);
            EXPECT_TRUE(sorted_list(download(executor, result.pairs)) ==
                        brute_element_pairs(other.boxes))
                << other.name << ", " << name_of(search);
        }
    }
}

// One result can serve different searches in turn.
TEST(ElementPairs, SearchesTakeTurns) {
    CpuExecutor executor(2);
    ElementPairs result(executor.memory());
    for (unsigned step = 0; step < 9; ++step) {
        const std::vector<Aabb> boxes =
            random_boxes(500 + 100 * static_cast<int>(step), 5, 0.5f, 3, 130 + step);
        find_element_pairs(executor, boxes.data(), size_of(boxes), kPairSearches[step * 5 % 3],
                           result);
        EXPECT_TRUE(sorted_list(download(executor, result.pairs)) == brute_element_pairs(boxes));
    }
}

struct HashUnits {
    CpuExecutor& executor;
    PairHash& hash;
    template <class Units>
    void operator()(const Units& units) const {
        std::mutex mutex;
        executor.for_each_range(units.count(), 64, [&](std::int64_t first, std::int64_t last) {
            PairHash mine;
            for (std::int64_t unit = first; unit < last; ++unit)
                units.visit(unit, mine);
            const std::lock_guard<std::mutex> lock(mutex);
            hash.add(mine);
        });
    }
};

TEST(ElementPairs, OfRealSequences) {
    GRAZE_NEEDS_DATA("sequences");
    CpuExecutor executor(0);
    ElementPairs result(executor.memory());
    for (const SequenceFrames& sequence : kSequences) {
        const std::vector<Aabb> boxes = swept_boxes(sequence);
        ASSERT_FALSE(boxes.empty()) << sequence.name;
        if (GRAZE_SANITIZED != 0 && boxes.size() > 20000) continue;
        PairHash expected;
        for (const PairSearch search : kPairSearches) {
            build_element_search(executor, boxes.data(), size_of(boxes), search, result);
            PairHash hash;
            with_units<CpuExecutor>(result, HashUnits{executor, hash});
            if (search == PairSearch::tree) expected = hash;
            EXPECT_EQ(hash, expected) << sequence.name << ", " << name_of(search);
        }
        if (sequence.pair_count > 0) {
            EXPECT_EQ(expected.count, sequence.pair_count) << sequence.name;
        }
        EXPECT_GT(expected.count, boxes.size());
    }
}

}  // namespace
}  // namespace graze
