// ClothStepper: a step that fails has not been, and times within parts of a step are never late.
#include "response/cloth_stepper.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "simulation/cloth_scene.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/rational.h"

namespace graze {
namespace {

// A sheet and a ball that come down fast on a plate, so that steps are gone in parts.
SceneDescription fast_scene() {
    return parse_scene(R"({"shapes": {
        "sheet": {"generated": {"sheet": {"columns": 6, "rows": 6}}},
        "plate": {"generated": {"sheet": {"width": 4, "depth": 4, "columns": 3, "rows": 3}}},
        "ball": {"generated": {"sphere": {"radius": 0.2, "subdivisions": 1}}}},
        "bodies": [
        {"shape": "plate", "motion": "fixed"},
        {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.1]},
         "velocity": [0.3, 0, -12]},
        {"shape": "ball", "pose": {"position": [1.2, 0, 0.5]}, "velocity": [0, 0, -9]}],
        "solver": {"kind": "cloth", "cloth": {"thickness": 0.02}}})",
                       "scene.json", ".");
}

// A stepper whose script fails at a given call.
struct FailingRun {
    int calls = 0, failing_call = -1;
    ClothScene scene = build_cloth_scene(fast_scene());
    ClothStepper stepper;

    FailingRun()
        : stepper(std::move(scene.world), scene.topology, Device::cpu(1), {}, settings(),
                  [this](double, std::span<Vec3>) {
                      if (calls++ == failing_call) throw std::runtime_error("the script fails");
                  }) {}
    static ClothSettings settings() {
        ClothSettings settings;
        settings.thickness = 0.02;
        return settings;
    }
    void step() {
        calls = 0;
        stepper.step();
    }
};

void expect_same(const ClothStepper& a, const ClothStepper& b) {
    EXPECT_EQ(a.world().positions, b.world().positions);
    EXPECT_EQ(a.world().velocities, b.world().velocities);
    ASSERT_EQ(a.world().rigid.size(), b.world().rigid.size());
    for (std::size_t i = 0; i < a.world().rigid.size(); ++i) {
        const RigidBody &own = a.world().rigid[i], &other = b.world().rigid[i];
        EXPECT_EQ(own.centre, other.centre);
        EXPECT_EQ(own.velocity, other.velocity);
        EXPECT_EQ(own.angular_velocity, other.angular_velocity);
        EXPECT_EQ(own.rotation.w, other.rotation.w);
    }
    EXPECT_EQ(a.report().script_fraction, b.report().script_fraction);
    EXPECT_EQ(a.report().contact_count, b.report().contact_count);
    ASSERT_EQ(a.parts().size(), b.parts().size());
    for (std::size_t i = 0; i < a.parts().size(); ++i) {
        EXPECT_EQ(a.parts()[i].begin, b.parts()[i].begin);
        EXPECT_EQ(a.parts()[i].near, b.parts()[i].near);
        EXPECT_EQ(a.parts()[i].impacts.size(), b.parts()[i].impacts.size());
    }
}

// Wherever in a step the script fails, in its first part or its last.
TEST(ClothStepper, AStepThatFailsHasNotBeen) {
    FailingRun run, reference;
    std::size_t most_parts = 1;
    int failures = 0;
    for (int step = 0; step < 4; ++step) {
        reference.step();
        most_parts = std::max(most_parts, reference.stepper.parts().size());
        FailingRun before;  // as the run is now
        for (int i = 0; i < step; ++i)
            before.step();
        for (int call = 0; call < reference.calls; call += step < 2 ? 1 : 7) {
            run.failing_call = call;
            EXPECT_THROW(run.step(), std::runtime_error);
            expect_same(run.stepper, before.stepper);
            ++failures;
        }
        run.failing_call = -1;
        run.step();
        expect_same(run.stepper, reference.stepper);
    }
    EXPECT_GT(most_parts, 2u);
    EXPECT_GT(failures, 8);
}

// As fractions of the step, by rational arithmetic.
TEST(ClothStepper, TimesOfPartsAreNeverLate) {
    oracle::RandomPoints<double> random(3);
    int exact = 0, inexact = 0;
    for (int i = 0; i < 3000; ++i) {
        ClothPart part;
        const int count = 1 + i % 20;
        part.length = count / 20.0;
        part.begin = i % 3 == 0 ? 0 : (20 - count) / 20.0;
        const double number = std::fabs(random.in_box(1).x);
        const double fraction = i % 5 == 0 ? 0 : i % 5 == 1 ? static_cast<float>(number) : number;
        const oracle::Rational truth = oracle::Rational(part.begin) +
                                       oracle::Rational(part.length) * oracle::Rational(fraction);
        const float time = part.time_of(fraction);
        EXPECT_LE(oracle::Rational(double{time}), truth);
        EXPECT_GT(oracle::Rational(double{std::nextafter(time, 2.0f)}), truth) << "nor too early";
        (oracle::Rational(double{time}) == truth ? exact : inexact) += 1;
    }
    EXPECT_GT(exact, 100);
    EXPECT_GT(inexact, 1000);
}

}  // namespace
}  // namespace graze
