// Compares times of impact with a minimum separation with exact arithmetic: none is missed or late,
// and what begins within the separation meets only where it comes closer.
#include <gtest/gtest.h>

#include "graze/deforming.h"
#include "narrow_phase/features/impact_time.h"
#include "tests/narrow_phase/features/impact_queries.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/exact_separation.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::RandomPoints;
using oracle::Rational;

oracle::ClosestWays closest_ways(const ImpactQuery& query) {
    oracle::RationalPoints at_t0, at_t1;
    for (std::size_t i = 0; i < 4; ++i) {
        at_t0[i] = oracle::to_rational(query.p0[i]);
        at_t1[i] = oracle::to_rational(query.p1[i]);
    }
    const oracle::MovingPoints points = oracle::moving_points(at_t0, at_t1);
    return query.is_vertex_face ? oracle::closest_ways_vertex_face(points)
                                : oracle::closest_ways_edge_edge(points);
}

struct ExactMeeting {
    bool begins_within;                        // the distance at t0 is at most the separation
    bool comes_closer_at_once;                 // the distance falls from t0 on
    std::optional<oracle::TimeBounds> counts;  // when they count as meeting, by the rule
};

// The rule: features meet where they are within the separation, or, where they begin nearer than
// that, within all but 2^-24 of the distance at which they begin.
ExactMeeting exact_meeting(const ImpactQuery& query, double min_separation) {
    const oracle::ClosestWays ways = closest_ways(query);
    const Rational share(1 - 0x1p-24), separation(min_separation);
    const Rational start_sq = distance_sq_at(ways, Rational(0));
    const Rational closer_sq = start_sq * share * share, separation_sq = separation * separation;
    return {start_sq <= separation_sq, distance_sq_at(ways, Rational(0x1p-60)) < start_sq,
            first_within(ways, closer_sq < separation_sq ? closer_sq : separation_sq,
                         Rational(0x1p-70))};
}

struct Tally {
    int query_count = 0, meeting_count = 0, within_count = 0, false_positive_count = 0,
        early_count = 0, ran_out_count = 0;
    // Of what meets: begins within the separation and moves away or along first.
    int returning_count = 0;
    double most_early = 0;  // [time steps]

    // The most false positives and early times that there may be, and by how much the worst may be
    // early: what docs/concepts/deforming.md states.
    void expect_at_most(int false_positives, int early, double worst) const {
        EXPECT_LE(most_early, worst);
        if (GRAZE_SANITIZED != 0) return;  // too few queries for counts
        EXPECT_LE(false_positive_count, false_positives);
        EXPECT_LE(early_count, early);
    }
};

// The time that a line search is given, with bounds and filters in front of what decides.
std::optional<double> earliest_of(const ImpactQuery& query, double min_separation) {
    DeformingTopology topology;
    topology.vertex_count = 4;
    if (query.is_vertex_face) {
        topology.triangles = {{{1, 2, 3}}};
        topology.loose_vertices = {0};
    } else {
        topology.loose_edges = {{{0, 1}}, {{2, 3}}};
    }
    DeformingOptions options;
    options.min_separation = min_separation;
    DeformingDetector detector(topology, Device::cpu(1), options);
    return detector.find_earliest_time(std::span<const Vec3d>(query.p0),
                                       std::span<const Vec3d>(query.p1));
}

void expect_certified(const ImpactQuery& query, double min_separation, Tally& tally) {
    const ExactMeeting exact = exact_meeting(query, min_separation);
    const ImpactTime impact = impact_of(query, min_separation);
    const std::optional<double> earliest = earliest_of(query, min_separation);
    ASSERT_TRUE(earliest || !exact.counts);
    // Bounds may rule out what the decision alone takes for a meeting by rounding.
    if (earliest) {
        ASSERT_TRUE(impact.collides);
        ASSERT_EQ(*earliest, impact.time);
    }
    ++tally.query_count;
    tally.ran_out_count += impact.ran_out;
    tally.within_count += exact.begins_within;
    if (!exact.counts) {
        tally.false_positive_count += impact.collides;
        return;
    }
    ++tally.meeting_count;
    ASSERT_TRUE(impact.collides);
    ASSERT_LE(Rational(impact.time), exact.counts->high);
    ASSERT_GE(impact.time, 0);
    // What begins within the separation and comes closer at once has time 0 by the rule. What moves
    // away first has the time at which it is back.
    if (exact.begins_within && exact.comes_closer_at_once) return;
    tally.returning_count += exact.begins_within && exact.counts->low > 0;
    const double early = Rational(exact.counts->low - Rational(impact.time)).get_d();
    tally.early_count += early > 1e-6;
    tally.most_early = std::max(tally.most_early, early);
}

void report(const char* what, const Tally& tally) {
    std::printf(
        "%s: %d queries, %d meet, %d begin within, %d of them return, %d false positives, %d "
        "early, "
        "by %g at most, %d ran out\n",
        what, tally.query_count, tally.meeting_count, tally.within_count, tally.returning_count,
        tally.false_positive_count, tally.early_count, tally.most_early, tally.ran_out_count);
}

template <class MakePoint>
ImpactQuery random_query(bool is_vertex_face, MakePoint make_point) {
    ImpactQuery query{{}, {}, is_vertex_face, false};
    for (int i = 0; i < 4; ++i) {
        query.p0[i] = make_point();
        query.p1[i] = make_point();
    }
    return query;
}

TEST(ImpactSeparation, CertifiedOnRandomMotions) {
    RandomPoints<double> random(1);
    Tally tally;
    for (int i = 0; i < case_count(600); ++i) {
        const double separations[4] = {1e-9, 1e-3, 0.1, 0.6};
        expect_certified(random_query(i % 2 == 0, [&] { return random.in_box(1); }),
                         separations[i / 2 % 4], tally);
    }
    report("random", tally);
    EXPECT_GT(tally.meeting_count, case_count(120));
    EXPECT_GT(tally.within_count, case_count(50));
    EXPECT_GE(tally.returning_count, case_count(5));
    tally.expect_at_most(0, 0, 3e-10);
    EXPECT_LE(tally.ran_out_count * 100, tally.query_count);
}

// Distances that are reached and not undercut, parallel edges, and features that have collapsed.
TEST(ImpactSeparation, CertifiedOnDegenerateMotions) {
    RandomPoints<double> random(2);
    Tally tally;
    for (int i = 0; i < case_count(600); ++i) {
        const int reach = 1 + i % 3;
        expect_certified(random_query(i % 2 == 0, [&] { return random.on_grid(reach); }),
                         i % 3 == 0 ? 1 : (i % 3 == 1 ? 0.5 : 2), tally);
    }
    report("grid", tally);
    EXPECT_GT(tally.meeting_count, case_count(100));
    EXPECT_GT(tally.returning_count, case_count(10));
    // Features that only just reach the distance and move away again are told no better.
    tally.expect_at_most(0, 1, 0.27);
}

TEST(ImpactSeparation, CertifiedWithinOnePlane) {
    RandomPoints<double> random(3);
    Tally tally;
    for (int i = 0; i < case_count(200); ++i) {
        const auto flat = [&] {
            Vec3d p = i % 4 < 2 ? random.in_box(1) : random.on_grid(3);
            p.z = 0;
            return p;
        };
        expect_certified(random_query(i % 2 == 0, flat), i % 3 == 0 ? 0.25 : 0.01, tally);
    }
    report("plane", tally);
    EXPECT_GT(tally.meeting_count, case_count(80));
    tally.expect_at_most(0, 0, 2e-10);
}

// Features of a metre that are a thousand kilometres away, with all that doubles have left there.
TEST(ImpactSeparation, CertifiedFarFromTheOrigin) {
    RandomPoints<double> random(4);
    Tally tally;
    for (int i = 0; i < case_count(200); ++i) {
        const Vec3d far{1e6, -1e6, 1e6};
        expect_certified(random_query(i % 2 == 0, [&] { return random.in_box(1) + far; }),
                         i % 3 == 0 ? 0.2 : 1e-3, tally);
    }
    report("far", tally);
    EXPECT_GT(tally.meeting_count, case_count(20));
    tally.expect_at_most(0, 0, 7e-11);
}

// Both features move as a whole, from within the separation: apart, along each other, or together.
TEST(ImpactSeparation, WhatBeginsWithinMeetsWhereItComesCloser) {
    RandomPoints<double> random(5);
    Tally tally;
    int away_count = 0, closer_count = 0;
    for (int i = 0; i < case_count(600); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.in_box(1); });
        const Vec3d step = i % 3 == 0 ? Vec3d{0, 0, 0} : random.in_box(i % 3 == 1 ? 0.01 : 1);
        for (int k = 0; k < 4; ++k) {
            const bool is_first = k == 0 || (k == 1 && !query.is_vertex_face);
            query.p1[k] = is_first ? query.p0[k] + step : query.p0[k];
        }
        constexpr double kSeparation = 4;  // more than any distance in the box
        expect_certified(query, kSeparation, tally);
        const ExactMeeting exact = exact_meeting(query, kSeparation);
        ASSERT_TRUE(exact.begins_within);
        const ImpactTime impact = impact_of(query, kSeparation);
        if (!exact.counts) {
            ++away_count;
            EXPECT_FALSE(impact.collides);
        } else {
            ++closer_count;
            // The distance of convex features that move evenly is convex in time, so that what
            // comes closer at all does so at once.
            EXPECT_EQ(impact.time, 0);
        }
    }
    report("within", tally);
    EXPECT_GT(away_count, case_count(300));
    EXPECT_GT(closer_count, case_count(100));
    tally.expect_at_most(0, 0, 0);
}

// A vertex above a face, nearer than the separation.
TEST(ImpactSeparation, TheRuleByExample) {
    const auto time_of = [](double height_t0, double height_t1) -> std::optional<double> {
        const Vec3d p0[4] = {{0.25, 0.25, height_t0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        const Vec3d p1[4] = {{0.25, 0.25, height_t1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        const ImpactTime impact = impact_time_vertex_face(p0, p1, 0.5);
        return impact.collides ? std::optional(impact.time) : std::nullopt;
    };
    EXPECT_EQ(time_of(0.25, 1), std::nullopt);      // away, out of the separation
    EXPECT_EQ(time_of(0.25, 0.375), std::nullopt);  // away, within it
    EXPECT_EQ(time_of(0.25, 0.25), std::nullopt);   // at rest
    EXPECT_EQ(time_of(0.25, 0.125), 0.0);           // closer
    EXPECT_EQ(time_of(0.5, 0.25), 0.0);
    EXPECT_EQ(time_of(0, 1), 0.0);  // in contact, which counts whatever happens next
    EXPECT_EQ(time_of(0, 0), 0.0);
    EXPECT_NEAR(*time_of(1, 0), 0.5, 1e-9);
}

// Moves away first, and comes closer than it has begun only later, by turning: the distance is
// (0.25 + 0.05 t) / sqrt(1 + 2.25 t^2), which rises to 0.252 and is 0.25 again at 0.181.
TEST(ImpactSeparation, ComesBack) {
    const ImpactQuery query{{{0, 0, 0.25}, {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}},
                            {{0, 0, 1.8}, {-1, -1, 0}, {1, -1, 0}, {0, 1, 3}},
                            true,
                            false};
    Tally tally;
    expect_certified(query, 0.5, tally);
    EXPECT_EQ(tally.returning_count, 1);
    EXPECT_LT(tally.most_early, 1e-9);
    EXPECT_NEAR(impact_of(query, 0.5).time, 0.025 / 0.138125, 1e-5);
}

// Vertices that rise from within the separation while the face below turns up behind them.
TEST(ImpactSeparation, CertifiedOnWhatComesBack) {
    RandomPoints<double> random(6);
    Tally tally;
    for (int i = 0; i < case_count(400); ++i) {
        ImpactQuery query{{{0, 0, 0.25}, {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}},
                          {{0, 0, 1.8}, {-1, -1, 0}, {1, -1, 0}, {0, 1, 3}},
                          true,
                          false};
        if (i % 2 == 1) {  // two edges, of which the lower one turns up
            query = {{{-1, 0, 0.25}, {1, 0, 0.25}, {0, -1, 0}, {0, 1, 0}},
                     {{-1, 0, 1.8}, {1, 0, 1.8}, {0, -1, 0}, {0, 1, 3}},
                     false,
                     false};
        }
        for (int k = 0; k < 4; ++k) {
            query.p0[k] += random.in_box(0.02);
            query.p1[k] += random.in_box(0.1);
        }
        expect_certified(query, i % 4 < 2 ? 0.5 : 0.26, tally);
    }
    report("back", tally);
    EXPECT_GT(tally.returning_count, case_count(200));
    tally.expect_at_most(0, 1, 2.3e-5);
}

// Small integers of three directions that are perpendicular to each other and 3 long, so that
// distances along them are exact. They are nudged where asked to.
struct ExactFrame {
    Vec3d u{2, 1, -2}, v{2, -2, 1}, n{1, 2, 2};
    RandomPoints<double>& random;
    bool is_nudged;

    Vec3d at(double x, double y, double z) {
        const Vec3d point = u * x + v * y + n * z;
        return is_nudged ? random.nudged(point, 1) : point;
    }
    double number(int reach) {
        return std::floor((random.in_box(1).x * 0.5 + 0.5) * (2 * reach + 1)) - reach;
    }
};
constexpr double kFrameLength = 3;

// A vertex above a face that it stays parallel to, comes down to or rises from; the distance is
// the separation at t0, at t1 or throughout, exactly or but for a rounding error.
TEST(ImpactSeparation, CertifiedOnVerticesParallelToFaces) {
    RandomPoints<double> random(7);
    Tally exact, nudged;
    for (int i = 0; i < case_count(600); ++i) {
        ExactFrame frame{.random = random, .is_nudged = i % 2 == 1};
        const double height_t0 = 1 + i / 2 % 3, height_t1 = 1 + i / 6 % 3;
        ImpactQuery query{{}, {}, true, false};
        const Vec3d slide = i % 5 == 0 ? frame.u * frame.number(2) : Vec3d{0, 0, 0};
        query.p0[0] = frame.at(frame.number(1), frame.number(1), height_t0);
        query.p1[0] = frame.at(frame.number(2), frame.number(2), height_t1);
        const double corners[3][2] = {{-2, -2}, {3, -1}, {-1, 3}};
        for (int k = 1; k < 4; ++k) {
            query.p0[k] = frame.at(corners[k - 1][0], corners[k - 1][1], 0);
            query.p1[k] = query.p0[k] + slide;
        }
        expect_certified(query, (1 + i / 18 % 2) * kFrameLength, frame.is_nudged ? nudged : exact);
    }
    report("vertex parallel to face", exact);
    report("the same, nudged", nudged);
    const int least = case_count(600) == 600 ? 50 : 2;  // a tenth of the cases has by chance fewer
    for (const Tally& tally : {exact, nudged}) {
        EXPECT_GT(tally.within_count, least);
        EXPECT_GT(tally.meeting_count, least);
        EXPECT_GT(tally.query_count - tally.meeting_count, least);
    }
    exact.expect_at_most(0, 0, 3e-14);
    // A distance above the separation by less than doubles tell counts as meeting.
    nudged.expect_at_most(14, 0, 1.2e-7);
}

// Edges that are parallel, the same way or against each other, beside or behind each other.
TEST(ImpactSeparation, CertifiedOnParallelEdges) {
    RandomPoints<double> random(8);
    Tally exact, nudged;
    for (int i = 0; i < case_count(600); ++i) {
        ExactFrame frame{.random = random, .is_nudged = i % 2 == 1};
        ImpactQuery query{{}, {}, false, false};
        const double begin_t0 = frame.number(3), begin_t1 = frame.number(3);
        const double side_t0 = 1 + i / 2 % 3, side_t1 = 1 + i / 6 % 3;
        const double length = i / 3 % 2 == 0 ? 2 : -2;
        for (int k = 0; k < 2; ++k) {
            query.p0[k] = frame.at(begin_t0 + k * length, 0, side_t0);
            query.p1[k] = frame.at(begin_t1 + k * length, 0, side_t1);
            query.p0[2 + k] = query.p1[2 + k] = frame.at(2 * k - 1, 0, 0);
        }
        expect_certified(query, (1 + i / 18 % 2) * kFrameLength, frame.is_nudged ? nudged : exact);
    }
    report("parallel edges", exact);
    report("the same, nudged", nudged);
    for (const Tally& tally : {exact, nudged}) {
        EXPECT_GT(tally.within_count, case_count(40));
        EXPECT_GT(tally.meeting_count, case_count(40));
        EXPECT_GT(tally.query_count - tally.meeting_count, case_count(40));
    }
    exact.expect_at_most(0, 0, 1.1e-7);
    nudged.expect_at_most(19, 0, 1.3e-7);
}

// The separation is the very distance at t0, of any digits, and motions are any.
TEST(ImpactSeparation, CertifiedWhereTheSeparationIsTheDistance) {
    RandomPoints<double> random(9);
    Tally tally;
    for (int i = 0; i < case_count(300); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.in_box(1); });
        const double distance = std::fabs(random.in_box(1).x);
        // The plane of the face, or of both edges, is that of two axes.
        const Vec3d flat_face[4] = {{0.1, 0.2, distance}, {-1, -1, 0}, {1.5, -1, 0}, {0, 2, 0}};
        const Vec3d flat_edges[4] = {{-1, 0, distance}, {1, 0, distance}, {0, -1, 0}, {0, 1, 0}};
        for (int k = 0; k < 4; ++k) {
            query.p0[k] = query.is_vertex_face ? flat_face[k] : flat_edges[k];
            query.p1[k] = query.p0[k] + (i % 3 == 0 ? query.p1[k] * 0.01 : query.p1[k]);
        }
        expect_certified(query, distance, tally);
    }
    report("separation is the distance", tally);
    EXPECT_EQ(tally.within_count, tally.query_count);
    EXPECT_GT(tally.meeting_count, case_count(80));
    EXPECT_GT(tally.query_count - tally.meeting_count, case_count(80));
    tally.expect_at_most(0, 0, 5e-10);
}

// Faces and edges that are segments or points, with distances that integers reach exactly.
TEST(ImpactSeparation, CertifiedOnCollapsedFeatures) {
    RandomPoints<double> random(10);
    Tally tally;
    for (int i = 0; i < case_count(600); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.on_grid(3); });
        const int kind = i / 2 % 4;
        for (Vec3d* p : {query.p0, query.p1}) {
            if (kind == 0) p[3] = p[2];
            if (kind == 1) p[2] = p[1];
            if (kind == 2) p[2] = (p[1] + p[3]) * 0.5;
            if (kind == 3) p[1] = p[2] = p[3];
        }
        expect_certified(query, i % 3 == 0 ? 1 : (i % 3 == 1 ? 0.5 : 2), tally);
    }
    report("collapsed", tally);
    EXPECT_GT(tally.meeting_count, case_count(150));
    EXPECT_GT(tally.query_count - tally.meeting_count, case_count(150));
    tally.expect_at_most(0, 1, 0.017);
}

}  // namespace
}  // namespace graze
