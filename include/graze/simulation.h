// Simulation: a scene that moves, step by step, whatever solver moves it.
#pragma once

#include <memory>
#include <span>

#include "graze/scene_description.h"

namespace graze {

struct BodyState {
    Transform pose = Transform::identity();  // world from shape
    Vec3 velocity{0, 0, 0};                  // [m/s] of the centre of mass, world
    Vec3 angular_velocity{0, 0, 0};          // [rad/s] world
    bool is_present = false;                 // its start_time has come
    bool is_asleep = false;                  // at rest, and left alone until touched
};

// What one step did.
struct StepStatistics {
    std::int64_t step = 0;           // 1 is the first
    double time = 0;                 // [s] simulated, at the step's end
    double seconds = 0;              // the step took
    std::int64_t body_count = 0;     // present
    std::int64_t awake_count = 0;    // dynamic and not asleep
    std::int64_t pair_count = 0;     // with touching boxes, which the detector was asked about
    std::int64_t found_count = 0;    // contacts before any reduction
    std::int64_t contact_count = 0;  // given to the solver
    float deepest_penetration = 0;   // [m] of all contacts; 0 where nothing overlaps
    double kinetic_energy = 0;       // [J] of dynamic bodies
    double potential_energy = 0;     // [J] of dynamic bodies, by gravity, 0 at the origin
    std::vector<StepReport::Stage> stages;  // in order; together nearly all of seconds
    // What only this solver tells; the same names in every step.
    std::vector<Figure> figures{};
};

class Simulation {
public:
    Simulation() = default;
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    virtual ~Simulation();

    // Moves on by the scene's time step. Where a StopScope ends it, states, statistics and surface
    // are those before the step, and it can make no further one.
    virtual void step() = 0;

    virtual const SceneDescription& scene() const = 0;
    // The states of all the scene's bodies, those to come included, in their order.
    virtual std::span<const BodyState> states() const = 0;
    // The contacts that the solver got in the last step, after reduction. Bodies are called by
    // their index in the scene; what deforms may touch itself.
    virtual std::span<const Contact> contacts() const = 0;
    // What the last step did.
    virtual const StepStatistics& statistics() const = 0;
    // Where bodies deform: the vertices of all bodies, in their order, where they are now, and the
    // triangles of those that are present. Null where all are rigid.
    virtual const Mesh* surface() const { return nullptr; }
};

// A number that two runs share where every body has the same pose and velocity, to the last bit.
std::uint64_t state_hash(std::span<const BodyState> states);
// The same, and where bodies deform, every vertex has the same position.
std::uint64_t state_hash(const Simulation& simulation);

}  // namespace graze
