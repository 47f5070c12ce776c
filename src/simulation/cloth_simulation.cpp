#include "graze/cloth_simulation.h"

#include <chrono>

#include "core/nearest_name.h"
#include "graze/error.h"
#include "response/cloth_stepper.h"
#include "simulation/cloth_scene.h"
#include "simulation/script_pose.h"

namespace graze {

namespace {

ClothSettings settings_of(const SceneDescription& scene, double thickness) {
    ClothSettings settings;
    settings.time_step = scene.time_step;
    settings.gravity = static_cast<Vec3d>(scene.gravity);
    settings.thickness = thickness;
    settings.stretch_compliance = scene.solver.cloth.stretch_compliance;
    settings.bend_compliance = scene.solver.cloth.bend_compliance;
    settings.linear_damping = scene.solver.linear_damping;
    settings.angular_damping = scene.solver.angular_damping;
    settings.iterations = scene.solver.iterations;
    settings.push_rounds = scene.solver.cloth.push_rounds;
    return settings;
}

Quat in_float(const Quatd& q) {
    return {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
            static_cast<float>(q.z)};
}
Transform in_float(const Transformd& t) {
    return {static_cast<Vec3>(t.translation), in_float(t.rotation), static_cast<float>(t.scale)};
}

class ClothSimulation : public Simulation {
public:
    explicit ClothSimulation(SceneDescription scene);

    void step() override;
    const SceneDescription& scene() const override { return scene_; }
    std::span<const BodyState> states() const override { return states_; }
    std::span<const Contact> contacts() const override { return {}; }
    const StepStatistics& statistics() const override { return statistics_; }
    const Mesh* surface() const override { return &surface_; }

private:
    static SceneDescription checked(SceneDescription scene) {
        if (scene.solver.kind != SolverKind::cloth)
            throw Error("simulation: the scene asks for another solver than cloth");
        return scene;
    }

    void place_script(double part, std::span<Vec3> places) const;
    void refuse_intersections();
    void read_states();
    void read_cloth(std::uint32_t body);
    void sum_energies();
    void sum_up(double seconds);

    SceneDescription scene_;
    ClothScene built_;  // its world is the stepper's
    ClothStepper stepper_;
    std::vector<Vec3d> centres_;  // by body, in its shape's frame
    double script_time_ = 0;      // [s]
    Mesh surface_;
    std::vector<BodyState> states_;
    StepStatistics statistics_;
};

ClothSimulation::ClothSimulation(SceneDescription scene)
    : scene_(checked(std::move(scene))),
      built_(build_cloth_scene(scene_)),
      stepper_(std::move(built_.world), built_.topology, scene_.device, {},
               settings_of(scene_, built_.thickness),
               [this](double part, std::span<Vec3> places) { place_script(part, places); }) {
    surface_.triangles = stepper_.world().triangles;
    states_.resize(scene_.bodies.size());
    for (const SceneBody& body : scene_.bodies)
        centres_.push_back(centre_of(scene_, body));
    refuse_intersections();
    read_states();
    sum_up(0);
}

void ClothSimulation::place_script(double part, std::span<Vec3> places) const {
    const double time = script_time_ + part * scene_.time_step;
    std::uint32_t body = ~std::uint32_t{0};
    Transformd pose = Transformd::identity();
    for (const ScriptedVertex& one : built_.scripted) {
        if (one.body != body) {
            body = one.body;
            pose = script_pose(scene_.bodies[body], centre_of(scene_, scene_.bodies[body]), time);
        }
        places[one.vertex] = static_cast<Vec3>(transform_point(pose, one.local));
    }
}

void ClothSimulation::refuse_intersections() {
    const ClothWorld& world = stepper_.world();
    const auto found =
        stepper_.detector().find_intersections(std::span<const Vec3>(world.positions));
    if (found.empty()) return;
    const auto name = [&](std::uint32_t triangle) {
        return in_quotes(scene_.bodies[world.bodies[world.triangles[triangle][0]]].name);
    };
    throw Error("the bodies " + name(found[0].a) + " and " + name(found[0].b) +
                " intersect at the beginning, in " + std::to_string(found.size()) +
                " pairs of triangles with all others; move them apart");
}

void ClothSimulation::read_cloth(std::uint32_t body) {
    Vec3d sum{0, 0, 0};
    std::uint32_t count = 0;
    for (std::uint32_t v = built_.first_vertices[body]; v < built_.first_vertices[body + 1]; ++v) {
        sum += stepper_.world().velocities[v];
        ++count;
    }
    if (count > 0) states_[body].velocity = static_cast<Vec3>(sum / static_cast<double>(count));
}

void ClothSimulation::read_states() {
    surface_.positions = stepper_.world().positions;
    for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i) {
        const SceneBody& body = scene_.bodies[i];
        BodyState& state = states_[i];
        state.is_present = true;
        state.pose = body.pose;
        if (body.motion == BodyMotion::cloth) read_cloth(i);
        if (body.motion == BodyMotion::kinematic) {
            state.pose = in_float(script_pose(body, centres_[i], script_time_));
            state.velocity = body.velocity;
            state.angular_velocity = body.angular_velocity;
        }
    }
    for (std::size_t i = 0; i < built_.rigid_bodies.size(); ++i) {
        const RigidBody& rigid = stepper_.world().rigid[i];
        BodyState& state = states_[built_.rigid_bodies[i]];
        const double scale = scene_.bodies[built_.rigid_bodies[i]].pose.scale;
        const Vec3d arm = rotate(rigid.rotation, centres_[built_.rigid_bodies[i]] * scale);
        state.pose = in_float(Transformd{rigid.centre - arm, rigid.rotation, scale});
        state.velocity = static_cast<Vec3>(rigid.velocity);
        state.angular_velocity = static_cast<Vec3>(rigid.angular_velocity);
    }
}

void ClothSimulation::sum_energies() {
    const ClothWorld& world = stepper_.world();
    const auto gravity = static_cast<Vec3d>(scene_.gravity);
    double kinetic = 0, potential = 0;
    for (std::size_t v = 0; v < world.positions.size(); ++v) {
        if (!(world.inverse_masses[v] > 0)) continue;
        const double mass = 1 / world.inverse_masses[v];
        kinetic += mass * length_sq(world.velocities[v]) / 2;
        potential -= mass * dot(gravity, static_cast<Vec3d>(world.positions[v]));
    }
    for (const RigidBody& body : world.rigid) {
        const double mass = 1 / body.inverse_mass;
        const Vec3d turn = rotate(conjugate(body.rotation), body.angular_velocity);
        kinetic += (mass * length_sq(body.velocity) + dot(turn, body.inertia * turn)) / 2;
        potential -= mass * dot(gravity, body.centre);
    }
    statistics_.kinetic_energy = kinetic;
    statistics_.potential_energy = potential;
}

void ClothSimulation::sum_up(double seconds) {
    const ClothReport& report = stepper_.report();
    StepStatistics& sum = statistics_;
    sum.seconds = seconds;
    sum.body_count = static_cast<std::int64_t>(scene_.bodies.size());
    sum.awake_count = 0;
    for (const SceneBody& body : scene_.bodies)
        sum.awake_count += body.motion == BodyMotion::dynamic || body.motion == BodyMotion::cloth;
    const DeformingReport& found = stepper_.detector().report();
    sum.pair_count = found.element_pair_count;
    sum.found_count = report.proximity_count + report.impact_count;
    sum.contact_count = report.contact_count;
    sum_energies();
    sum.stages = {{"predict", report.predict_seconds},
                  {"proximities", report.proximity_seconds},
                  {"solve", report.solve_seconds},
                  {"impacts", report.impact_seconds},
                  {"cut", report.cut_seconds}};
    sum.figures = {{"impacts", static_cast<double>(report.impact_count)},
                   {"rounds", static_cast<double>(report.round_count)},
                   {"cut", static_cast<double>(report.cut_count)},
                   {"script_part", report.script_part}};
    if (scene_.solver.cloth.checks_intersections) {
        const auto pairs =
            stepper_.detector().find_intersections(std::span<const Vec3>(surface_.positions));
        sum.figures.push_back({"intersections", static_cast<double>(pairs.size())});
    }
}

void ClothSimulation::step() {
    const auto begin = std::chrono::steady_clock::now();
    stepper_.step();
    script_time_ += stepper_.report().script_part * scene_.time_step;
    ++statistics_.step;
    statistics_.time = static_cast<double>(statistics_.step) * scene_.time_step;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    read_states();
    sum_up(seconds);
}

}  // namespace

std::unique_ptr<Simulation> make_cloth_simulation(SceneDescription scene) {
    return std::make_unique<ClothSimulation>(std::move(scene));
}

}  // namespace graze
