#include "broad_phase/element_grid_impl.h"
#include "parallel/cpu_executor.h"
#include "tests/broad_phase/element_pairs_cases.h"
#include "tests/oracle/grid_oracle.h"

namespace graze {
namespace {

using namespace element_grid_detail;

std::int64_t size_of(const std::vector<Aabb>& boxes) {
    return static_cast<std::int64_t>(boxes.size());
}

std::uint64_t cell_count(const GridShape& shape) {
    return std::uint64_t{shape.resolution[0]} * shape.resolution[1] * shape.resolution[2];
}

TEST(ElementGrid, CellsAreMonotone) {
    oracle::RandomPoints<float> random(201);
    const std::uint32_t resolution[3] = {7, 20, 1000};
    for (const Aabb& bounds :
         {Aabb{{-1, -2, -3}, {5, 4, 3}}, Aabb{{-3e38f, 0, 1e30f}, {3e38f, 1e-40f, 2e30f}}}) {
        const GridShape shape = shape_over(bounds, resolution);
        for (int i = 0; i < 2000; ++i) {
            const int axis = random.integer(0, 2);
            const float size = bounds.max[axis] * 0.5f - bounds.min[axis] * 0.5f;
            float x = bounds.min[axis] + size * random.uniform(-0.1f, 2.1f);
            std::uint32_t last = shape.cell(x, axis);
            EXPECT_LT(last, resolution[axis]);
            for (int step = 0; step < 5; ++step) {
                x = std::nextafter(x, std::numeric_limits<float>::max());
                EXPECT_GE(shape.cell(x, axis), last);
                last = shape.cell(x, axis);
            }
            // Within rounding it is the cell that the formula gives.
            const long double in_cells =
                (static_cast<long double>(x) - bounds.min[axis]) /
                (static_cast<long double>(bounds.max[axis]) - bounds.min[axis]) * resolution[axis];
            const long double expected =
                std::clamp(in_cells, 0.0L, static_cast<long double>(resolution[axis] - 1));
            EXPECT_LE(std::abs(std::floor(static_cast<double>(expected)) - last), 1);
            EXPECT_LE(std::abs(static_cast<double>(expected) - last), 1.0001);
        }
        EXPECT_EQ(shape.cell(-std::numeric_limits<float>::max(), 0), 0u);
        EXPECT_EQ(shape.cell(std::numeric_limits<float>::max(), 0), 6u);
    }
}

// Every cell there is has an id of its own, and each knows its top cell.
TEST(ElementGrid, IdsTellCellsApart) {
    const std::uint32_t resolution[3] = {6, 4, 10};
    std::vector<std::uint8_t> splits(3 * 2 * 5);
    for (std::size_t i = 0; i < splits.size(); ++i)
        splits[i] = i % 3 == 0 ? 1 : 0;
    const GridView two{shape_over({{0, 0, 0}, {6, 4, 10}}, resolution), splits.data()};
    const GridView one{two.shape, nullptr};
    std::map<std::uint32_t, int> seen_two, seen_one;
    for (std::uint32_t x = 0; x < 6; ++x) {
        for (std::uint32_t y = 0; y < 4; ++y) {
            for (std::uint32_t z = 0; z < 10; ++z) {
                ++seen_two[two.id_of({x, y, z})];
                ++seen_one[one.id_of({x, y, z})];
                EXPECT_LT(two.id_of({x, y, z}), two.id_count());
                EXPECT_EQ(two.top_of_id(two.id_of({x, y, z})), two.top_index({x, y, z}));
            }
        }
    }
    EXPECT_EQ(seen_one.size(), 240u);
    EXPECT_EQ(seen_two.size(), 20u + 10 * 8);
    for (const auto& [id, count] : seen_two)
        EXPECT_EQ(count, id < 30 ? 8 : 1);
}

TEST(ElementGrid, ShapesFitTheScene) {
    struct Case {
        Vec3d size;
        double cell_count;
    };
    for (const Case& c : {Case{{1, 1, 1}, 5000}, Case{{10, 2, 1}, 5000}, Case{{1, 1, 0}, 5000},
                          Case{{0, 3, 0}, 5000}, Case{{0, 0, 0}, 5000}, Case{{1e38, 1e30, 1}, 1e6},
                          Case{{1e-40, 1e-40, 1e-42}, 1e6}, Case{{1, 1, 1}, 1 << 28}}) {
        const Resolution r = cubes_over(c.size, c.cell_count);
        const double product = double(r.along[0]) * r.along[1] * r.along[2];
        EXPECT_LE(product, c.cell_count);
        if (c.size.x + c.size.y + c.size.z > 0) {
            EXPECT_GT(product, 0.3 * c.cell_count);
        }
        for (const double side : {0.0, 1e-44, 0.01, 1e30}) {
            const Resolution s = cubes_with_side(c.size, side);
            EXPECT_LE(double(s.along[0]) * s.along[1] * s.along[2], kMostCells);
        }
    }
    const Resolution cubes = cubes_over({10, 20, 40}, 8000);  // equation 2
    EXPECT_EQ(cubes.along[0], 10u);
    EXPECT_EQ(cubes.along[1], 20u);
    EXPECT_EQ(cubes.along[2], 40u);
}

oracle::Assignment assignment_of(const ElementGrid& grid) {
    oracle::Assignment result;
    for (std::int64_t i = 0; i < grid.totals.entry_count; ++i)
        result.push_back({grid.cells.data()[i], GridOwner::element(grid.owners.data()[i])});
    return result;
}

// Grids that are small enough to count through all cells.
std::vector<ElementCase> small_grids() {
    std::vector<ElementCase> cases;
    for (ElementCase& elements : element_cases()) {
        if (elements.boxes.size() > 600) elements.boxes.resize(600);
        cases.push_back(std::move(elements));
    }
    return cases;
}

// Sorted by cell and element, the entries are exactly those there must be, with either Propagation.
TEST(ElementGrid, AssignsToTheCellsThatAreMet) {
    CpuExecutor one(1), all(0);
    for (const ElementCase& elements : small_grids()) {
        if (elements.boxes.empty()) continue;
        for (const bool has_two_levels : {false, true}) {
            for (const Propagation propagation : {Propagation::search, Propagation::scan}) {
                CpuExecutor& executor = propagation == Propagation::scan ? all : one;
                ElementGrid grid(executor.memory());
                grid.propagation = propagation;
                build_element_grid(executor, elements.boxes.data(), size_of(elements.boxes),
                                   has_two_levels, grid);
                if (cell_count(grid.shape) > 100000) continue;
                EXPECT_EQ(grid.has_two_levels, has_two_levels);
                EXPECT_TRUE(assignment_of(grid) ==
                            oracle::brute_assignment(view_of(grid), elements.boxes))
                    << elements.name << (has_two_levels ? ", two levels" : ", one level");
            }
        }
    }
}

// Of the cells that two touching elements are both in, the bits name the one with the minimum of
// the boxes' intersection.
TEST(ElementGrid, BitsNameTheTokenCorner) {
    CpuExecutor executor(2);
    std::int64_t token_count = 0;
    for (const ElementCase& elements : small_grids()) {
        if (elements.boxes.empty()) continue;
        for (const bool has_two_levels : {false, true}) {
            ElementGrid grid(executor.memory());
            build_element_grid(executor, elements.boxes.data(), size_of(elements.boxes),
                               has_two_levels, grid);
            const GridView view = view_of(grid);
            for (std::int64_t i = 0; i < grid.totals.entry_count; i += 7) {
                for (std::int64_t j = i + 1;
                     j < grid.totals.entry_count && grid.cells.data()[j] == grid.cells.data()[i];
                     ++j) {
                    const std::uint32_t a = grid.owners.data()[i], b = grid.owners.data()[j];
                    const Aabb& box_a = elements.boxes[GridOwner::element(a)];
                    const Aabb& box_b = elements.boxes[GridOwner::element(b)];
                    const GridCell token = view.cell_at(max_of(box_a.min, box_b.min));
                    const bool is_here = view.id_of(token) == grid.cells.data()[i];
                    ASSERT_EQ(GridOwner::has_token(a, b), is_here) << elements.name;
                    token_count += is_here ? 1 : 0;
                }
            }
        }
    }
    EXPECT_GT(token_count, 10000);
}

TEST(ElementGrid, CellsAndTheirPairsAreCounted) {
    CpuExecutor executor(2);
    for (const ElementCase& elements : small_grids()) {
        ElementGrid grid(executor.memory());
        build_element_grid(executor, elements.boxes.data(), size_of(elements.boxes), true, grid);
        std::map<std::uint32_t, std::uint64_t> sizes;
        for (const auto& [id, element] : assignment_of(grid))
            ++sizes[id];
        ASSERT_EQ(grid.totals.cell_count, static_cast<std::int64_t>(sizes.size()));
        std::uint64_t pair_count = 0;
        std::int64_t cell = 0;
        for (const auto& [id, size] : sizes) {
            EXPECT_EQ(grid.cells.data()[grid.cell_heads.data()[cell]], id);
            EXPECT_EQ(grid.candidate_offsets.data()[cell], pair_count);
            pair_count += size * (size - 1) / 2;
            ++cell;
        }
        EXPECT_EQ(grid.totals.candidate_count, static_cast<std::int64_t>(pair_count));
    }
}

// The hierarchy of a full update is made from an assignment without one; later ones from the
// assignment of the step before.
TEST(ElementGrid, SplitsWhereThereAreMoreThanTheAverage) {
    CpuExecutor executor(2);
    std::int64_t split_count = 0;
    for (const ElementCase& elements : small_grids()) {
        if (elements.boxes.empty()) continue;
        ElementGrid grid(executor.memory());
        build_element_grid(executor, elements.boxes.data(), size_of(elements.boxes), true, grid);
        EXPECT_EQ(grid.full_update_count, 1);
        if (cell_count(grid.shape) > 100000 || grid.totals.entry_count == 0) continue;
        const auto hierarchy = [&] {
            return std::vector<std::uint8_t>(grid.splits.data(),
                                             grid.splits.data() + view_of(grid).top_cell_count());
        };
        const std::vector<std::uint8_t> none(hierarchy().size(), 0);
        const GridView flat{grid.shape, none.data()};
        EXPECT_TRUE(hierarchy() ==
                    oracle::brute_hierarchy(flat, oracle::brute_assignment(flat, elements.boxes)))
            << elements.name;
        const std::vector<std::uint8_t> first = hierarchy();
        const oracle::Assignment last = assignment_of(grid);
        build_element_grid(executor, elements.boxes.data(), size_of(elements.boxes), true, grid);
        EXPECT_EQ(grid.full_update_count, 1);
        EXPECT_TRUE(hierarchy() == oracle::brute_hierarchy(flat, last)) << elements.name;
        split_count += std::count(first.begin(), first.end(), 1);
    }
    EXPECT_GT(split_count, 100);
}

TEST(ElementGrid, UpdatesAllWhereTheResolutionChanges) {
    CpuExecutor executor(1);
    ElementGrid grid(executor.memory());
    const std::vector<Aabb> boxes = random_boxes(2000, 5, 0.3f, 2, 202);
    const auto stretched = [&](float factor) {
        std::vector<Aabb> result = boxes;
        for (Aabb& box : result) {
            box.min.x *= factor;
            box.max.x *= factor;
        }
        return result;
    };
    for (const auto& [factor, update_count] :
         {std::pair{1.0f, 1}, {1.02f, 1}, {1.04f, 1}, {2.0f, 2}, {2.0f, 2}, {1.0f, 3}}) {
        const std::vector<Aabb> step = stretched(factor);
        build_element_grid(executor, step.data(), size_of(step), true, grid);
        EXPECT_EQ(grid.full_update_count, update_count) << factor;
    }
    grid.always_updates = true;
    build_element_grid(executor, boxes.data(), size_of(boxes), true, grid);
    EXPECT_EQ(grid.full_update_count, 4);
}

// Whatever the boxes are, the memory is proportional to their number.
TEST(ElementGrid, IsBounded) {
    CpuExecutor executor(2);
    for (const ElementCase& elements : element_cases()) {
        if (elements.boxes.empty()) continue;
        const double n = static_cast<double>(elements.boxes.size());
        for (const bool has_two_levels : {false, true}) {
            ElementGrid grid(executor.memory());
            build_element_grid(executor, elements.boxes.data(), size_of(elements.boxes),
                               has_two_levels, grid);
            EXPECT_LE(double(grid.totals.item_count), n * double{kMostCellsOfElement});
            if (has_two_levels) {
                EXPECT_LE(double(view_of(grid).top_cell_count()), kDensity * n);
            }
            EXPECT_LE(cell_count(grid.shape), std::uint64_t{1} << 31);
            if (elements.name == "one giant among tiny ones") {
                EXPECT_EQ(grid.totals.large_count, 1);
                EXPECT_EQ(grid.large.data()[0], 700u);
                EXPECT_LT(double(grid.totals.candidate_count), n * 50);
            }
        }
    }
}

TEST(ElementGrid, PairsAreNumberedRowByRow) {
    for (std::uint64_t n = 2; n < 60; ++n) {
        std::uint64_t k = 0;
        for (std::uint64_t row = 0; row + 1 < n; ++row) {
            EXPECT_EQ(pairs_before_row(n, row), k);
            for (std::uint64_t column = row + 1; column < n; ++column, ++k)
                ASSERT_EQ(row_of_pair(n, k), row) << n << " " << k;
        }
    }
    std::mt19937_64 random(7);
    for (int i = 0; i < 100000; ++i) {
        const std::uint64_t n = 2 + (random() >> (33 + random() % 31));
        const std::uint64_t k = random() % (n * (n - 1) / 2);
        const std::uint64_t row = row_of_pair(n, k);
        ASSERT_LT(row + 1, n);
        ASSERT_LE(pairs_before_row(n, row), k);
        ASSERT_TRUE(row + 2 == n || pairs_before_row(n, row + 1) > k);
    }
}

}  // namespace
}  // namespace graze
