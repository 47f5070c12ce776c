// Batches of constraints: nothing is lost, and no batch has a unit twice.
#include "response/constraint_batches.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace graze {
namespace {

struct Pair {
    std::uint32_t a = 0, b = 0, id = 0;
};
constexpr auto units_of_pair = [](const Pair& pair) { return std::array{pair.a, pair.b}; };

std::vector<Pair> random_pairs(std::uint32_t unit_count, std::size_t count) {
    std::mt19937 random(1);
    std::vector<Pair> pairs(count);
    const auto unit = [&] { return static_cast<std::uint32_t>(random() % unit_count); };
    for (std::uint32_t i = 0; i < count; ++i)
        pairs[i] = {unit(), unit(), i};
    return pairs;
}

TEST(ConstraintBatches, ShareNothingThatMoves) {
    for (const std::uint32_t unit_count : {2u, 10u, 1000u}) {
        std::vector<Pair> pairs = random_pairs(unit_count, 2000);
        const ConstraintBatches batches = sort_into_batches(unit_count, units_of_pair, pairs);
        ASSERT_EQ(batches.begins.front(), 0);
        ASSERT_EQ(batches.begins.back(), 2000);
        std::set<std::uint32_t> ids;
        for (std::size_t batch = 0; batch <= ConstraintBatches::kCount; ++batch) {
            std::set<std::uint32_t> units;
            std::int64_t last = -1;
            for (auto i = batches.begins[batch]; i < batches.begins[batch + 1]; ++i) {
                const Pair& pair = pairs[static_cast<std::size_t>(i)];
                EXPECT_TRUE(ids.insert(pair.id).second);
                EXPECT_GT(std::int64_t{pair.id}, last) << "in the order that they had";
                last = pair.id;
                if (batch == ConstraintBatches::kCount) continue;  // the rest is solved in turn
                for (const std::uint32_t unit : std::set{pair.a, pair.b})
                    EXPECT_TRUE(unit == kScriptUnit || units.insert(unit).second);
            }
        }
        EXPECT_EQ(ids.size(), 2000u);
        const bool has_rest = batches.begins[ConstraintBatches::kCount] < 2000;
        EXPECT_EQ(has_rest, unit_count <= 10) << unit_count;
    }
}

TEST(ConstraintBatches, AllAreSolvedOnce) {
    std::vector<Pair> pairs = random_pairs(10, 3000);
    const ConstraintBatches batches = sort_into_batches(10, units_of_pair, pairs);
    CpuExecutor executor(2);
    std::vector<int> counts(pairs.size(), 0);
    solve_batches(executor, "count", batches,
                  [&](std::int64_t i) { ++counts[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(counts, std::vector<int>(pairs.size(), 1));
}

}  // namespace
}  // namespace graze
