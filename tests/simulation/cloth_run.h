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
    explicit ClothRun(const SceneDescription& scene)
        : simulation_(make_cloth_simulation(scene)), least_energy_(energy()) {
        weight_ = weight();
    }

    void run(int steps, const std::function<void()>& look = [] {}) {
        for (int i = 0; i < steps; ++i) {
            const std::vector<BodyState> before(simulation_->states().begin(),
                                                simulation_->states().end());
            simulation_->step();
            const StepStatistics& statistics = simulation_->statistics();
            ASSERT_EQ(count_self_intersections(executor_, *simulation_->surface()), 0)
                << "step " << statistics.step;
            for (const Figure& figure : statistics.figures) {
                if (std::string("script_part") == figure.name) script_steps += figure.value;
                if (std::string("cut") == figure.name) cuts += figure.value;
                if (std::string("stretch_p99") == figure.name)
                    stretch = std::max(stretch, figure.value);
                if (std::string("stretch_most") == figure.name)
                    longest = std::max(longest, figure.value);
            }
            ASSERT_TRUE(std::isfinite(statistics.kinetic_energy));
            watch_energy(before);
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
    // [m] The most by which the energy grew above the least since the script moved last, as the
    // height to which it would lift everything that moves. While the script moves it does work.
    double largest_growth = 0;
    int still_steps = 0;  // in which the script did not move

private:
    double energy() const { return statistics().kinetic_energy + statistics().potential_energy; }
    void watch_energy(const std::vector<BodyState>& before) {
        bool is_still = true;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (simulation_->scene().bodies[i].motion != BodyMotion::kinematic) continue;
            const Transform &from = before[i].pose, &to = simulation_->states()[i].pose;
            is_still = is_still && from.translation == to.translation &&
                       from.rotation.w == to.rotation.w && from.rotation.x == to.rotation.x &&
                       from.rotation.y == to.rotation.y && from.rotation.z == to.rotation.z;
        }
        if (is_still && weight_ > 0)
            largest_growth = std::max(largest_growth, (energy() - least_energy_) / weight_);
        least_energy_ = is_still ? std::min(least_energy_, energy()) : energy();
        still_steps += is_still ? 1 : 0;
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
