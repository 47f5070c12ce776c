#include "graze_bullet/simulation.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "convert.h"
#include "graze/error.h"
#include "simulated_body.h"
#include "timed_world.h"

namespace graze::bullet {

namespace {

// [m] Returns twice the margin of all shapes: what the scene says, or else 1/50 of the smallest
// body that moves.
float choose_gap(const SceneDescription& scene) {
    if (scene.detector.gap > 0) return scene.detector.gap;
    float smallest = std::numeric_limits<float>::max();
    for (const SceneBody& body : scene.bodies) {
        if (body.motion == BodyMotion::fixed) continue;
        const Vec3 sides = extent(scene.shapes.at(body.shape).shape.bounds()) * body.pose.scale;
        smallest = std::min({smallest, std::max({sides.x, sides.y, sides.z})});
    }
    return smallest < std::numeric_limits<float>::max() ? smallest / 50 : 0.02f;
}

DispatcherOptions dispatcher_options(const SceneDescription& scene) {
    DispatcherOptions options;
    const ContactReduction usual = options.detector.reduction;
    options.method = scene.method;
    options.is_speculative = scene.method == Method::sweep;
    options.detector = scene.detector;
    options.detector.gap = choose_gap(scene);
    // A speculative dispatcher chooses from all of them.
    if (options.is_speculative) return options;
    // The solver gets the contacts of patches; to find more than these need is not worth the time.
    if (options.detector.reduction.manifold_count == 0 &&
        options.detector.reduction.deepest_count == 0)
        options.detector.reduction.manifold_count = usual.manifold_count;
    if (options.detector.reduction.manifold_slack == 0)
        options.detector.reduction.manifold_slack = options.detector.gap / 4;
    return options;
}

// Groups and masks are those of the scene. Two bodies that no force moves are left out, as their
// contacts change nothing.
struct SceneFilter : btOverlapFilterCallback {
    bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
        const auto* object_a = static_cast<const btCollisionObject*>(a->m_clientObject);
        const auto* object_b = static_cast<const btCollisionObject*>(b->m_clientObject);
        return (a->m_collisionFilterGroup & b->m_collisionFilterMask) != 0 &&
               (b->m_collisionFilterGroup & a->m_collisionFilterMask) != 0 &&
               !(object_a->isStaticOrKinematicObject() && object_b->isStaticOrKinematicObject());
    }
};

class BulletSimulation : public Simulation {
public:
    explicit BulletSimulation(SceneDescription scene);
    ~BulletSimulation() override;

    void step() override;
    const SceneDescription& scene() const override { return scene_; }
    std::span<const BodyState> states() const override { return states_; }
    std::span<const Contact> contacts() const override { return contacts_; }
    const StepStatistics& statistics() const override { return statistics_; }

private:
    void add_bodies_due();
    void read_states();
    void read_contacts();
    void sum_up(double seconds);
    int part_count() const;

    SceneDescription scene_;
    btDefaultCollisionConfiguration configuration_;
    GrazeDispatcher dispatcher_;
    SceneFilter filter_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    TimedWorld world_;
    std::vector<SimulatedBody> bodies_;
    std::vector<bool> is_present_;
    std::vector<BodyState> states_;
    std::vector<Contact> contacts_;
    StepStatistics statistics_;
    SpeculativeWorld::Report speculative_;  // of the last step
};

BulletSimulation::BulletSimulation(SceneDescription scene)
    : scene_(std::move(scene)),
      configuration_(collision_settings()),
      dispatcher_(&configuration_, scene_.device, dispatcher_options(scene_)),
      world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    if (scene_.solver.kind != SolverKind::bullet)
        throw Error("simulation: the scene asks for another solver; make_cloth_simulation runs it");
    // Bullet takes shorter time steps for none.
    if (!(scene_.time_step >= 1e-6)) throw Error("simulation: time_step must be at least 1e-6 s");
    broadphase_.getOverlappingPairCache()->setOverlapFilterCallback(&filter_);
    world_.setGravity(to_bullet(scene_.gravity));
    btContactSolverInfo& settings = world_.getSolverInfo();
    settings.m_numIterations = scene_.solver.iterations;
    // Deeper overlaps are pushed apart without adding to the velocities. Bullet's own 4 cm are for
    // bodies of a metre or two.
    settings.m_splitImpulse = 1;
    // The fraction of an overlap that a step takes away. With Bullet's own 0.2 a chain's energy
    // grows by twice as much, as pushing bodies apart also moves them; with 0.05 thin contacts
    // yield.
    settings.m_erp2 = btScalar(0.1);
    settings.m_splitImpulsePenetrationThreshold = -2 * dispatcher_.options().detector.gap;
    // By default friction acts along the direction in which a point slides, which says little where
    // it hardly slides: a stack of ten boxes then leans over by a third of a metre within 10 s,
    // instead of half a centimetre.
    settings.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    const float margin = dispatcher_.options().detector.gap / 2;
    bodies_.reserve(scene_.bodies.size());
    for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i)
        bodies_.emplace_back(scene_, i, margin);
    is_present_.assign(bodies_.size(), false);
    states_.resize(bodies_.size());
    add_bodies_due();
    read_states();
    sum_up(0);
}

BulletSimulation::~BulletSimulation() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        if (is_present_[i]) world_.removeRigidBody(&bodies_[i].rigid_body());
    }
}

void BulletSimulation::add_bodies_due() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const SceneBody& description = scene_.bodies[i];
        // A body may come half a step early, so that rounding never makes it a step late.
        if (is_present_[i] || description.start_time > statistics_.time + scene_.time_step / 2)
            continue;
        world_.addRigidBody(&bodies_[i].rigid_body(), static_cast<int>(description.group),
                            static_cast<int>(description.mask));
        is_present_[i] = true;
    }
}

void BulletSimulation::read_states() {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
        states_[i] = bodies_[i].state(is_present_[i]);
}

// The dispatcher numbers objects as it met them; contacts get the indices of the scene's bodies.
void BulletSimulation::read_contacts() {
    contacts_.assign(dispatcher_.contacts().begin(), dispatcher_.contacts().end());
    for (Contact& contact : contacts_) {
        const auto body = [&](std::uint32_t index) {
            return static_cast<std::uint32_t>(dispatcher_.object(index)->getUserIndex());
        };
        contact.body_a = body(contact.body_a);
        contact.body_b = body(contact.body_b);
        if (contact.body_a < contact.body_b) continue;
        std::swap(contact.body_a, contact.body_b);
        std::swap(contact.feature_a, contact.feature_b);
        contact.normal = -contact.normal;
    }
}

void BulletSimulation::sum_up(double seconds) {
    StepStatistics& sum = statistics_;
    sum.seconds = seconds;
    sum.body_count = sum.awake_count = 0;
    sum.kinetic_energy = sum.potential_energy = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        if (!is_present_[i]) continue;
        ++sum.body_count;
        if (scene_.bodies[i].motion == BodyMotion::dynamic && !states_[i].is_asleep)
            ++sum.awake_count;
        sum.kinetic_energy += bodies_[i].kinetic_energy();
        sum.potential_energy += bodies_[i].potential_energy(scene_.gravity);
    }
    const StepReport& report = dispatcher_.report();
    sum.pair_count = report.pair_count;
    sum.found_count = report.found_count;
    sum.contact_count = static_cast<std::int64_t>(contacts_.size());
    sum.deepest_penetration = 0;
    for (const Contact& contact : contacts_)
        sum.deepest_penetration = std::max(sum.deepest_penetration, -contact.distance);
    const GrazeDispatcher::Times& dispatch = dispatcher_.times();
    sum.stages = {{"broad phase", world_.times.broad_phase},
                  {"gather", dispatch.total - dispatch.detect - dispatch.manifolds},
                  {"detect", dispatch.detect},
                  {"manifolds", dispatch.manifolds},
                  {"solve", world_.times.solve},
                  {"integrate", world_.times.integrate}};
    if (!dispatcher_.options().is_speculative) return;
    sum.figures = {{"looks", static_cast<double>(speculative_.look_count)},
                   {"solves", static_cast<double>(speculative_.solve_count)},
                   {"cuts", static_cast<double>(speculative_.cut_count)},
                   {"unresolved", static_cast<double>(speculative_.unresolved_count)}};
}

// A script that turns a body far makes a step of several: a motion knows no turns beyond 180
// degrees, and what is pushed by a body that turns leaves it along a tangent.
int BulletSimulation::part_count() const {
    if (!dispatcher_.options().is_speculative) return 1;
    constexpr double kMostTurn = 0.7;  // [rad] Bullet takes pi/4 for the most that a body can turn
    double fastest = 0;
    for (const SceneBody& body : scene_.bodies) {
        if (body.motion == BodyMotion::kinematic)
            fastest = std::max(fastest, static_cast<double>(length(body.angular_velocity)));
    }
    return std::max(1, static_cast<int>(std::ceil(fastest * scene_.time_step / kMostTurn)));
}

void BulletSimulation::step() {
    const auto begin = std::chrono::steady_clock::now();
    add_bodies_due();
    const auto time_step = static_cast<btScalar>(scene_.time_step);
    const int parts = part_count();
    const btScalar part = time_step / static_cast<btScalar>(parts);
    speculative_ = {};
    for (int i = 0; i < parts; ++i) {
        for (std::size_t body = 0; body < bodies_.size(); ++body) {
            if (!is_present_[body]) continue;
            bodies_[body].apply_forces();
            bodies_[body].move_kinematic(part);
        }
        world_.stepSimulation(part, 0, part);
        const SpeculativeWorld::Report& report = world_.report();
        speculative_.look_count += report.look_count;
        speculative_.solve_count += report.solve_count;
        speculative_.cut_count += report.cut_count;
        speculative_.unresolved_count += report.unresolved_count;
    }
    ++statistics_.step;
    statistics_.time = static_cast<double>(statistics_.step) * scene_.time_step;
    read_states();
    read_contacts();
    sum_up(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

}  // namespace

std::unique_ptr<Simulation> make_simulation(SceneDescription scene) {
    return std::make_unique<BulletSimulation>(std::move(scene));
}

}  // namespace graze::bullet
