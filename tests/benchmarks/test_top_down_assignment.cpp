// The assignment that benchmarks compare the grid's with does the same work.
#include "benchmarks/top_down_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "broad_phase/element_grid_impl.h"
#include "parallel/cpu_executor.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using Entries = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Entries sorted(Entries entries) {
    std::sort(entries.begin(), entries.end());
    return entries;
}

TEST(TopDownAssignment, PutsElementsIntoTheGridsCells) {
    oracle::RandomPoints<float> random(7);
    std::vector<Aabb> boxes;
    for (int i = 0; i < 3000; ++i) {
        // Half of the boxes are in an eighth of the space, so that some cells are split.
        const float side = i % 2 == 0 ? 1.0f : 0.5f;
        const Vec3 corner{random.uniform(0, side), random.uniform(0, side),
                          random.uniform(0, side)};
        const float size = random.uniform(0, 0.1f);
        boxes.push_back({corner, corner + Vec3{size, size, size}});
    }
    const auto count = static_cast<std::int64_t>(boxes.size());
    CpuExecutor executor(2);
    ElementGrid grid(executor.memory());
    build_element_grid(executor, boxes.data(), count, true, grid);
    TopDownAssignment assignment(executor.memory());
    assign_top_down(executor, element_grid_detail::view_of(grid), boxes.data(), count, assignment);

    Entries expected, actual;
    for (std::int64_t i = 0; i < grid.totals.entry_count; ++i)
        expected.emplace_back(grid.cells.data()[i], GridOwner::element(grid.owners.data()[i]));
    for (std::int64_t i = 0; i < assignment.cells.size(); ++i)
        actual.emplace_back(assignment.cells.data()[i], assignment.owners.data()[i]);
    EXPECT_GT(actual.size(), boxes.size());
    EXPECT_EQ(sorted(actual), sorted(expected));
    const GridView view = element_grid_detail::view_of(grid);
    EXPECT_GT(std::count(grid.splits.data(), grid.splits.data() + view.top_cell_count(), 1), 0);
}

}  // namespace
}  // namespace graze
