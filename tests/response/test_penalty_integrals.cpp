// Impulses of points against adaptive quadrature in double precision and against closed forms.
#include "response/penalty_integrals.h"

#include <gtest/gtest.h>

#include <random>

#include "field/field_program.h"
#include "tests/oracle/penalty_oracle.h"

namespace graze {
namespace {

using testing::OracleBody;
using testing::OracleContact;
using testing::OracleDistance;
using testing::OracleImpulse;

Quat in_float(const Quatd& q) {
    return {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
            static_cast<float>(q.z)};
}

// The same contact as the library takes it.
PenaltySide side_of(const OracleContact& c, int piece_count = 1) {
    PenaltySide side{};
    side.points_t0 = in_float(c.points.rotation_t0);
    side.points_t1 = in_float(c.points.rotation_t1);
    side.field_t0 = in_float(c.field.rotation_t0);
    side.field_t1 = in_float(c.field.rotation_t1);
    side.points_centre = side.field_centre = Vec3{0, 0, 0};
    side.points_scale = side.field_scale = 1;
    side.offset_t0 = static_cast<Vec3>(c.points.centre_t0 - c.field.centre_t0);
    side.offset_t1 = static_cast<Vec3>(c.points.centre_t1 - c.field.centre_t1);
    side.velocity_t0 = static_cast<Vec3>(c.points.velocity_t0 - c.field.velocity_t0);
    side.velocity_t1 = static_cast<Vec3>(c.points.velocity_t1 - c.field.velocity_t1);
    side.points_turn_t0 = static_cast<Vec3>(c.points.turn_t0);
    side.points_turn_t1 = static_cast<Vec3>(c.points.turn_t1);
    side.field_turn_t0 = static_cast<Vec3>(c.field.turn_t0);
    side.field_turn_t1 = static_cast<Vec3>(c.field.turn_t1);
    side.field_turns = length_sq(side.field_turn_t0) + length_sq(side.field_turn_t1) > 0;
    side.duration = static_cast<float>(c.duration);
    side.friction = static_cast<float>(c.friction);
    side.piece_count = piece_count;
    return side;
}
PenaltyLaw law_of(const OracleContact& c) {
    return {static_cast<float>(c.stiffness), static_cast<float>(c.damping),
            static_cast<float>(c.level), c.limits_damping,
            c.is_linear ? PenaltyInterpolation::linear : PenaltyInterpolation::acceleration};
}

// A body that goes on from t0 by the velocities of t1.
OracleBody moving(const Vec3d& centre, const Quatd& rotation, const Vec3d& velocity_t0,
                  const Vec3d& velocity_t1, const Vec3d& turn_t0, const Vec3d& turn_t1,
                  double duration) {
    return {centre,      centre + velocity_t1 * duration,
            rotation,    testing::oracle_turned(rotation, turn_t1 * duration),
            velocity_t0, velocity_t1,
            turn_t0,     turn_t1};
}

const Vec3d kNone{0, 0, 0};

// A point that goes straight at constant velocity past a fixed body.
OracleContact straight(const Vec3d& from, const Vec3d& velocity, double duration) {
    OracleContact c;
    c.points = moving(from, Quatd::identity(), velocity, velocity, kNone, kNone, duration);
    c.field = moving(kNone, Quatd::identity(), kNone, kNone, kNone, kNone, duration);
    c.point = kNone;
    c.duration = duration;
    c.stiffness = 1000;
    c.damping = 0;
    c.level = 0;
    c.friction = 0.5;
    c.limits_damping = false;
    c.is_linear = false;
    return c;
}

void expect_near(const Vec3& found, const Vec3d& expected, double tolerance, const char* what) {
    EXPECT_LE(length(static_cast<Vec3d>(found) - expected), tolerance)
        << what << ": " << found.x << " " << found.y << " " << found.z << " instead of "
        << expected.x << " " << expected.y << " " << expected.z;
}

TEST(PenaltyIntegrals, APointEntersAPlane) {
    // The depth is v (t - 0.4 h) from 0.4 h on: k v (0.6 h)^2 / 2, and damping -c v for 0.6 h.
    const double h = 0.01, v = 3;
    for (const bool is_linear : {false, true}) {
        OracleContact c = straight({0.2, 0, 0.4 * h * v}, {1, 0, -v}, h);
        c.is_linear = is_linear;
        c.point = {0.5, 0.25, 0};
        c.damping = 7;
        const Field plane = Field::plane({0, 0, 1}, 0);
        const PointImpulse found =
            integrate_penalty(view_of(plane), side_of(c), law_of(c), static_cast<Vec3>(c.point));
        const double inside = 0.6 * h;
        const Vec3d impulse{-7 * inside, 0, 1000 * v * inside * inside / 2 + 7 * v * inside};
        expect_near(found.impulse, impulse, 1e-5 * length(impulse), "impulse");
        // The handle of the point does not change, that of the plane does.
        const Vec3d moment = cross(c.point, impulse);
        expect_near(found.moment_points, moment, 1e-5 * length(moment), "moment");
        EXPECT_NEAR(found.depth, v * inside * (1 - 0.5 / 20), 1e-6);
    }
}

TEST(PenaltyIntegrals, APointPassesThroughASphere) {
    // At a distance b from the centre, through a chord of half length L. Along the way forces
    // cancel; across it they add up to 2 k b (R asinh(L / b) - L) / v.
    const double radius = 0.5, b = 0.2, v = 100, h = 0.02;
    const OracleContact c = straight({-1, b, 0}, {v, 0, 0}, h);
    const Field sphere = Field::sphere({0, 0, 0}, static_cast<float>(radius));
    const PointImpulse found =
        integrate_penalty(view_of(sphere), side_of(c), law_of(c), Vec3{0, 0, 0});
    const double half = std::sqrt(radius * radius - b * b);
    const double across = 2 * c.stiffness * b * (radius * std::asinh(half / b) - half) / v;
    expect_near(found.impulse, {0, across, 0}, 2e-3 * across, "impulse");
    // The middles of the two parts next to the deepest point are L / 20 away from it.
    EXPECT_NEAR(found.depth, radius - std::hypot(b, half / kPenaltyParts), 1e-5);
    // At a step's end there is nothing of it: the discrete method lets the point pass.
    const PointImpulse sampled =
        sample_penalty(view_of(sphere), side_of(c), law_of(c), Vec3{0, 0, 0});
    EXPECT_EQ(sampled.impulse, (Vec3{0, 0, 0}));
    EXPECT_EQ(sampled.depth, 0);
}

TEST(PenaltyIntegrals, ALevelAboveZeroActsEarlier) {
    const double h = 0.01;
    OracleContact c = straight({0, 0, 0.03}, {0, 0, -1}, h);
    c.level = 0.05;
    const Field plane = Field::plane({0, 0, 1}, 0);
    const PointImpulse found =
        integrate_penalty(view_of(plane), side_of(c), law_of(c), Vec3{0, 0, 0});
    EXPECT_NEAR(found.impulse.z, 1000 * (0.02 + 0.005) * h, 1e-5);
}

TEST(PenaltyIntegrals, TheDiscreteForceIsThatOfTheEnd) {
    OracleContact c = straight({0, 0, 0.01}, {2, 0, -4}, 0.01);
    c.damping = 3;
    const Field plane = Field::plane({0, 0, 1}, 0);
    const PointImpulse found = sample_penalty(view_of(plane), side_of(c), law_of(c), Vec3{0, 0, 0});
    expect_near(found.impulse, Vec3d{-3.0 * 2, 0, 1000 * 0.03 + 3 * 4} * 0.01, 1e-6, "impulse");
    EXPECT_NEAR(found.depth, 0.03, 1e-7);
}

// Damping neither pulls nor holds more than friction does.
TEST(PenaltyIntegrals, LimitedDamping) {
    const double h = 1e-4;
    const Field plane = Field::plane({0, 0, 1}, 0);
    OracleContact leaving = straight({0, 0, -0.01}, {0, 0, 5}, h);
    leaving.damping = 100;
    EXPECT_LT(integrate_penalty(view_of(plane), side_of(leaving), law_of(leaving), Vec3{0, 0, 0})
                  .impulse.z,
              0);
    leaving.limits_damping = true;
    EXPECT_EQ(
        integrate_penalty(view_of(plane), side_of(leaving), law_of(leaving), Vec3{0, 0, 0}).impulse,
        (Vec3{0, 0, 0}));
    OracleContact sliding = straight({0, 0, -0.01}, {5, 0, 0}, h);
    sliding.damping = 100;
    sliding.limits_damping = true;
    const PointImpulse held =
        integrate_penalty(view_of(plane), side_of(sliding), law_of(sliding), Vec3{0, 0, 0});
    EXPECT_NEAR(held.impulse.z, 1000 * 0.01 * h, 1e-8);
    EXPECT_NEAR(held.impulse.x, -0.5 * held.impulse.z, 1e-8) << "Coulomb's friction";
}

struct OracleShape {
    Field field;
    std::function<OracleDistance(const Vec3d&)> distance;
};

std::vector<OracleShape> oracle_shapes() {
    return {{Field::sphere({0, 0, 0}, 0.5f),
             [](const Vec3d& p) { return OracleDistance{length(p) - 0.5, normalized(p)}; }},
            {Field::plane({0, 0, 1}, 0.1f),
             [](const Vec3d& p) { return OracleDistance{p.z - 0.1f, Vec3d{0, 0, 1}}; }},
            {Field::torus(0.5f, 0.2f), [](const Vec3d& p) {
                 const double around = std::hypot(p.x, p.y);
                 const Vec3d ring = Vec3d{p.x, p.y, 0} * (0.5 / around);
                 return OracleDistance{length(p - ring) - 0.2f, normalized(p - ring)};
             }}};
}

// Both bodies move and turn, in both interpolations, with and without limits.
TEST(PenaltyIntegrals, AgreeWithAdaptiveQuadrature) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto vector = [&](double size) {
        return Vec3d{unit(random), unit(random), unit(random)} * size;
    };
    int touching = 0, kink_count = 0;
    for (int i = 0; i < 240; ++i) {
        const std::vector<OracleShape> shapes = oracle_shapes();
        const OracleShape& shape = shapes[static_cast<std::size_t>(i % 3)];
        OracleContact c;
        c.duration = 0.02;
        const auto body = [&](const Vec3d& centre) {
            // One by one, as compilers draw arguments in different orders.
            const Vec3d velocity = vector(20), turn = vector(10), more = vector(4);
            const Vec3d more_turn = vector(2), axis = vector(1);
            return moving(centre, normalized(Quatd{1, axis.x, axis.y, axis.z}), velocity,
                          velocity + more, turn, turn + more_turn, c.duration);
        };
        const Vec3d start = vector(0.6);
        c.points = body(start);
        c.field = body(kNone);
        c.point = vector(0.3);
        c.distance = shape.distance;
        c.stiffness = 500;
        c.damping = i % 2 == 0 ? 0 : 5;
        c.level = i % 5 == 0 ? 0.05 : 0;
        c.friction = 0.4;
        c.limits_damping = i % 7 == 0;
        c.is_linear = i % 4 < 2;
        const OracleImpulse expected = testing::oracle_impulse(c);
        const PointImpulse found = integrate_penalty(view_of(shape.field), side_of(c), law_of(c),
                                                     static_cast<Vec3>(c.point));
        touching += length(expected.impulse) > 0 ? 1 : 0;
        // The midpoint rule with 20 parts. Where a path passes a kink, as near the middle of a
        // sphere, where the normal flips, the force of one part may be off by twice itself over
        // half of the part. Such paths are few.
        const double scale = c.duration * (c.stiffness * 0.3 + c.damping * 30);
        double tolerance = 1e-3 * scale;
        if (length(static_cast<Vec3d>(found.impulse) - expected.impulse) > tolerance) {
            ++kink_count;
            const double part = c.duration / kPenaltyParts;
            tolerance += part * c.stiffness * static_cast<double>(found.depth);
        }
        expect_near(found.impulse, expected.impulse, tolerance, "impulse");
        expect_near(found.moment_points, expected.moment_points, tolerance, "moment on points");
        expect_near(found.moment_field, expected.moment_field, 2 * tolerance, "moment on field");
    }
    EXPECT_GT(touching, 100);
    EXPECT_LE(kink_count, touching / 20);
}

// A force that acts on both bodies at one place has no torque about any point together.
TEST(PenaltyIntegrals, ForcesOfAPairTurnNothingTogether) {
    OracleContact c = straight({0.1, 0.2, 0.005}, {2, 1, -1}, 0.01);
    c.damping = 3;
    const Field plane = Field::plane({0, 0, 1}, 0);
    const PenaltySide side = side_of(c);
    const PointImpulse one = integrate_penalty(view_of(plane), side, law_of(c), Vec3{0, 0, 0});
    const PointImpulse moved = integrate_penalty(view_of(plane), side, law_of(c), Vec3{0.3f, 0, 0});
    EXPECT_GT(length(one.impulse), 0);
    // About the plane's centre: the moment on the plane and that of the point's force vanish.
    const Vec3 total =
        moved.moment_field + moved.moment_points - one.moment_field - one.moment_points;
    EXPECT_LE(length(total), 1e-6f);
}

// A blade's tip goes around a quarter of a circle and back out of the slab that the chord misses.
TEST(PenaltyIntegrals, PiecesFollowACurvedPath) {
    const double h = 0.01, turn = 1.5 / h;
    OracleContact c = straight({0, 0, 0}, kNone, h);
    const double begin = -0.75;
    const Quatd start = Quatd::from_axis_angle(Vec3d{0, 1, 0}, begin);
    c.points = moving({0, 0, -0.95}, start, kNone, kNone, {0, turn, 0}, {0, turn, 0}, h);
    c.point = {0, 0, 1};
    // Solid above z = 0; the tip reaches 0.05 into it in the middle, its chord stays at -0.22.
    const Field ceiling = Field::plane({0, 0, -1}, 0);
    const Vec3 point = static_cast<Vec3>(c.point);
    EXPECT_EQ(integrate_penalty(view_of(ceiling), side_of(c), law_of(c), point).depth, 0);
    const PointImpulse curved =
        integrate_penalty(view_of(ceiling), side_of(c, 64), law_of(c), point);
    EXPECT_NEAR(curved.depth, 0.05, 0.001);
    // cos a - 0.95 over the angles where it is positive, at 1 rad in h / 1.5.
    const double edge = std::acos(0.95);
    const double expected = -1000 * 2 * (std::sin(edge) - 0.95 * edge) / turn;
    EXPECT_NEAR(curved.impulse.z, expected, 0.01 * std::fabs(expected));
}

}  // namespace
}  // namespace graze
