// Compares times of impact with exact rational arithmetic, on random, degenerate and adversarial
// motions.
#include "narrow_phase/features/impact_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "narrow_phase/features/coplanar_times.h"
#include "tests/narrow_phase/features/impact_queries.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::RandomPoints;
using oracle::Rational;

// The results of a batch of queries.
struct Tally {
    int query_count = 0;
    int contact_count = 0;  // by exact arithmetic
    int false_positive_count = 0;
    // By how much reported times are before the exact ones: at most 1e-12, 1e-9, 1e-6, 1e-3, more.
    int early_counts[5] = {};
    double most_early = 0;  // [time steps]
    int ran_out_count = 0;

    void add_early(double early) {
        most_early = std::max(most_early, early);
        int i = 0;
        for (double limit = 1e-12; i < 4 && early > limit; limit *= 1e3)
            ++i;
        ++early_counts[i];
    }
    int miss_count() const { return query_count - contact_count; }

    // The most false positives that there may be, the most times in the last four bins of
    // early_counts, and by how much the worst may be early: what docs/concepts/deforming.md states.
    struct Limits {
        int false_positives, early[4];
        double most_early;
    };
    void expect_at_most(const Limits& limits) const {
        EXPECT_LE(most_early, limits.most_early);
        if (GRAZE_SANITIZED != 0) return;  // too few queries for counts
        EXPECT_LE(false_positive_count, limits.false_positives);
        for (int bin = 0; bin < 4; ++bin)
            EXPECT_LE(early_counts[bin + 1], limits.early[bin]) << "bin " << bin + 1;
    }
};

void expect_certified(const ImpactQuery& query, Tally& tally) {
    const auto exact = oracle::first_contact(contact_formula(query), Rational(0x1p-70));
    const ImpactTime impact = impact_of(query);
    ++tally.query_count;
    tally.ran_out_count += impact.ran_out;
    if (!exact) {
        tally.false_positive_count += impact.collides;
        return;
    }
    ++tally.contact_count;
    ASSERT_TRUE(impact.collides);
    ASSERT_LE(Rational(impact.time), exact->high);
    ASSERT_GE(impact.time, 0);
    tally.add_early(Rational(exact->low - Rational(impact.time)).get_d());
    ASSERT_NEAR(length(impact.normal), length(impact.normal) > 0 ? 1 : 0, 1e-12);
    const double* w = impact.weights;
    for (int i = 0; i < 4; ++i) {
        ASSERT_GE(w[i], 0);
        ASSERT_LE(w[i], 1 + 1e-12);
    }
    ASSERT_NEAR(w[0] + w[1] + w[2] + w[3], 2, 1e-12);
}

void report(const char* what, const Tally& tally) {
    const int* early = tally.early_counts;
    std::printf(
        "%s: %d queries, %d in contact, %d false positives, %d ran out; early by up to 1e-12 %d, "
        "1e-9 %d, 1e-6 %d, 1e-3 %d, more %d; at most %g\n",
        what, tally.query_count, tally.contact_count, tally.false_positive_count,
        tally.ran_out_count, early[0], early[1], early[2], early[3], early[4], tally.most_early);
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

TEST(ImpactTime, CertifiedOnRandomMotions) {
    RandomPoints<double> random(1);
    Tally tally;
    for (int i = 0; i < case_count(1000); ++i)
        expect_certified(random_query(i % 2 == 0, [&] { return random.in_box(1); }), tally);
    report("random", tally);
    EXPECT_GT(tally.contact_count, case_count(60));
    tally.expect_at_most({0, {2, 0, 0, 0}, 3e-12});
    EXPECT_EQ(tally.ran_out_count, 0);
}

// Parallel edges, motions in one plane, collapsed features and contacts at corners and at both ends
// of the step are common where coordinates are small integers.
TEST(ImpactTime, CertifiedOnDegenerateMotions) {
    RandomPoints<double> random(2);
    Tally tally;
    for (int i = 0; i < case_count(2000); ++i) {
        const int reach = 1 + i % 3;
        expect_certified(random_query(i % 2 == 0, [&] { return random.on_grid(reach); }), tally);
    }
    report("grid", tally);
    tally.expect_at_most({0, {2, 0, 0, 0}, 2e-11});
    EXPECT_GT(tally.contact_count, case_count(200));
    EXPECT_GT(tally.miss_count(), case_count(1000));
}

TEST(ImpactTime, CertifiedUlpsBesideDegenerateMotions) {
    RandomPoints<double> random(3);
    Tally tally;
    for (int i = 0; i < case_count(400); ++i)
        expect_certified(random_query(i % 2 == 0,
                                      [&] {
                                          const Vec3d far{1000, -1000, 1000};
                                          return random.nudged(random.on_grid(1) + far, 1);
                                      }),
                         tally);
    report("nudged", tally);
    tally.expect_at_most({1, {0, 2, 0, 1}, 0.5});
    EXPECT_GT(tally.miss_count(), case_count(200));
    EXPECT_GT(tally.contact_count, case_count(40));
}

TEST(ImpactTime, CertifiedWithinOnePlane) {
    RandomPoints<double> random(4);
    Tally tally;
    for (int i = 0; i < case_count(200); ++i)
        expect_certified(random_query(i % 2 == 0,
                                      [&] {
                                          Vec3d p =
                                              i % 4 < 2 ? random.in_box(1) : random.on_grid(3);
                                          p.z = 0;
                                          return p;
                                      }),
                         tally);
    report("plane", tally);
    tally.expect_at_most({0, {0, 0, 0, 1}, 0.007});
    EXPECT_GT(tally.miss_count(), GRAZE_SANITIZED != 0 ? 3 : 50);  // the first 20 have 4
    EXPECT_GT(tally.contact_count, case_count(80));
}

// Where nothing moves, features are in contact from the beginning, at time 0, or never.
TEST(ImpactTime, WithoutMotion) {
    RandomPoints<double> random(5);
    int contact_count = 0;
    for (int i = 0; i < case_count(2000); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.on_grid(2); });
        std::copy(query.p0, query.p0 + 4, query.p1);
        const bool meets = collides_exactly(query);
        const ImpactTime impact = impact_of(query);
        ASSERT_EQ(impact.collides, meets);
        ASSERT_EQ(impact.time, meets ? 0 : 1);
        contact_count += meets;
    }
    EXPECT_GT(contact_count, case_count(50));
}

// The first point is aimed exactly at a point of the other feature at an exact time, or an ulp
// beside it.
TEST(ImpactTime, CertifiedOnGrazes) {
    RandomPoints<double> random(6);
    Tally tally;
    for (int i = 0; i < case_count(800); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.on_grid(8); });
        const auto half_way = [&](int k) { return (query.p0[k] + query.p1[k]) * 0.5; };
        // The target is a corner or the middle of a side.
        const Vec3d target = i % 3 == 0 ? half_way(3) : (half_way(3) + half_way(2)) * 0.5;
        query.p1[0] = target * 2.0 - query.p0[0];
        if (i % 5 == 0) query.p1[0] = target;  // arrives at the end of the step
        if (i % 5 == 1) query.p0[0] = (query.p0[2] + query.p0[3]) * 0.5;  // touches at its start
        if (i % 4 >= 2) query.p1[0] = random.nudged(query.p1[0], 1);
        expect_certified(query, tally);
        if (i % 5 != 1) continue;
        ASSERT_EQ(impact_of(query).time, 0);
    }
    report("grazes", tally);
    tally.expect_at_most({3, {6, 0, 0, 0}, 2e-11});
    EXPECT_GT(tally.contact_count, case_count(400));
    EXPECT_GT(tally.miss_count(), case_count(200));
}

// In a step of half a turn every point moves through the axis.
TEST(ImpactTime, CertifiedOnSpins) {
    RandomPoints<double> random(7);
    Tally tally;
    for (int i = 0; i < case_count(1500); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.in_box(1); });
        const Vec3d centre = random.in_box(1);
        const int turning = i % 4 < 2 ? 1 : 2;  // the count of features that turn
        for (int k = 0; k < 4; ++k) {
            const bool is_first = k == 0 || (k == 1 && !query.is_vertex_face);
            const Vec3d arm = query.p0[k] - centre;
            query.p1[k] = is_first || turning == 2
                              ? centre + Vec3d{-arm.x, -arm.y, arm.z + 0.1 * (i % 3)}
                              : query.p0[k];
        }
        expect_certified(query, tally);
    }
    report("spins", tally);
    tally.expect_at_most({150, {2, 7, 0, 0}, 6e-7});
    EXPECT_GT(tally.contact_count, case_count(250));
    EXPECT_GT(tally.miss_count(), case_count(1000));
}

// Copies of a mesh and vertices that are doubled along seams meet from the beginning, whatever they
// do next: at time 0, without a normal, in the very point that they share.
TEST(ImpactTime, FeaturesThatBeginAtOnePointMeetThere) {
    RandomPoints<double> random(13);
    Tally tally;
    for (int i = 0; i < case_count(1000); ++i) {
        ImpactQuery query = random_query(
            i % 2 == 0, [&] { return i % 3 == 0 ? random.on_grid(2) : random.in_box(1); });
        const int first = query.is_vertex_face ? 0 : i / 2 % 2;
        const int second = query.is_vertex_face ? 1 + i / 2 % 3 : 2 + i / 4 % 2;
        query.p0[first] = query.p0[second];
        if (i % 5 == 0) query.p1[first] = query.p1[second];
        if (i % 7 == 0 && !query.is_vertex_face) query.p0[1 - first] = query.p0[5 - second];
        expect_certified(query, tally);
        for (const double min_separation : {0.0, 1e-3}) {
            const ImpactTime impact = impact_of(query, min_separation);
            ASSERT_TRUE(impact.collides);
            ASSERT_FALSE(impact.ran_out);
            ASSERT_EQ(impact.time, 0);
            const double* w = impact.weights;
            Vec3d gap{0, 0, 0};
            for (int k = 0; k < 4; ++k)
                gap += query.p0[k] * (k < (query.is_vertex_face ? 1 : 2) ? w[k] : -w[k]);
            ASSERT_LT(length(gap), 1e-14) << i;
        }
        const ImpactTime none = query.is_vertex_face
                                    ? impact_time_vertex_face(query.p0, query.p1, 0.0, 0.0)
                                    : impact_time_edge_edge(query.p0, query.p1, 0.0, 0.0);
        ASSERT_FALSE(none.collides);
        ASSERT_TRUE(none.is_late);
    }
    report("at one point", tally);
    EXPECT_EQ(tally.contact_count, tally.query_count);
    EXPECT_EQ(tally.most_early, 0);
}

TEST(ImpactTime, CertifiedOnCollapsedFeatures) {
    RandomPoints<double> random(8);
    Tally tally;
    for (int i = 0; i < case_count(800); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.on_grid(3); });
        const int kind = i / 2 % 4;
        for (Vec3d* p : {query.p0, query.p1}) {
            if (kind == 0) p[3] = p[2];  // an edge, or a point
            if (kind == 1) p[2] = p[1];
            if (kind == 2) p[2] = (p[1] + p[3]) * 0.5;  // a face that is a segment
            if (kind == 3) p[1] = p[2] = p[3];          // nothing but a point
        }
        if (i % 8 >= 6 && kind != 3) query.p1[0] = query.p1[3];
        expect_certified(query, tally);
    }
    report("collapsed", tally);
    tally.expect_at_most({0, {0, 0, 0, 0}, 1e-15});
    EXPECT_GT(tally.contact_count, case_count(100));
    EXPECT_GT(tally.miss_count(), case_count(400));
}

// The answer is the same for the same motion in other units.
TEST(ImpactTime, CertifiedForHugeAndTinyCoordinates) {
    RandomPoints<double> random(9);
    int contact_count = 0;
    for (int i = 0; i < case_count(2000); ++i) {
        ImpactQuery query = random_query(i % 2 == 0, [&] { return random.in_box(1); });
        const ImpactTime impact = impact_of(query);
        contact_count += impact.collides;
        for (const int exponent : {-1000, -400, -101, 3, 99, 350, 1022}) {
            ImpactQuery scaled = query;
            for (int k = 0; k < 4; ++k)
                for (int axis = 0; axis < 3; ++axis) {
                    scaled.p0[k][axis] = std::ldexp(query.p0[k][axis], exponent);
                    scaled.p1[k][axis] = std::ldexp(query.p1[k][axis], exponent);
                }
            const ImpactTime other = impact_of(scaled);
            ASSERT_EQ(other.collides, impact.collides) << exponent;
            // Numbers of 2^-1000 lose bits to their exponent.
            ASSERT_NEAR(other.time, impact.time, 1e-6) << exponent;
        }
    }
    EXPECT_GT(contact_count, case_count(200));
    Tally tally;
    for (int i = 0; i < case_count(1000); ++i)
        expect_certified(random_query(i % 2 == 0, [&] { return random.over_exponents(-40, 40); }),
                         tally);
    report("exponents", tally);
    tally.expect_at_most({26, {21, 23, 12, 8}, 1});
    EXPECT_GT(tally.contact_count, GRAZE_SANITIZED != 0 ? 14 : 150);  // the first 100 have 15
    EXPECT_GT(tally.miss_count(), case_count(600));
}

TEST(ImpactTime, FloatsAreUsedAsGiven) {
    RandomPoints<float> random(10);
    for (int i = 0; i < case_count(2000); ++i) {
        Vec3 p0[4], p1[4];
        ImpactQuery query{{}, {}, i % 2 == 0, false};
        for (int k = 0; k < 4; ++k) {
            p0[k] = random.in_box(1);
            p1[k] = random.in_box(1);
            query.p0[k] = static_cast<Vec3d>(p0[k]);
            query.p1[k] = static_cast<Vec3d>(p1[k]);
        }
        const ImpactTime narrow = query.is_vertex_face ? impact_time_vertex_face(p0, p1, 0)
                                                       : impact_time_edge_edge(p0, p1, 0);
        const ImpactTime wide = impact_of(query);
        ASSERT_EQ(narrow.collides, wide.collides);
        ASSERT_EQ(narrow.time, wide.time);
        ASSERT_EQ(narrow.normal, wide.normal);
    }
}

// Beyond rounding, times do not depend on which feature comes first, on the order of corners, on
// a mirror or on the names of the axes.
TEST(ImpactTime, Symmetries) {
    RandomPoints<double> random(11);
    int contact_count = 0;
    for (int i = 0; i < case_count(2000); ++i) {
        const ImpactQuery query = random_query(i % 2 == 0, [&] { return random.in_box(1); });
        const ImpactTime impact = impact_of(query);
        contact_count += impact.collides;
        ImpactQuery swapped = query, mirrored = query, turned = query;
        const int order[2][4] = {{2, 3, 0, 1}, {0, 2, 3, 1}};
        for (int k = 0; k < 4; ++k) {
            const int from = order[query.is_vertex_face ? 1 : 0][k];
            swapped.p0[k] = query.p0[from];
            swapped.p1[k] = query.p1[from];
            for (Vec3d* p : {mirrored.p0, mirrored.p1})
                p[k].x = -p[k].x;
            for (Vec3d* p : {turned.p0, turned.p1})
                p[k] = {p[k].y, p[k].z, p[k].x};
        }
        for (const ImpactQuery& other : {swapped, mirrored, turned}) {
            const ImpactTime again = impact_of(other);
            ASSERT_EQ(again.collides, impact.collides);
            ASSERT_NEAR(again.time, impact.time, 1e-6);
        }
        const ImpactTime mirror = impact_of(mirrored);
        ASSERT_NEAR(mirror.normal.x, -impact.normal.x, 1e-4);
        ASSERT_NEAR(mirror.normal.y, impact.normal.y, 1e-4);
    }
    EXPECT_GT(contact_count, case_count(200));
}

// A limit leaves out what is not before it, and changes nothing of what is.
TEST(ImpactTime, LimitsLeaveOutWhatComesLater) {
    RandomPoints<double> random(12);
    int left_out_count = 0;
    for (int i = 0; i < case_count(2000); ++i) {
        const ImpactQuery query = random_query(i % 2 == 0, [&] { return random.in_box(1); });
        const double min_separation = i % 3 == 0 ? 0.2 : 0, limit = i % 10 * 0.1;
        const ImpactTime impact = impact_of(query, min_separation);
        const ImpactTime limited =
            query.is_vertex_face
                ? impact_time_vertex_face(query.p0, query.p1, min_separation, limit)
                : impact_time_edge_edge(query.p0, query.p1, min_separation, limit);
        if (limited.collides) {
            ASSERT_EQ(limited.time, impact.time);
            ASSERT_EQ(limited.normal, impact.normal);
        } else {
            ASSERT_TRUE(!impact.collides || impact.time >= limit);
            left_out_count += impact.collides;
        }
    }
    EXPECT_GT(left_out_count, case_count(100));
}

// The normal points to the side from which the first feature comes.
TEST(ImpactTime, NormalAndWeights) {
    const Vec3d p0[4] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const Vec3d p1[4] = {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const ImpactTime impact = impact_time_vertex_face(p0, p1, 0.0);
    ASSERT_TRUE(impact.collides);
    EXPECT_FALSE(impact.ran_out);
    EXPECT_NEAR(impact.time, 0.5, 1e-12);
    EXPECT_NEAR(impact.normal.z, 1, 1e-12);
    EXPECT_NEAR(impact.weights[1], 0.5, 1e-12);
    EXPECT_NEAR(impact.weights[2], 0.25, 1e-12);
    EXPECT_NEAR(impact_time_vertex_face(p0, p1, 0.5).time, 0.25, 1e-12);
    EXPECT_NEAR(impact_time_vertex_face(p1, p0, 0.5).normal.z, -1, 1e-12);
    EXPECT_EQ(impact_time_vertex_face(p0, p1, 1.0).time, 0);
    const ImpactTime cubic = cubic_time_vertex_face(p0, p1, 0.0);
    EXPECT_NEAR(cubic.time, 0.5, 1e-12);
    EXPECT_NEAR(cubic.normal.z, 1, 1e-12);
}

}  // namespace
}  // namespace graze
