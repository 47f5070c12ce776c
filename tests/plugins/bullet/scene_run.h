// SceneRun runs a scene of scenes/ and watches, step by step, what holds of every one of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "graze_bullet/simulation.h"
#include "tests/oracle/case_count.h"
#include "tests/plugins/bullet/exact_depth.h"

namespace graze {

inline std::filesystem::path scene_file(const std::string& name) {
    return std::filesystem::path(GRAZE_SOURCE_DIR) / "scenes" / (name + ".json");
}

class SceneRun {
public:
    explicit SceneRun(const std::string& name) : SceneRun(load_scene(scene_file(name))) {}
    explicit SceneRun(const SceneDescription& scene)
        : simulation_(bullet::make_simulation(scene)), energy_(energy()) {}

    // Under a sanitizer a tenth of the time is run, and what a scene comes to in the end is not
    // asked.
    static constexpr bool is_whole = GRAZE_SANITIZED == 0;
    void run(double seconds, const std::function<void()>& look = [] {}) {
        if (!is_whole) seconds /= 10;
        const auto count = static_cast<int>(std::lround(seconds / scene().time_step));
        for (int i = 0; i < count; ++i) {
            const std::vector<BodyState> before(states().begin(), states().end());
            simulation_->step();
            // No more energy is allowed than was there before, came in and was done by forces.
            const double allowed = energy_ + energy_of_new(before) + work(before);
            largest_growth = std::max(largest_growth, (energy() - allowed) / weight());
            energy_ = std::min(energy(), allowed);
            deepest = std::max(deepest, simulation_->statistics().deepest_penetration);
            if (++step_count_ % kExactEvery == 0)
                exact_deepest = std::max(exact_deepest, exact_.deepest(scene(), states()));
            look();
        }
    }

    const SceneDescription& scene() const { return simulation_->scene(); }
    std::span<const BodyState> states() const { return simulation_->states(); }
    const BodyState& state(const std::string& body) const { return states()[index(body)]; }
    std::size_t index(const std::string& body) const {
        for (std::size_t i = 0; i < scene().bodies.size(); ++i) {
            if (scene().bodies[i].name == body) return i;
        }
        throw std::out_of_range(body);
    }
    const Simulation& simulation() const { return *simulation_; }

    // [m] The most by which the energy grew above the least so far, as the height to which it would
    // lift everything that moves. Bodies that are pushed apart rise a little.
    double largest_growth = 0;
    float deepest = 0;  // [m] of all steps, by the contacts
    // [m] Of every 50th step, by the exact meshes and formulas.
    static constexpr int kExactEvery = 50;
    double exact_deepest = 0;
    // [m] How much deeper that may be than contacts say: each body's field is off by its error.
    double field_error() const {
        double largest = 0;
        for (const SceneBody& body : scene().bodies)
            largest = std::max<double>(
                largest, scene().shapes[body.shape].shape.field().error() * body.pose.scale);
        return 2 * largest;
    }

private:
    double energy() const {
        return simulation_->statistics().kinetic_energy +
               simulation_->statistics().potential_energy;
    }
    bool is_moved(std::size_t i) const { return scene().bodies[i].motion == BodyMotion::dynamic; }

    double kilograms(std::size_t i) const {
        const SceneBody& body = scene().bodies[i];
        const double scale = body.pose.scale;
        return scene().materials[body.material].density * scene().shapes[body.shape].mass->volume *
               scale * scale * scale;
    }
    // [N] Returns the weight of all that moves and is there.
    double weight() const {
        double sum = 0;
        for (std::size_t i = 0; i < states().size(); ++i) {
            if (is_moved(i) && states()[i].is_present)
                sum += kilograms(i) * length(static_cast<Vec3d>(scene().gravity));
        }
        return sum;
    }

    double energy_of_new(const std::vector<BodyState>& before) const {
        double sum = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (before[i].is_present || !states()[i].is_present || !is_moved(i)) continue;
            const SceneBody& body = scene().bodies[i];
            const MassProperties& mass = *scene().shapes[body.shape].mass;
            const auto centre =
                static_cast<Vec3d>(transform_point(body.pose, static_cast<Vec3>(mass.centre)));
            sum += kilograms(i) * (length_sq(static_cast<Vec3d>(body.velocity)) / 2 -
                                   dot(static_cast<Vec3d>(scene().gravity), centre));
        }
        return sum;
    }
    double work(const std::vector<BodyState>& before) const {
        double sum = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (!is_moved(i) || !before[i].is_present) continue;
            const SceneBody& body = scene().bodies[i];
            sum += dot(body.force, before[i].velocity + states()[i].velocity) +
                   dot(body.torque, before[i].angular_velocity + states()[i].angular_velocity);
        }
        return sum / 2 * scene().time_step;
    }

    std::unique_ptr<Simulation> simulation_;
    double energy_;
    int step_count_ = 0;
    ExactDepth exact_;
};

}  // namespace graze
