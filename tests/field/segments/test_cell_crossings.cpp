// The two rules within a cell: the paper's against its definition in double precision, and the
// exact one on paths that only just touch the level.
#include "field/segments/cell_crossings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/field/segments/segment_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/segment_oracle.h"

namespace graze {
namespace {

// When a path within the box passes the planes between cells, its ends included.
std::vector<double> times_of_planes(const FieldGrid& grid, const Segment& segment) {
    std::vector<double> times{0, 1};
    for (int axis = 0; axis < 3; ++axis) {
        const double from = segment.from[axis], way = double(segment.to[axis]) - from;
        if (way == 0) continue;
        for (int i = 0; i <= grid.cells[axis]; ++i) {
            const double plane = double(grid.origin[axis]) + i * double(grid.spacing);
            const double time = (plane - from) / way;
            if (time > 0 && time < 1) times.push_back(time);
        }
    }
    std::sort(times.begin(), times.end());
    return times;
}

// Xu and Barbic's rule: where the values at a cell's entry and exit differ in sign there is one
// change between them, found by regula falsi with at most five steps (their equation 2).
struct SingleRule {
    bool begins_inside = false;
    bool is_certain = true;  // no value on a face is so small that rounding may turn its sign
    std::vector<double> changes;

    template <class ValueAt>
    SingleRule(const ValueAt& value_at, const std::vector<double>& faces) {
        double before = value_at(faces[0]);
        begins_inside = before <= 0;
        is_certain = std::fabs(before) > kSurely;
        for (std::size_t i = 1; i < faces.size(); ++i) {
            const double after = value_at(faces[i]);
            is_certain = is_certain && std::fabs(after) > kSurely;
            if ((before <= 0) != (after <= 0))
                changes.push_back(falsi(value_at, faces[i - 1], faces[i], before, after));
            before = after;
        }
    }

private:
    static constexpr double kSurely = 1e-3;  // [m]

    template <class ValueAt>
    static double falsi(const ValueAt& value_at, double low, double high, double at_low,
                        double at_high) {
        double time = low;
        for (int step = 0; step < 5; ++step) {
            time = low + (high - low) * at_low / (at_low - at_high);
            const double value = value_at(time);
            if (std::fabs(value) < 1e-6 * std::fabs(at_low - at_high)) break;
            const bool is_before = (value <= 0) == (at_low <= 0);
            (is_before ? low : high) = time;
            (is_before ? at_low : at_high) = value;
        }
        return time;
    }
};

std::vector<double> changes_of(std::span<const TimeInterval> intervals) {
    std::vector<double> changes;
    for (const TimeInterval& interval : intervals) {
        if (interval.begin > 0) changes.push_back(double(interval.begin));
        if (interval.end < 1) changes.push_back(double(interval.end));
    }
    return changes;
}

TEST(CellCrossings, TheSingleRuleIsThatOfThePaper) {
    int certain_count = 0, change_count = 0, missed_count = 0;
    for (const SegmentCase& c : segment_cases()) {
        const SampledFieldView samples = view_of(c.field).sampled[0];
        if (samples.is_sparse) continue;  // its coarse blocks are no cells
        SCOPED_TRACE(c.name);
        oracle::RandomPoints<float> random(41);
        const Aabb box = samples.grid.box();
        const auto anywhere = [&] {
            return Vec3{random.uniform(box.min.x, box.max.x), random.uniform(box.min.y, box.max.y),
                        random.uniform(box.min.z, box.max.z)};
        };
        std::vector<Segment> segments(static_cast<std::size_t>(oracle::case_count(300)));
        for (Segment& segment : segments)
            segment = {anywhere(), anywhere()};
        SegmentSearch search(c.field, Device::cpu(1));
        for (const float level : c.levels) {
            const SegmentIntervals exact = search.find_intervals(segments, {.level = level});
            std::vector<std::size_t> exact_counts(segments.size());
            for (std::size_t i = 0; i < segments.size(); ++i)
                exact_counts[i] = changes_of(exact.of(i)).size();
            const SegmentIntervals single =
                search.find_intervals(segments, {.level = level, .rule = CellRule::single});
            for (std::size_t i = 0; i < segments.size(); ++i) {
                const auto from = static_cast<Vec3d>(segments[i].from);
                const Vec3d way = static_cast<Vec3d>(segments[i].to) - from;
                const auto value_at = [&](double time) {
                    return oracle::value_of_field(view_of(c.field), from + way * time) -
                           double(level);
                };
                const SingleRule expected(value_at, times_of_planes(samples.grid, segments[i]));
                if (!expected.is_certain) continue;
                ++certain_count;
                const std::vector<double> found = changes_of(single.of(i));
                ASSERT_EQ(found.size(), expected.changes.size()) << "segment " << i;
                const bool begins_inside = !single.of(i).empty() && single.of(i).front().begin == 0;
                EXPECT_EQ(begins_inside, expected.begins_inside) << "segment " << i;
                for (std::size_t k = 0; k < found.size(); ++k) {
                    EXPECT_NEAR(found[k] * length(way), expected.changes[k] * length(way), 1e-4)
                        << "segment " << i;
                }
                change_count += static_cast<int>(found.size());
                EXPECT_GE(exact_counts[i], found.size());
                missed_count += static_cast<int>(exact_counts[i] - found.size());
            }
        }
    }
    EXPECT_GT(certain_count, oracle::case_count(1000));
    EXPECT_GT(change_count, oracle::case_count(1000));
    EXPECT_GT(missed_count, oracle::case_count(50)) << "or the rules do not differ";
}

// Along the diagonal of a cell the value is depth + 4 (t - 0.3)^2: its least is the depth, and no
// halving of the cell meets it.
TEST(CellCrossings, TheExactRuleSeesWhatOnlyJustTouches) {
    const Segment diagonal[] = {{{0, 0, 0.5f}, {1, 1, 0.5f}}};
    const double middle = 0.3;
    for (const double depth : {0.1, 1e-2, 1e-3, 1e-4, 1e-5, -1e-5, -1e-4, -1e-3, -1e-2, -0.1}) {
        const FieldGrid grid{{0, 0, 0}, 1, {1, 1, 1}};
        const Field field =
            with_tree(oracle::fill_dense(grid, FieldOrder::zero, true, [&](const Vec3d& p) {
                const double square =
                    p.x == p.y ? (p.x - middle) * (p.x - middle) : middle * (middle - 1);
                return oracle::Truth{depth + 4 * square, {0, 0, 1}};
            }));
        SegmentSearch search(field, Device::cpu(1));
        for (const SegmentWalk walk :
             {SegmentWalk::cells, SegmentWalk::tree, SegmentWalk::distance}) {
            const SegmentIntervals found = search.find_intervals(diagonal, {.walk = walk});
            const float first = search.find_first_times(diagonal, {.walk = walk})[0];
            if (depth > 0) {
                EXPECT_EQ(found.intervals.size(), 0u) << depth;
                EXPECT_EQ(first, kNever) << depth;
                continue;
            }
            ASSERT_EQ(found.intervals.size(), 1u) << depth;
            const double half = std::sqrt(-depth / 4);
            const TimeInterval interval = found.intervals[0];
            EXPECT_EQ(interval.begin, first) << depth;
            // Newton's method goes half of the way to a root that is nearly double with each of its
            // eight steps, from half a cell away at most; where it ends the value is small.
            EXPECT_NEAR(double(interval.begin), middle - half, 0x1p-9) << depth;
            EXPECT_NEAR(double(interval.end), middle + half, 0x1p-9) << depth;
            for (const double time : {double(interval.begin), double(interval.end)})
                EXPECT_NEAR(depth + 4 * (time - middle) * (time - middle), 0, 0x1p-16) << depth;
        }
    }
}

}  // namespace
}  // namespace graze
