// Pairs that are ruled out do not meet by exact arithmetic, in float, double and lanes.
#include "narrow_phase/features/may_meet.h"

#include <gtest/gtest.h>

#include "narrow_phase/features/impact_time.h"
#include "narrow_phase/features/may_meet_lanes.h"
#include "narrow_phase/features/pair_sieve.h"
#include "tests/narrow_phase/features/impact_queries.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::RandomPoints;

struct FloatPair {
    Vec3 p0[4], p1[4];
};

ImpactQuery widened(const FloatPair& pair, bool is_vertex_face) {
    ImpactQuery query{{}, {}, is_vertex_face, false};
    for (int i = 0; i < 4; ++i) {
        query.p0[i] = static_cast<Vec3d>(pair.p0[i]);
        query.p1[i] = static_cast<Vec3d>(pair.p1[i]);
    }
    return query;
}

// The certified time may find a contact where there is none, so exact arithmetic decides then.
bool meets_exactly(const ImpactQuery& query) {
    return impact_of(query).collides && collides_exactly(query);
}

std::uint32_t may_meet_in_lanes(const FloatPair (&pairs)[8], bool is_vertex_face,
                                float min_separation, float coordinate_error = 0) {
    Vec3T<Float8> p0[4], p1[4];
    for (int i = 0; i < 4; ++i)
        for (int axis = 0; axis < 3; ++axis)
            for (int lane = 0; lane < kLaneCount; ++lane) {
                p0[i][axis][lane] = pairs[lane].p0[i][axis];
                p1[i][axis][lane] = pairs[lane].p1[i][axis];
            }
    return is_vertex_face ? may_meet_vertex_face(p0, p1, min_separation, coordinate_error)
                          : may_meet_edge_edge(p0, p1, min_separation, coordinate_error);
}

bool may_meet_alone(const FloatPair& pair, bool is_vertex_face, float min_separation) {
    return is_vertex_face ? may_meet_vertex_face(pair.p0, pair.p1, min_separation)
                          : may_meet_edge_edge(pair.p0, pair.p1, min_separation);
}
bool may_meet_alone(const ImpactQuery& query, double min_separation) {
    return query.is_vertex_face ? may_meet_vertex_face(query.p0, query.p1, min_separation)
                                : may_meet_edge_edge(query.p0, query.p1, min_separation);
}

struct Share {
    int ruled_out_count = 0, contact_count = 0;
};

template <class MakePoint>
Share expect_no_contact_ruled_out(int batch_count, MakePoint make_point) {
    Share share;
    for (int batch = 0; batch < batch_count; ++batch) {
        const bool is_vertex_face = batch % 2 == 0;
        FloatPair pairs[8];
        for (FloatPair& pair : pairs)
            for (int i = 0; i < 4; ++i) {
                pair.p0[i] = make_point();
                pair.p1[i] = make_point();
            }
        const std::uint32_t may_meet = may_meet_in_lanes(pairs, is_vertex_face, 0);
        for (int lane = 0; lane < kLaneCount; ++lane) {
            const ImpactQuery query = widened(pairs[lane], is_vertex_face);
            const bool meets = meets_exactly(query), may = (may_meet >> lane & 1) != 0;
            EXPECT_LE(meets, may);
            EXPECT_LE(meets, may_meet_alone(query, 0.0));
            // A pair alone has the same answer in the same arithmetic.
            EXPECT_EQ(may, may_meet_alone(pairs[lane], is_vertex_face, 0.0f));
            share.ruled_out_count += !may;
            share.contact_count += meets;
        }
    }
    return share;
}

TEST(MayMeet, NeverRulesOutContacts) {
    RandomPoints<float> random(1);
    const int count = case_count(200);
    const Share spread_out = expect_no_contact_ruled_out(count, [&] { return random.in_box(1); });
    EXPECT_GT(spread_out.ruled_out_count, count * 2);
    EXPECT_GT(spread_out.contact_count, count / 2);
    const Share on_grid = expect_no_contact_ruled_out(count, [&] { return random.on_grid(2); });
    EXPECT_GT(on_grid.ruled_out_count, count);
    EXPECT_GT(on_grid.contact_count, count / 2);
    expect_no_contact_ruled_out(
        count, [&] { return random.nudged(random.on_grid(1) + Vec3{100, 1000, -10}, 1); });
}

TEST(MayMeet, HugeAndTinyNumbers) {
    RandomPoints<float> random(2);
    for (const int exponent : {-149, -130, -60, -40, 20, 42, 100, 127})
        expect_no_contact_ruled_out(case_count(50), [&] {
            const Vec3 p = random.on_grid(3);
            return Vec3{std::ldexp(p.x / 4, exponent), std::ldexp(p.y / 4, exponent),
                        std::ldexp(p.z / 4, exponent)};
        });
    expect_no_contact_ruled_out(case_count(50), [&] { return random.over_exponents(-60, 40); });
}

// A pair that is ruled out for a separation is not so near at any time.
TEST(MayMeet, MinSeparation) {
    RandomPoints<float> random(3);
    int ruled_out_count = 0;
    for (int batch = 0; batch < case_count(1000); ++batch) {
        const bool is_vertex_face = batch % 2 == 0;
        const float min_separation = 0.25f * static_cast<float>(batch % 5);
        FloatPair pairs[8];
        for (FloatPair& pair : pairs)
            for (int i = 0; i < 4; ++i) {
                pair.p0[i] = random.in_box(1);
                pair.p1[i] = random.in_box(1);
            }
        const std::uint32_t may_meet = may_meet_in_lanes(pairs, is_vertex_face, min_separation);
        for (int lane = 0; lane < kLaneCount; ++lane) {
            const ImpactQuery query = widened(pairs[lane], is_vertex_face);
            const bool may = (may_meet >> lane & 1) != 0;
            EXPECT_LE(impact_of(query, min_separation).collides, may);
            EXPECT_EQ(may, may_meet_alone(pairs[lane], is_vertex_face, min_separation));
            EXPECT_LE(impact_of(query, min_separation).collides,
                      may_meet_alone(query, double(min_separation)));
            ruled_out_count += !may;
        }
    }
    EXPECT_GT(ruled_out_count, case_count(500));
}

// Doubles are rounded to float, with a bound of that error.
TEST(MayMeet, RoundedCoordinates) {
    RandomPoints<double> random(4);
    int ruled_out_count = 0;
    for (int batch = 0; batch < case_count(300); ++batch) {
        const bool is_vertex_face = batch % 2 == 0;
        const double far = batch % 3 == 0 ? 1000 : 1;
        ImpactQuery queries[8];
        FloatPair pairs[8];
        for (int lane = 0; lane < kLaneCount; ++lane) {
            queries[lane].is_vertex_face = is_vertex_face;
            for (int i = 0; i < 4; ++i) {
                queries[lane].p0[i] = random.in_box(1e-3) + Vec3d{far, far, far};
                queries[lane].p1[i] = random.in_box(1e-3) + Vec3d{far, far, far};
                pairs[lane].p0[i] = static_cast<Vec3>(queries[lane].p0[i]);
                pairs[lane].p1[i] = static_cast<Vec3>(queries[lane].p1[i]);
            }
        }
        const float error = static_cast<float>((far + 1) * 0x1p-24);
        const std::uint32_t may_meet = may_meet_in_lanes(pairs, is_vertex_face, 0, error);
        for (int lane = 0; lane < kLaneCount; ++lane) {
            const bool may = (may_meet >> lane & 1) != 0;
            EXPECT_LE(meets_exactly(queries[lane]), may);
            ruled_out_count += !may;
        }
    }
    EXPECT_GT(ruled_out_count, case_count(150));
}

TEST(MovingVertexLanes, GatherIsWhatItReads) {
    std::vector<MovingVertex> vertices(100);
    for (std::size_t i = 0; i < vertices.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            vertices[i].t0[axis] = static_cast<float>(10 * i + axis);
            vertices[i].t1[axis] = static_cast<float>(10 * i + axis + 5);
        }
    const std::uint32_t indices[8] = {7, 99, 0, 3, 3, 50, 81, 12};
    const MovingVertexLanes lanes = gather_moving_vertices(vertices.data(), indices);
    for (int lane = 0; lane < 8; ++lane)
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(lanes.t0[axis][lane], static_cast<float>(10 * indices[lane]) + axis);
            EXPECT_EQ(lanes.t1[axis][lane], static_cast<float>(10 * indices[lane]) + axis + 5);
        }
}

// The sieve, which takes pairs one by one, leaves the pairs that may meet.
TEST(PairSieve, KeepsWhatMayMeet) {
    RandomPoints<float> random(5);
    std::vector<Vec3> p0(300), p1(300);
    std::vector<MovingVertex> vertices;
    for (std::size_t i = 0; i < p0.size(); ++i) {
        p0[i] = random.in_box(1);
        p1[i] = p0[i] + random.in_box(0.5f);
        vertices.push_back(moving_vertex(p0[i], p1[i]));
    }
    for (const int pair_count : {0, 1, 7, 8, 9, 1003}) {
        PairSieve<FeaturePair::edge_edge, int> sieve;
        const SievedMotion motion{vertices.data()};
        std::vector<int> kept, expected;
        const auto keep = [&](int pair) { kept.push_back(pair); };
        for (int i = 0; i < pair_count; ++i) {
            PairVertices pair;
            FloatPair points;
            for (int k = 0; k < 4; ++k) {
                pair.v[k] = static_cast<std::uint32_t>(random.integer(0, 299));
                points.p0[k] = p0[pair.v[k]];
                points.p1[k] = p1[pair.v[k]];
            }
            if (may_meet_alone(points, false, 0)) expected.push_back(i);
            sieve.add(motion, pair, i, keep);
        }
        sieve.finish(motion, keep);
        std::sort(kept.begin(), kept.end());
        EXPECT_EQ(kept, expected);
        EXPECT_TRUE(pair_count < 1000 || (kept.size() > 50 && kept.size() < 900)) << kept.size();
    }
}

}  // namespace
}  // namespace graze
