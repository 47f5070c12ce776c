// Distances of cloth: how far they give way to a force, in either sense.
#include "response/distance_constraints.h"

#include <gtest/gtest.h>

namespace graze {
namespace {

// A vertex of 1 kg hangs at a distance of 1 m from one that is held, and a force [N] pulls it away
// for so long that it comes to rest. Returns by how much the distance changes [m].
double change_by(double force, const Compliance& compliance, double& energy) {
    ClothWorld world;
    world.next = {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}};
    world.from = world.next;
    world.inverse_masses = {0, 1};
    world.units = {kScriptUnit, 1};
    world.unit_count = 2;
    const double seconds = 0.01;
    CpuExecutor executor(1);
    DistanceSolver solver(world, {DistanceConstraint{0, 1, 1}}, compliance, seconds);
    double speed = 0;
    for (int step = 0; step < 2000; ++step) {
        world.from = world.next;
        speed = speed * 0.9 + force * seconds;
        world.next[1].x += speed * seconds;
        solver.begin_step();
        solver.solve(executor, world);
        solver.solve(executor, world);  // it has converged before
        speed = (world.next[1].x - world.from[1].x) / seconds;
    }
    EXPECT_EQ(world.next[0], (Vec3d{0, 0, 0}));
    EXPECT_NEAR(solver.script_work(), 0, 1e-12) << "what holds it stands still";
    energy = solver.elastic_energy();
    return world.next[1].x - 1;
}

TEST(DistanceConstraints, GiveWayByTheComplianceOfEachSense) {
    double energy = 0;
    const Compliance compliance{1e-4, 3e-3};
    EXPECT_NEAR(change_by(5, compliance, energy), 5e-4, 1e-8);
    EXPECT_NEAR(energy, 5 * 5e-4 / 2, 1e-6);
    EXPECT_NEAR(change_by(-5, compliance, energy), -1.5e-2, 1e-7);
    EXPECT_NEAR(energy, 5 * 1.5e-2 / 2, 1e-5);
    EXPECT_NEAR(change_by(5, {0, 3e-3}, energy), 0, 1e-9);
    EXPECT_NEAR(change_by(-5, {1e-4, 0}, energy), 0, 1e-9);
    EXPECT_NEAR(energy, 0, 1e-12);
}

// The held end moves on: what it does against the force is its work.
TEST(DistanceConstraints, TheHeldEndWorks) {
    ClothWorld world;
    world.next = world.from = {Vec3d{0, 0, 0}, Vec3d{0.9, 0, 0}};
    world.inverse_masses = {0, 2};
    world.units = {kScriptUnit, 1};
    world.unit_count = 2;
    CpuExecutor executor(1);
    DistanceSolver solver(world, {DistanceConstraint{0, 1, 1}}, {0, 0}, 0.1);
    world.next[0].x = 0.05;  // 0.05 of the missing 0.1 m are its own
    solver.begin_step();
    solver.solve(executor, world);
    EXPECT_NEAR(world.next[1].x, 1.05, 1e-12);
    // The half kilogramme goes 0.15 m in 0.1 s: 7.5 N, by 0.05 m.
    EXPECT_NEAR(solver.script_work(), 0.5 * 0.15 / (0.1 * 0.1) * 0.05, 1e-12);
    solver.set_back_script_work();
    EXPECT_EQ(solver.script_work(), 0);
}

}  // namespace
}  // namespace graze
