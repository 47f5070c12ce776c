#include "graze/segment_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "field/segments/field_steepness.h"
#include "field/segments/lane_walk.h"
#include "field/segments/level_times.h"
#include "graze/build_field.h"
#include "graze/error.h"
#include "tests/field/segments/segment_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/segment_oracle.h"

namespace graze {
namespace {

constexpr SegmentWalk kWalks[] = {SegmentWalk::cells, SegmentWalk::tree, SegmentWalk::distance};

bool is_inside(std::span<const TimeInterval> intervals, double time) {
    for (const TimeInterval& interval : intervals) {
        if (time >= double(interval.begin) && time <= double(interval.end)) return true;
    }
    return false;
}

struct Tolerance {
    double value;  // [m] what is as near to the level may be on either side
    double time;   // how far a time may be off where the value jumps
};

// Counts what was compared, so that a test can tell that it compared something.
struct Compared {
    int intervals = 0;
    int times = 0;
};

// Compares the states at many times, also where the value comes nearest to the level, and the ends
// of intervals.
void compare_with_oracle(const FieldView& field, const Segment& segment, float level,
                         std::span<const TimeInterval> found, const Tolerance& tolerance,
                         Compared& compared) {
    const auto from = static_cast<Vec3d>(segment.from);
    const Vec3d path = static_cast<Vec3d>(segment.to) - from;
    const auto value_at = [&](double t) {
        return oracle::value_of_field(field, from + path * t) - double(level);
    };
    const auto expect_state = [&](double t, double value) {
        if (std::fabs(value) <= tolerance.value) return;
        // Where the value jumps, times beside the jump may be on either side.
        if (is_inside(found, t) == (value <= 0)) {
            ++compared.times;
            return;
        }
        const bool jumps = (value_at(std::max(t - tolerance.time, 0.0)) <= 0) != (value <= 0) ||
                           (value_at(std::min(t + tolerance.time, 1.0)) <= 0) != (value <= 0);
        EXPECT_TRUE(jumps) << "at time " << t << " the value less the level is " << value;
    };
    constexpr int kSteps = 400;
    std::vector<double> values;
    for (int i = 0; i <= kSteps; ++i)
        values.push_back(value_at(double(i) / kSteps));
    for (int i = 0; i <= kSteps; ++i) {
        const auto at = static_cast<std::size_t>(i);
        expect_state(double(i) / kSteps, values[at]);
        if (i == 0 || i == kSteps) continue;
        if (std::fabs(values[at]) > std::fabs(values[at - 1]) ||
            std::fabs(values[at]) > std::fabs(values[at + 1]))
            continue;
        double low = double(i - 1) / kSteps, high = double(i + 1) / kSteps;
        const double sign = values[at] > 0 ? 1 : -1;
        for (int k = 0; k < 40; ++k) {  // golden section, towards the other side
            const double a = high - (high - low) * 0.6180339887,
                         b = low + (high - low) * 0.6180339887;
            (value_at(a) * sign < value_at(b) * sign ? high : low) =
                value_at(a) * sign < value_at(b) * sign ? b : a;
        }
        expect_state((low + high) / 2, value_at((low + high) / 2));
    }
    float last = -1;
    for (const TimeInterval& interval : found) {
        EXPECT_GE(interval.begin, last);
        EXPECT_GE(interval.end, interval.begin);
        EXPECT_LE(interval.end, 1);
        last = interval.end;
        ++compared.intervals;
        for (const float end : {interval.begin, interval.end}) {
            if (end == 0 || end == 1) continue;
            if (std::fabs(value_at(double(end))) <= tolerance.value) continue;
            const double before = value_at(std::max(double(end) - tolerance.time, 0.0));
            const double after = value_at(std::min(double(end) + tolerance.time, 1.0));
            EXPECT_NE(before <= 0, after <= 0) << "an interval ends at " << end;
        }
    }
}

TEST(SegmentSearch, FindsWhatTheOracleFinds) {
    Compared compared;
    for (const SegmentCase& c : segment_cases()) {
        SCOPED_TRACE(c.name);
        SegmentSearch search(c.field, Device::cpu(1));
        const std::vector<Segment> segments = segments_around(c.grid, oracle::case_count(120), 31);
        for (const float level : c.levels) {
            SCOPED_TRACE(level);
            const SegmentIntervals found = search.find_intervals(segments, {.level = level});
            for (std::size_t i = 0; i < segments.size(); ++i) {
                SCOPED_TRACE(i);
                compare_with_oracle(view_of(c.field), segments[i], level, found.of(i), {1e-5, 2e-3},
                                    compared);
            }
        }
    }
    EXPECT_GT(compared.intervals, oracle::case_count(500));
    EXPECT_GT(compared.times, oracle::case_count(500000));
}

TEST(SegmentSearch, FindsWhatTheOracleFindsInFormulasAndCombinations) {
    Compared compared;
    const FieldGrid around{{-2, -2, -2}, 0.25f, {16, 16, 16}};
    const std::vector<Segment> segments = segments_around(around, oracle::case_count(40), 32);
    for (const FieldCase& c : field_cases()) {
        SCOPED_TRACE(c.name);
        SegmentSearch search(c.field, Device::cpu(1));
        for (const float level : {0.0f, 0.2f, -0.1f}) {
            SCOPED_TRACE(level);
            const SegmentIntervals found = search.find_intervals(segments, {.level = level});
            for (std::size_t i = 0; i < segments.size(); ++i) {
                SCOPED_TRACE(i);
                compare_with_oracle(view_of(c.field), segments[i], level, found.of(i), {2e-5, 2e-3},
                                    compared);
            }
        }
    }
    EXPECT_GT(compared.intervals, oracle::case_count(500));
}

// [m] How far what is searched may be from the true distance: docs/concepts/sweep.md.
double stated_bound(const SampledFieldView& samples, const Vec3d& point, double true_at_box) {
    const double h = double(samples.grid.spacing);
    const double among = samples.order == FieldOrder::zero ? 0.867 * h : 1.302 * h;
    const double off = samples.is_sparse ? 6.93 * h : among;
    const auto low = static_cast<Vec3d>(samples.grid.box().min);
    const auto high = static_cast<Vec3d>(samples.grid.box().max);
    const double b = length(point - min_of(max_of(point, low), high));
    if (b == 0) {
        const detail::CellPoint at = detail::find_cell(samples.grid, static_cast<Vec3>(point));
        return detail::find_corners(samples, at).is_coarse ? off : among;
    }
    const double e = std::fabs(true_at_box);
    return b + e - std::hypot(b, e) + 2 * off;
}

// Beyond the band and beyond the box no crossing of the level is lost, and none is invented, by
// more than the stated bound: against the formula that was sampled.
TEST(SegmentSearch, KeepsToTheTrueDistanceBeyondTheSamples) {
    const Field torus = Field::torus(0.35f, 0.15f), box = Field::box({0.4f, 0.2f, 0.1f});
    const FieldGrid grid{{-0.64f, -0.64f, -0.48f}, 0.02f, {64, 64, 48}};
    std::int64_t inside_count = 0, outside_count = 0, beyond_count = 0, coarse_count = 0;
    for (const Field& formula : {torus, box}) {
        for (const bool is_sparse : {false, true}) {
            for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
                const Field field =
                    sample_field(formula, grid, {.order = order, .sparse = is_sparse, .band = 2});
                const SampledFieldView samples = samples_of(field)->view();
                ASSERT_TRUE(samples.is_surface_inside);
                SegmentSearch search(field, Device::cpu(1));
                const std::vector<Segment> segments =
                    segments_around(grid, oracle::case_count(200), 77);
                for (const float level : {0.0f, 0.15f, 0.3f, 0.6f, -0.12f}) {
                    const SegmentIntervals found =
                        search.find_intervals(segments, {.level = level});
                    for (std::size_t i = 0; i < segments.size(); ++i) {
                        const auto from = static_cast<Vec3d>(segments[i].from);
                        const Vec3d path = static_cast<Vec3d>(segments[i].to) - from;
                        for (int k = 0; k <= 100; ++k) {
                            const double t = k / 100.0;
                            const Vec3d x = from + path * t;
                            const Vec3 closest = min_of(
                                max_of(static_cast<Vec3>(x), grid.box().min), grid.box().max);
                            // Beyond the box the search takes steps of half a voxel at least.
                            const double bound =
                                stated_bound(samples, x, double(formula.distance(closest))) +
                                0.75 * double(grid.spacing);
                            const double distance = double(formula.distance(static_cast<Vec3>(x)));
                            const bool inside = is_inside(found.of(i), t);
                            const bool is_beyond =
                                length(x - static_cast<Vec3d>(closest)) > double(grid.spacing);
                            beyond_count += is_beyond ? 1 : 0;
                            if (distance > double(level) + bound) {
                                ASSERT_FALSE(inside) << "invented at " << x.x << " " << x.y << " "
                                                     << x.z << ", " << distance << " away";
                                ++outside_count;
                            } else if (distance < double(level) - bound) {
                                ASSERT_TRUE(inside) << "lost at " << x.x << " " << x.y << " " << x.z
                                                    << ", " << distance << " away";
                                ++inside_count;
                                coarse_count += is_beyond || !is_sparse ? 0 : 1;
                            }
                        }
                    }
                }
            }
        }
    }
    EXPECT_GT(inside_count, oracle::case_count(100) * 1000);
    EXPECT_GT(outside_count, oracle::case_count(100) * 1000);
    EXPECT_GT(beyond_count, oracle::case_count(100) * 1000);
    EXPECT_GT(coarse_count, oracle::case_count(100) * 100);
}

// A sparse grid so large that an index over the smallest cubes of all blocks has more than 31 bits
// is left to the walk one by one.
TEST(SegmentSearch, LanesLeaveGridsThatAreTooLargeForThem) {
    SampledFieldView field{};
    field.is_sparse = true;
    field.band = 3;
    for (const std::int32_t blocks : {600, 700}) {
        field.grid = {{0, 0, 0}, 1, {8 * blocks, 8 * blocks, 8 * blocks}};
        // As many levels as it takes to one cube; a hundred bricks.
        field.tree.level_count = 1;
        std::int64_t offset = 0;
        for (std::int64_t side = 4; side < 8 * blocks; side *= 2) {
            const int level = field.tree.level_count++;
            offset += level == 1 ? 800 : min_max_size(field.grid, level - 1);
            field.tree.offsets[level] = offset;
        }
        const FieldLevel level = make_field_level(field, 0, 1, 0, nullptr);
        EXPECT_EQ(can_walk_lanes(field, level), blocks == 600) << blocks;
    }
}

TEST(SegmentSearch, SteepnessIsUnknownWhereASampleIsNotANumber) {
    CpuExecutor executor;
    const FieldGrid grid{{0, 0, 0}, 0.5f, {8, 8, 8}};
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const auto samples = oracle::fill_dense(grid, order, true, [](const Vec3d& p) {
            return oracle::Truth{p.x - 1, Vec3d{1, 0, 0}};
        });
        EXPECT_NEAR(field_steepness(executor, *samples), 1.7321f, 1e-3f);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        if (order == FieldOrder::zero) {
            samples->values.data()[100] = nan;
        } else {
            samples->samples.data()[100].slope[0] = half_from_float(nan);
        }
        EXPECT_EQ(field_steepness(executor, *samples), 0);
    }
}

TEST(SegmentSearch, AllWalksFindTheSame) {
    std::vector<SegmentCase> cases = segment_cases();
    for (const SegmentCase& c : steep_segment_cases())
        cases.push_back(c);
    for (const SegmentCase& c : cases) {
        SCOPED_TRACE(c.name);
        SegmentSearch search(c.field, Device::cpu(1));
        const std::vector<Segment> segments = segments_around(c.grid, oracle::case_count(3000), 33);
        for (const float level : c.levels) {
            for (const CellRule rule : {CellRule::exact, CellRule::single}) {
                std::vector<TimeInterval> expected;
                std::vector<std::uint64_t> offsets;
                for (const SegmentWalk walk : kWalks) {
                    const SegmentIntervals found =
                        search.find_intervals(segments, {level, walk, rule});
                    if (walk == SegmentWalk::cells) {
                        expected.assign(found.intervals.begin(), found.intervals.end());
                        offsets.assign(found.offsets.begin(), found.offsets.end());
                        continue;
                    }
                    for (std::size_t i = 0; i < segments.size(); ++i) {
                        ASSERT_EQ(found.offsets[i + 1], offsets[i + 1])
                            << "segment " << i << ", level " << level << ", walk "
                            << static_cast<int>(walk);
                        for (std::size_t k = offsets[i]; k < offsets[i + 1]; ++k) {
                            ASSERT_EQ(found.intervals[k], expected[k])
                                << "segment " << i << ", level " << level;
                        }
                    }
                }
            }
        }
    }
}

TEST(SegmentSearch, FirstTimesBeginTheIntervals) {
    for (const SegmentCase& c : segment_cases()) {
        SCOPED_TRACE(c.name);
        SegmentSearch search(c.field, Device::cpu(1));
        const std::vector<Segment> segments = segments_around(c.grid, 2000, 34);
        for (const SegmentWalk walk : kWalks) {
            const SegmentOptions options{c.levels.back(), walk, CellRule::exact};
            const SegmentIntervals found = search.find_intervals(segments, options);
            const std::span<const float> times = search.find_first_times(segments, options);
            for (std::size_t i = 0; i < segments.size(); ++i) {
                ASSERT_EQ(times[i], found.of(i).empty() ? kNever : found.of(i)[0].begin);
            }
        }
    }
}

TEST(SegmentSearch, NothingIsInsideBeforeItIsPossible) {
    int never_count = 0;
    for (const SegmentCase& c : segment_cases()) {
        SCOPED_TRACE(c.name);
        const FieldView field = view_of(c.field);
        for (const Segment& s : segments_around(c.grid, 1000, 35)) {
            for (const float level : c.levels) {
                const float possible = first_time_possible(field, s.from, s.to, level);
                never_count += possible == kNever ? 1 : 0;
                EXPECT_LE(possible, first_time_inside(field, s.from, s.to, level));
                for (int i = 0; i < 50; ++i) {
                    const float t = static_cast<float>(i) / 50;
                    if (t >= possible) break;
                    EXPECT_GT(evaluate(field, s.from + (s.to - s.from) * t).distance, level)
                        << "at time " << t << ", possible from " << possible;
                }
            }
        }
    }
    EXPECT_GT(never_count, 0);
}

TEST(SegmentSearch, ThreadsDoNotShow) {
    for (const SegmentCase& c : segment_cases()) {
        SCOPED_TRACE(c.name);
        SegmentSearch one(c.field, Device::cpu(1)), all(c.field, Device::cpu());
        const std::vector<Segment> segments = segments_around(c.grid, 5000, 36);
        const SegmentIntervals a = one.find_intervals(segments), b = all.find_intervals(segments);
        EXPECT_TRUE(std::equal(a.offsets.begin(), a.offsets.end(), b.offsets.begin()));
        ASSERT_EQ(a.intervals.size(), b.intervals.size());
        EXPECT_TRUE(std::equal(a.intervals.begin(), a.intervals.end(), b.intervals.begin()));
    }
}

// Both ends of the path through the one cell are outside, and its middle is inside.
TEST(SegmentSearch, TheExactRuleSeesWhatTheSingleRuleMisses) {
    const FieldGrid grid{{0, 0, 0}, 1, {1, 1, 1}};
    const Field saddle =
        with_tree(oracle::fill_dense(grid, FieldOrder::zero, true, [](const Vec3d& p) {
            const bool is_edge = p.x == p.y;
            return oracle::Truth{is_edge ? 1.0 : -2.0, {0, 0, 1}};
        }));
    SegmentSearch search(saddle, Device::cpu(1));
    const Segment diagonal[] = {{{0, 0, 0.5f}, {1, 1, 0.5f}}};
    // The value is 1 - 6 t (1 - t).
    const double root = std::sqrt(0.25 - 1.0 / 6);
    for (const SegmentWalk walk : kWalks) {
        const SegmentIntervals exact = search.find_intervals(diagonal, {0, walk, CellRule::exact});
        ASSERT_EQ(exact.intervals.size(), 1U);
        EXPECT_NEAR(exact.intervals[0].begin, 0.5 - root, 1e-6);
        EXPECT_NEAR(exact.intervals[0].end, 0.5 + root, 1e-6);
        const SegmentIntervals single =
            search.find_intervals(diagonal, {0, walk, CellRule::single});
        EXPECT_EQ(single.intervals.size(), 0U);
    }
}

TEST(SegmentSearch, ManyIntervalsOfOneSegment) {
    Field comb = Field::sphere({0, 0, 0}, 0.25f);
    for (int i = 1; i < 20; ++i)
        comb = unite(comb, Field::sphere({static_cast<float>(i), 0, 0}, 0.25f));
    SegmentSearch search(comb, Device::cpu(1));
    const Segment along[] = {{{-1, 0, 0}, {20, 0, 0}}, {{-1, 1, 0}, {20, 1, 0}}};
    const SegmentIntervals found = search.find_intervals(along);
    ASSERT_EQ(found.of(0).size(), 20U);
    for (int i = 0; i < 20; ++i) {
        EXPECT_NEAR(found.of(0)[static_cast<std::size_t>(i)].begin, (0.75 + i) / 21, 1e-6);
        EXPECT_NEAR(found.of(0)[static_cast<std::size_t>(i)].end, (1.25 + i) / 21, 1e-6);
    }
    EXPECT_EQ(found.of(1).size(), 0U);
}

TEST(SegmentSearch, RefusesWhatIsNotFinite) {
    SegmentSearch search(Field::sphere({0, 0, 0}, 1), Device::cpu(1));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const Segment good[] = {{{0, 0, 0}, {1e38f, 3e38f, 3e38f}}};
    EXPECT_NO_THROW(search.find_intervals(good));
    for (const float bad : {nan, infinity, -infinity}) {
        const Segment segments[] = {{{0, 0, 0}, {1, bad, 0}}};
        EXPECT_THROW(search.find_intervals(segments), Error);
        EXPECT_THROW(search.find_first_times(segments), Error);
        EXPECT_THROW(search.find_intervals(good, {.level = bad}), Error);
    }
}

TEST(SegmentSearch, RefusesTooManyLeaves) {
    Field field = Field::sphere({0, 0, 0}, 1);
    for (int i = 1; i < kMaxWalkedLeaves; ++i)
        field = unite(field, Field::sphere({static_cast<float>(i), 0, 0}, 1));
    EXPECT_NO_THROW(SegmentSearch(field, Device::cpu(1)));
    EXPECT_THROW(SegmentSearch(unite(field, field), Device::cpu(1)), Error);
}

TEST(SegmentSearch, NoSegmentsHaveNoIntervals) {
    SegmentSearch search(Field::sphere({0, 0, 0}, 1), Device::cpu(1));
    const SegmentIntervals found = search.find_intervals({});
    EXPECT_EQ(found.offsets.size(), 1U);
    EXPECT_EQ(found.intervals.size(), 0U);
    EXPECT_EQ(search.find_first_times({}).size(), 0U);
}

}  // namespace
}  // namespace graze
