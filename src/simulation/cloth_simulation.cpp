#include "graze/cloth_simulation.h"

#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>

#include "core/nearest_name.h"
#include "graze/deforming_contacts.h"
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
    std::span<const Contact> contacts() const override;
    const StepStatistics& statistics() const override { return statistics_; }
    const Mesh* surface() const override { return &surface_; }

private:
    static SceneDescription checked(SceneDescription scene) {
        if (scene.solver.kind != SolverKind::cloth)
            throw Error("simulation: the scene asks for another solver than cloth");
        return scene;
    }

    bool is_there(std::uint32_t body) const { return is_present_[body] != 0; }
    // Lets bodies in whose start_time has come. Throws Error where they intersect something, and
    // lets none in then.
    void admit_bodies_due();
    void attach_pins(std::uint32_t cloth);
    // Where a body that is fixed or kinematic is when the step has gone so far.
    Transformd scripted_pose(std::uint32_t body, double fraction) const;
    void move_script(double fraction, std::span<Vec3> positions) const;
    void refuse_intersections(DeformingDetector& detector,
                              const std::vector<Triangle>& triangles) const;
    void read_states();
    void read_cloth(std::uint32_t body);
    void sum_energies();
    void sum_up(double seconds);

    SceneDescription scene_;
    std::vector<char> is_present_;       // by body: its start_time has come
    std::vector<double> script_starts_;  // [s] by body: the script's time when it came
    ClothScene built_;                   // its world is the stepper's
    ClothStepper stepper_;
    std::vector<Vec3d> centres_;  // by body, in its shape's frame
    double script_time_ = 0;      // [s] behind that of the steps by what was cut
    Mesh surface_;                // all vertices, and the triangles of bodies that are there
    std::vector<BodyState> states_;
    StepStatistics statistics_;

    // Made when they are asked for; few steps are.
    struct ContactList {
        std::mutex mutex;
        bool is_made = true;
        std::optional<DeformingBodies> bodies;  // of those that are present
        std::vector<Contact> contacts;
    };
    mutable ContactList contact_list_;
};

ClothSimulation::ClothSimulation(SceneDescription scene)
    : scene_(checked(std::move(scene))),
      is_present_(bodies_due(scene_, 0)),
      script_starts_(scene_.bodies.size(), 0),
      built_(build_cloth_scene(scene_)),
      stepper_(std::move(built_.world), built_.topology, scene_.device, {},
               settings_of(scene_, built_.thickness),
               [this](double fraction, std::span<Vec3> positions) {
                   move_script(fraction, positions);
               }) {
    states_.resize(scene_.bodies.size());
    for (const SceneBody& body : scene_.bodies)
        centres_.push_back(centre_of(scene_, body));
    surface_.triangles = built_.topology.triangles;
    refuse_intersections(stepper_.detector(), surface_.triangles);
    read_states();
    sum_up(0);
}

void ClothSimulation::admit_bodies_due() {
    std::vector<char> is_present = bodies_due(scene_, statistics_.time);
    if (is_present == is_present_) return;
    const ClothWorld& world = stepper_.world();
    DeformingTopology topology = describe_topology(scene_, world, is_present);
    DeformingDetector detector(topology, scene_.device);
    refuse_intersections(detector, topology.triangles);
    static_cast<void>(contacts());  // those of the last step are between the bodies that were there
    std::vector<std::uint32_t> units;
    for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i) {
        if (is_present[i] == is_present_[i]) continue;
        script_starts_[i] = script_time_;
        for (std::uint32_t v = built_.first_vertices[i]; v < built_.first_vertices[i + 1]; ++v)
            if (world.units[v] != kScriptUnit) units.push_back(world.units[v]);
        attach_pins(i);
    }
    is_present_ = std::move(is_present);
    surface_.triangles = std::move(topology.triangles);
    contact_list_.bodies.reset();
    stepper_.admit(units, std::move(detector));
}

// Pins of cloth that comes later hold on to where their bodies are by then.
void ClothSimulation::attach_pins(std::uint32_t cloth) {
    if (scene_.bodies[cloth].motion != BodyMotion::cloth) return;
    const ClothWorld& world = stepper_.world();
    for (ScriptedVertex& one : built_.scripted) {
        if (world.bodies[one.vertex] != cloth) continue;
        const Transformd pose = scripted_pose(one.body, 0);
        one.local = transform_point(inverse(pose), static_cast<Vec3d>(world.positions[one.vertex]));
    }
}

Transformd ClothSimulation::scripted_pose(std::uint32_t body, double fraction) const {
    const double time = script_time_ + fraction * scene_.time_step - script_starts_[body];
    return script_pose(scene_.bodies[body], centre_of(scene_, scene_.bodies[body]),
                       is_there(body) ? time : 0);
}

void ClothSimulation::move_script(double fraction, std::span<Vec3> positions) const {
    const ClothWorld& world = stepper_.world();
    std::uint32_t body = ~std::uint32_t{0};
    Transformd pose = Transformd::identity();
    for (const ScriptedVertex& one : built_.scripted) {
        if (!is_there(one.body) || !is_there(world.bodies[one.vertex])) continue;
        if (one.body != body) {
            body = one.body;
            pose = scripted_pose(body, fraction);
        }
        positions[one.vertex] = static_cast<Vec3>(transform_point(pose, one.local));
    }
}

void ClothSimulation::refuse_intersections(DeformingDetector& detector,
                                           const std::vector<Triangle>& triangles) const {
    const ClothWorld& world = stepper_.world();
    const auto found = detector.find_intersections(std::span<const Vec3>(world.positions));
    if (found.empty()) return;
    const auto name = [&](std::uint32_t triangle) {
        return in_quotes(scene_.bodies[world.bodies[triangles[triangle][0]]].name);
    };
    const bool is_start = statistics_.step == 0;
    char time[32];
    std::snprintf(time, sizeof time, "%.6g", statistics_.time);
    throw Error("the bodies " + name(found[0].a) + " and " + name(found[0].b) + " intersect " +
                (is_start ? "at the beginning"
                          : "after " + std::string(time) + " s, when one of them comes") +
                ", in " + std::to_string(found.size()) +
                " pairs of triangles with all others; move them apart" +
                (is_start ? "" : ", or give it another start_time"));
}

std::span<const Contact> ClothSimulation::contacts() const {
    const std::scoped_lock lock(contact_list_.mutex);
    if (contact_list_.is_made) return contact_list_.contacts;
    const ClothWorld& world = stepper_.world();
    if (!contact_list_.bodies) {
        DeformingTopology topology;
        topology.vertex_count = static_cast<std::int64_t>(world.positions.size());
        topology.triangles = surface_.triangles;
        topology.parts = world.bodies;
        contact_list_.bodies.emplace(topology);
    }
    const DeformingBodies& bodies = *contact_list_.bodies;
    contact_list_.contacts.clear();
    std::vector<Vec3d> positions_t1(world.positions.size(), Vec3d{0, 0, 0});
    for (const ClothPart& part : stepper_.parts()) {
        const auto append = [&](std::vector<Contact> made, double fraction) {
            for (Contact& contact : made)
                contact.time = part.time_of(fraction);
            contact_list_.contacts.insert(contact_list_.contacts.end(), made.begin(), made.end());
        };
        append(contacts_of(part.near, bodies, part.positions), 0);
        // Each was found on the way to other positions.
        for (const auto& [impact, points_t1] : part.impacts) {
            for (int i = 0; i < 4; ++i)
                positions_t1[impact.vertices[i]] = static_cast<Vec3d>(points_t1[i]);
            append(contacts_of(std::span(&impact, 1), bodies, part.positions,
                               std::span<const Vec3d>(positions_t1)),
                   impact.time);
        }
    }
    contact_list_.is_made = true;
    return contact_list_.contacts;
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
        state.is_present = is_there(i);
        state.pose = body.pose;
        if (body.motion == BodyMotion::cloth) read_cloth(i);
        if (body.motion == BodyMotion::kinematic) {
            state.pose = in_float(scripted_pose(i, 0));
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
        if (!(world.inverse_masses[v] > 0) || world.is_waiting[world.units[v]]) continue;
        const double mass = 1 / world.inverse_masses[v];
        kinetic += mass * length_sq(world.velocities[v]) / 2;
        potential -= mass * dot(gravity, static_cast<Vec3d>(world.positions[v]));
    }
    for (std::size_t i = 0; i < world.rigid.size(); ++i) {
        const RigidBody& body = world.rigid[i];
        if (world.is_waiting[i + 1]) continue;
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
    sum.body_count = sum.awake_count = 0;
    for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i) {
        const BodyMotion motion = scene_.bodies[i].motion;
        if (!is_there(i)) continue;
        ++sum.body_count;
        sum.awake_count += motion == BodyMotion::dynamic || motion == BodyMotion::cloth;
    }
    const DeformingReport& found = stepper_.detector().report();
    sum.pair_count = found.element_pair_count;
    sum.found_count = report.proximity_count + report.impact_count;
    sum.contact_count = report.contact_count;
    sum.deepest_penetration = 0;  // nothing ever overlaps
    sum_energies();
    sum.stages = {{"predict", report.predict_seconds},
                  {"proximities", report.proximity_seconds},
                  {"solve", report.solve_seconds},
                  {"impacts", report.impact_seconds},
                  {"cut", report.cut_seconds}};
    sum.figures = {{"impacts", static_cast<double>(report.impact_count)},
                   {"rounds", static_cast<double>(report.round_count)},
                   {"parts", static_cast<double>(report.part_count)},
                   {"cut", static_cast<double>(report.cut_count)},
                   {"script_part", report.script_fraction},
                   {"script_work", report.script_work},
                   {"elastic_energy", report.elastic_energy},
                   {"stretch_least", report.stretch_least},
                   {"stretch_p1", report.stretch_p1},
                   {"stretch_p99", report.stretch_p99},
                   {"stretch_most", report.stretch_most}};
    if (scene_.solver.cloth.checks_intersections) {
        const auto pairs =
            stepper_.detector().find_intersections(std::span<const Vec3>(surface_.positions));
        sum.figures.push_back({"intersections", static_cast<double>(pairs.size())});
    }
}

void ClothSimulation::step() {
    const auto begin = std::chrono::steady_clock::now();
    admit_bodies_due();
    stepper_.step();
    contact_list_.is_made = false;
    script_time_ += stepper_.report().script_fraction * scene_.time_step;
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
