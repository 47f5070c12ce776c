// How long a step penalty forces bear: a body that does not turn, on springs on the ground, against
// the bounds that docs/concepts/penalty.md derives.
#include "response/penalty_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/simulation/penalty_scenes.h"

namespace graze {
namespace {

constexpr double kMass = 2, kStiffness = 800;  // [kg], [N/m] of the four points that touch
constexpr double kSide = 0.2;                  // [m]

// Which forces, and how damped: damping over that of the critical case.
struct Scheme {
    bool is_continuous;
    PenaltyInterpolation interpolation;
    double damping_ratio;
    bool limits_damping = false;
};

double frequency() {
    return std::sqrt(kStiffness / kMass);
}

// A cube above the ground at z = 0. Its lower corners are at `height`.
std::unique_ptr<PenaltyStepper> make_falling(const Scheme& scheme, double step, double height,
                                             double speed, double gravity) {
    const Vec3d none{0, 0, 0};
    RigidProperties ground{};
    ground.local_centre = ground.acceleration = ground.torque = none;
    ground.scale = 1;
    ground.is_fixed = 1;
    RigidProperties cube = ground;
    cube.is_fixed = 0;
    cube.inverse_mass = 1 / kMass;  // and it never turns
    cube.acceleration = {0, 0, -gravity};
    RigidState at_rest{};
    at_rest.centre = at_rest.velocity = at_rest.angular_velocity = none;
    at_rest.angular_momentum = none;
    at_rest.rotation = Quatd::identity();
    at_rest.is_present = 1;
    RigidState state = at_rest;
    state.centre.z = height + kSide / 2;
    state.velocity.z = speed;
    const Shape box = Shape::from_mesh(make_cube(), Field::box({0.1f, 0.1f, 0.1f}));
    PenaltySettings settings{};
    settings.step = {step, 1, 1};
    const double damping = 2 * scheme.damping_ratio * kMass * frequency();
    settings.law = {static_cast<float>(kStiffness / 4), static_cast<float>(damping / 4), 0,
                    scheme.limits_damping, scheme.interpolation};
    settings.is_continuous = scheme.is_continuous;
    return make_cpu_penalty_stepper(
        {{Shape::from_field(Field::plane({0, 0, 1}, 0)), {1, ~0u, 1}, ground, at_rest},
         {box, {1, ~0u, 0}, cube, state}},
        settings, Device::cpu(1));
}

double height_of(const PenaltyStepper& stepper) {
    return stepper.states()[1].centre.z - kSide / 2;
}

// Whether a body that rests deep in its springs goes back there when it is disturbed. It never
// leaves contact.
bool settles(const Scheme& scheme, double step) {
    const double gravity = 20, rest = -gravity * kMass / kStiffness, disturbance = 2e-3;
    // No force acts in the first step yet, which takes this speed away.
    const auto stepper = make_falling(scheme, step, rest + disturbance, gravity * step, gravity);
    double first = 0, last = 0;
    for (int i = 0; i < 600; ++i) {
        stepper->run(1);
        const double off = std::fabs(height_of(*stepper) - rest);
        if (i < 10) first = std::max(first, off);
        if (i >= 590) last = std::max(last, off);
    }
    return last < first / 3;
}

// The longest step that settles, times the frequency.
double bound_of(const Scheme& scheme) {
    double low = 0.02, high = 4;
    while (high / low > 1.002) {
        const double middle = std::sqrt(low * high);
        (settles(scheme, middle / frequency()) ? low : high) = middle;
    }
    return low;
}

constexpr PenaltyInterpolation kLinear = PenaltyInterpolation::linear;

TEST(PenaltyStepper, LastingContactBearsTheStepOfTheDerivedBounds) {
    for (const double z : {0.2, 0.5, 1.0, 2.0}) {
        const double discrete = 2 * (std::sqrt(1 + z * z) - z);
        const double linear = std::min(4 * z, 1 / z);
        const double a = 1 + 4 * z * z;
        const double acceleration = (std::sqrt(a * a + 16 * z * z) - a) / (2 * z);
        EXPECT_NEAR(bound_of({false, kLinear, z}) / discrete, 1, 0.03) << z;
        EXPECT_NEAR(bound_of({true, kLinear, z}) / linear, 1, 0.03) << z;
        EXPECT_NEAR(bound_of({true, PenaltyInterpolation::acceleration, z}) / acceleration, 1, 0.03)
            << z;
    }
}

// What an impact leaves of the energy, at most over where in a step it begins; and the most that
// there is on the way.
struct Impact {
    double after = 0, most = 0;
};

Impact worst_impact(const Scheme& scheme, double step) {
    constexpr int kPhases = 24;
    Impact worst;
    for (int phase = 0; phase < kPhases; ++phase) {
        const double height = step * (phase + 0.5) / kPhases;
        const auto stepper = make_falling(scheme, step, height, -1, 0);
        double energy = 0;
        bool has_touched = false;
        for (int i = 0; i < 400; ++i) {
            stepper->run(1);
            const double speed = stepper->states()[1].velocity.z;
            energy = speed * speed;
            worst.most = std::max(worst.most, energy);
            const bool is_pushed = stepper->forces()[1].force.z != 0;
            has_touched = has_touched || is_pushed;
            if (has_touched && !is_pushed && speed > 0 && height_of(*stepper) > 0) break;
        }
        worst.after = std::max(worst.after, energy);
    }
    return worst;
}

// Three times the step, as the paper has it, is borne in this one sense: damping is above critical
// and pulls bodies back that have left, and what counts is the energy afterwards.
TEST(PenaltyStepper, AnImpactBearsThreeTimesTheStepWhereDampingPulls) {
    const double z = 1.5, discrete = 0.55 / frequency();
    EXPECT_LE(worst_impact({false, kLinear, z}, discrete).after, 1);
    EXPECT_GT(worst_impact({false, kLinear, z}, 1.05 * discrete).after, 1);
    const Impact continuous = worst_impact({true, kLinear, z}, 3 * discrete);
    EXPECT_LE(continuous.after, 1);
    // On the way out it is thrown up much faster than it came.
    EXPECT_GT(continuous.most, 10);
    // Damping that only ever presses leaves it at that.
    EXPECT_GT(worst_impact({true, kLinear, z, true}, 1.5 * discrete).after, 1);
}

// A ball of points that cover its sphere evenly: by Archimedes as many in each slice of its height.
Mesh ball_of_points(int count, double radius) {
    Mesh mesh;
    for (int i = 0; i < count; ++i) {
        const double height = (2 * (i + 0.5) / count - 1) * radius;
        const double around = std::sqrt(radius * radius - height * height);
        const double angle = i * 2.399963229728653;  // of the golden spiral
        mesh.positions.push_back({static_cast<float>(around * std::cos(angle)),
                                  static_cast<float>(around * std::sin(angle)),
                                  static_cast<float>(height)});
    }
    return mesh;
}

// In a step h a ball of radius R, covered by N points, comes from where it touches the plane to the
// depth s = v h. A point that begins at a height a above the lowest is inside for (s - a) / v, so
// that with the N da / 2 R points of a slice the integrals over time and over the ball are
//     spring     k N / 2 R  int v ((s - a) / v)^2 / 2 da  =  k N s^3 / (12 R v),
//     damping    -c u N / 2 R  int (s - a) / v da         =  -c u N s^2 / (4 R v),
// and the moment of the damping about the ball's centre, the points being at height a - R, is that
// of a force -c u at the height N / (2 R v) (s^3 / 6 - R s^2 / 2).
TEST(PenaltyStepper, ABallEntersAPlaneByTheClosedForm) {
    constexpr int kCount = 4000;
    constexpr double kRadius = 0.1, kDown = 12, kDuration = 0.01, kDamping = 0.3, kSpring = 5;
    const double depth = kDown * kDuration;  // it is in deeper than its middle
    const Vec3d none{0, 0, 0}, velocity{2, -1, -kDown};
    RigidProperties ground{};
    ground.local_centre = ground.acceleration = ground.torque = none;
    ground.scale = 1;
    ground.is_fixed = 1;
    RigidProperties ball = ground;
    ball.is_fixed = 0;
    ball.inverse_mass = 1;
    // The ball's middle is beside the centre of mass.
    const Vec3d middle{0.05, -0.02, 0.01};
    ball.local_centre = middle * -1.0;
    RigidState at_rest{};
    at_rest.centre = at_rest.velocity = at_rest.angular_velocity = none;
    at_rest.angular_momentum = none;
    at_rest.rotation = Quatd::identity();
    at_rest.is_present = 1;
    RigidState state = at_rest;
    state.centre = Vec3d{3, 4, kRadius} - middle;
    state.velocity = velocity;
    const auto radius = static_cast<float>(kRadius);
    const Shape shape =
        Shape::from_mesh(ball_of_points(kCount, kRadius), Field::sphere({0, 0, 0}, radius));
    for (const PenaltyInterpolation interpolation :
         {PenaltyInterpolation::linear, PenaltyInterpolation::acceleration}) {
        PenaltySettings settings{};
        settings.step = {kDuration, 1, 1};
        settings.law = {static_cast<float>(kSpring), static_cast<float>(kDamping), 0, false,
                        interpolation};
        settings.is_continuous = true;
        const auto stepper = make_cpu_penalty_stepper(
            {{Shape::from_field(Field::plane({0, 0, 1}, 0)), {1, ~0u, 1}, ground, at_rest},
             {shape, {1, ~0u, 0}, ball, state}},
            settings, Device::cpu(1));
        stepper->run(1);
        const double spring = kSpring * kCount * depth * depth * depth / (12 * kRadius * kDown);
        const double seconds = kCount * depth * depth / (4 * kRadius * kDown);
        const Vec3d damping = velocity * (-kDamping * seconds);
        const Vec3d impulse = Vec3d{0, 0, spring} + damping;
        const double height = kCount / (2 * kRadius * kDown) *
                              (depth * depth * depth / 6 - kRadius * depth * depth / 2);
        const Vec3d moment =
            cross(middle, impulse) + cross(Vec3d{0, 0, height}, velocity * -kDamping);
        const BodyForce found = stepper->forces()[1];
        EXPECT_LT(length(found.force * kDuration - impulse), 1e-4 * length(impulse))
            << found.force.x * kDuration << " " << found.force.y * kDuration << " "
            << found.force.z * kDuration << " instead of " << impulse.x << " " << impulse.y << " "
            << impulse.z;
        // Points of a spiral are not quite as many to each side.
        EXPECT_LT(length(found.torque * kDuration - moment), 1e-3 * length(moment))
            << found.torque.x * kDuration << " " << found.torque.y * kDuration << " "
            << found.torque.z * kDuration << " instead of " << moment.x << " " << moment.y << " "
            << moment.z;
        EXPECT_NEAR(stepper->report().deepest, depth, 0.03 * depth);
        EXPECT_NEAR(static_cast<double>(stepper->report().point_count),
                    kCount * depth / (2 * kRadius), 1.5);
    }
}

}  // namespace
}  // namespace graze
