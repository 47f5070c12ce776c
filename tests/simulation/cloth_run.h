// A scene of the solver cloth as it runs: after every step no two triangles intersect, by the exact
// test, and a few numbers of the whole run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "geometry/self_intersections.h"
#include "graze/cloth_simulation.h"
#include "tests/oracle/case_count.h"

namespace graze {

class ClothRun {
public:
    explicit ClothRun(const SceneDescription& scene)
        : simulation_(make_cloth_simulation(scene)), least_energy_(energy()) {
        weight_ = weight();
    }

    void run(int steps, const std::function<void()>& look = [] {}) {
        for (int i = 0; i < steps; ++i) {
            simulation_->step();
            const StepStatistics& statistics = simulation_->statistics();
            ASSERT_EQ(count_self_intersections(executor_, *simulation_->surface()), 0)
                << "step " << statistics.step;
            ASSERT_TRUE(std::isfinite(statistics.kinetic_energy));
            watch_figures();
            watch_energy();
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
    double longest = 1;       // the longest edge of any step
    double shortest = 1;      // the least first percentile of any step
    double work = 0;          // [J] that the script did
    // [m] The most by which the energy, less the work of the script, grew above the least so far,
    // as the height to which it would lift everything that moves.
    double largest_growth = 0;

    // [J] Of motion, height and cloth that is pressed or bent.
    double energy() const {
        return statistics().kinetic_energy + statistics().potential_energy +
               figure("elastic_energy");
    }
    // Of the last step.
    double figure(const std::string& name) const {
        for (const Figure& one : statistics().figures)
            if (name == one.name) return one.value;
        throw std::out_of_range(name);
    }

private:
    void watch_figures() {
        script_steps += figure("script_part");
        cuts += figure("cut");
        stretch = std::max(stretch, figure("stretch_p99"));
        longest = std::max(longest, figure("stretch_most"));
        shortest = std::min(shortest, figure("stretch_p1"));
        work += figure("script_work");
    }
    void watch_energy() {
        const double own = energy() - work;
        if (weight_ > 0) largest_growth = std::max(largest_growth, (own - least_energy_) / weight_);
        least_energy_ = std::min(least_energy_, own);
    }
    // [N] Of all that moves by itself, where that is cloth of one material alone or rigid alone.
    // How heavy cloth is follows from its potential energy at the beginning.
    double weight() const {
        const SceneDescription& scene = simulation_->scene();
        double rigid = 0, area = 0, height = 0;
        std::size_t first = 0;
        for (const SceneBody& body : scene.bodies) {
            const SceneShape& shape = scene.shapes[body.shape];
            const Mesh& mesh = *shape.shape.mesh();
            if (body.motion == BodyMotion::dynamic)
                rigid += shape.mass->volume * scene.materials[body.material].density * 9.81;
            for (const Triangle& t : mesh.triangles) {
                if (body.motion != BodyMotion::cloth) continue;
                const auto corner = [&](int i) {
                    return static_cast<Vec3d>(positions()[first + t[i]]);
                };
                const double own = length(cross(corner(1) - corner(0), corner(2) - corner(0)));
                area += own;
                height += own * (corner(0).z + corner(1).z + corner(2).z) / 3;
            }
            first += mesh.positions.size();
        }
        if (rigid > 0) return area > 0 ? 0 : rigid;
        return height != 0 ? statistics().potential_energy * area / height : 0;
    }

    std::unique_ptr<Simulation> simulation_;
    double least_energy_, weight_ = 0;
    CpuExecutor executor_;
};

}  // namespace graze
