// A scene of the solver cloth as it runs: after every step no two triangles intersect, by the exact
// test, and a few numbers of the whole run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "geometry/self_intersections.h"
#include "graze/cloth_simulation.h"
#include "tests/oracle/case_count.h"

namespace graze {

class ClothRun {
public:
    explicit ClothRun(const SceneDescription& scene) : simulation_(make_cloth_simulation(scene)) {}

    void run(int steps, const std::function<void()>& look = [] {}) {
        for (int i = 0; i < steps; ++i) {
            simulation_->step();
            const StepStatistics& statistics = simulation_->statistics();
            ASSERT_EQ(count_self_intersections(executor_, *simulation_->surface()), 0)
                << "step " << statistics.step;
            for (const Figure& figure : statistics.figures) {
                if (std::string("script_part") == figure.name) script_steps += figure.value;
                if (std::string("cut") == figure.name) cuts += figure.value;
                if (std::string("stretch_p99") == figure.name)
                    stretch = std::max(stretch, figure.value);
            }
            ASSERT_TRUE(std::isfinite(statistics.kinetic_energy));
            look();
        }
    }

    const Simulation& simulation() const { return *simulation_; }
    const StepStatistics& statistics() const { return simulation_->statistics(); }
    const std::vector<Vec3>& positions() const { return simulation_->surface()->positions; }
    std::uint64_t hash() const { return state_hash(*simulation_); }

    double script_steps = 0;  // steps that scripted bodies did
    double cuts = 0;          // of all steps
    double stretch = 1;       // the greatest 99th percentile of any step

private:
    std::unique_ptr<Simulation> simulation_;
    CpuExecutor executor_;
};

}  // namespace graze
