// SceneDescription: all that a simulation starts from, as a scene file says it or as a program
// puts it together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graze/detector.h"
#include "graze/field_cache.h"
#include "graze/mass_properties.h"

namespace graze {

struct Material {
    std::string name;
    float density = 1000;  // [kg/m^3]
    // Coulomb's coefficient. Two bodies that touch have the geometric mean of theirs.
    float friction = 0.5f;
    // 0: no bounce, 1: all of it. Two bodies that touch have the geometric mean of theirs.
    float restitution = 0;
};

// What the volume, centre and inertia of a shape were integrated from.
enum class MassSource { mesh, field };

struct SceneShape {
    std::string name;  // unique
    Shape shape;
    std::string origin;  // in plain words: "armadillo.obj", "generated bolt", "formula"
    // The mass properties for a density of 1, in the shape's frame. They are absent where the solid
    // has no end, as a plane, or no volume; then no body of this shape can move freely.
    std::optional<MassProperties> mass = std::nullopt;
    MassSource mass_source = MassSource::mesh;
    // They say in plain words what was wrong with the mesh, and what was done about it.
    std::vector<std::string> findings{};
};

enum class BodyMotion {
    dynamic,    // moved by forces
    fixed,      // never moves
    kinematic,  // moves by its velocities or its path, whatever it meets
    cloth,      // its mesh deforms; only the solver cloth moves it
};

// Where a kinematic body is at a time; it moves straight and evenly from one point to the next.
struct PathPoint {
    double time = 0;                   // [s] after the body's start_time
    Vec3 position{0, 0, 0};            // [m] of the shape's origin, world
    Quat rotation = Quat::identity();  // world from shape
};

// Vertices of cloth that do not move freely.
struct ClothPin {
    static constexpr std::uint32_t kNoBody = 0xffffffffu;
    Aabb box = Aabb::empty();  // [m] world: the vertices that are in it at the beginning are held
    // They go with this body, an index into SceneDescription::bodies; without one they stay.
    std::uint32_t body = kNoBody;
};

struct SceneBody {
    std::string name;            // unique
    std::uint32_t shape = 0;     // index into SceneDescription::shapes
    std::uint32_t material = 0;  // index into SceneDescription::materials
    BodyMotion motion = BodyMotion::dynamic;
    // World from shape, at start_time; it may scale.
    Transform pose = Transform::identity();
    Vec3 velocity{0, 0, 0};          // [m/s] of the centre of mass, world
    Vec3 angular_velocity{0, 0, 0};  // [rad/s] world
    // A force on the centre of mass [N] and a torque [N m] that act all the time, in the world's
    // axes.
    Vec3 force{0, 0, 0}, torque{0, 0, 0};
    double start_time = 0;  // [s] the body is not there before
    // Two bodies can touch where each one's mask has a bit of the other's group.
    std::uint32_t group = 1, mask = ~std::uint32_t{0};
    // Along it a kinematic body moves, instead of by its velocities; times ascend. Empty: there is
    // none.
    std::vector<PathPoint> path{};
    std::vector<ClothPin> pins{};  // they hold cloth
};

// What turns contacts into motion.
enum class SolverKind {
    bullet,   // rigid bodies
    cloth,    // cloth and rigid bodies by position-based dynamics; nothing ever crosses
    penalty,  // rigid bodies by springs where they overlap, integrated over the step
};

// Options of the solver cloth.
struct ClothOptions {
    // [m] Surfaces keep this far apart, and cloth weighs as much as if it were that thick. 0 means
    // a quarter of the mean edge of all cloth, or of everything where there is none.
    float thickness = 0;
    // [m/N] How much an edge gives way, and how much the distance of two vertices across an edge.
    float stretch_compliance = 1e-6f, bend_compliance = 1;
    // How often impacts that are left after solving are pushed apart before the step is cut.
    int push_rounds = 3;
    // Whether intersecting triangles are counted after each step, exactly, to confirm that there
    // are none.
    bool checks_intersections = false;
};

// How the normals and handles of contacts change within a step of the solver penalty.
enum class PenaltyInterpolation {
    acceleration,  // as the bodies do under constant acceleration; normals are the field's
    linear,        // straight from their values at t0 to those at t1
};

// Options of the solver penalty. A point of one body that is inside another is pushed out by a
// spring and slowed down by a damper.
struct PenaltyOptions {
    // [N/m] Of each point. Without one: as much as a step bears, see chosen_stiffness().
    std::optional<float> stiffness = std::nullopt;
    // [N s/m] Of each point. Without one: the stiffness times the time step. With less than half of
    // that bodies at rest gain energy, since forces act a step later (docs/concepts/penalty.md).
    std::optional<float> damping = std::nullopt;
    // Whether forces are integrated over the times in the step when a point is inside, or taken
    // from the step's end alone.
    bool is_continuous = true;
    PenaltyInterpolation interpolation = PenaltyInterpolation::acceleration;
    // Damping never pulls, and along the surface it holds no more than Coulomb's friction by the
    // materials. Without this it opposes all motion in contact, as Xu and Barbic have it.
    bool limits_damping = true;
    // Whether points are searched by their tree of spheres; else one by one, for comparison.
    bool uses_tree = true;
};

struct SolverOptions {
    SolverKind kind = SolverKind::bullet;
    int iterations = 20;
    // The fraction of its velocity that a body loses in a second.
    float linear_damping = 0, angular_damping = 0.05f;
    bool sleeps = true;  // bodies at rest are left alone until touched
    ClothOptions cloth = {};
    PenaltyOptions penalty = {};
};

struct SceneDescription {
    std::string name;
    std::vector<SceneShape> shapes;
    std::vector<Material> materials;
    std::vector<SceneBody> bodies;
    Method method = Method::particles;
    // A gap of 0 leaves the gap to the solver.
    DetectorOptions detector = {.particles = {.normal = NormalRule::smoother}};
    Device device = Device::cpu();
    Vec3 gravity{0, 0, -9.81f};   // [m/s^2]
    double time_step = 1.0 / 60;  // [s]
    double duration = 10;         // [s]
    int frame_steps = 1;          // steps from one recorded frame to the next
    SolverOptions solver;
};

struct SceneLoadOptions {
    // Where they are given, they hold instead of what the file says.
    std::optional<Device> device = std::nullopt;
    std::optional<int> threads = std::nullopt;
    FieldCacheOptions cache;
    // Where meshes that are not beside the file are looked for, in this order, before the folder
    // that the environment's GRAZE_DATA names, or ../../shared/data from the file's where it names
    // none.
    std::vector<std::filesystem::path> mesh_folders;
    Progress progress = nullptr;  // told the fraction of all the shapes together
    // Files that ask for more are refused: for more bodies, or for anything finer, by the
    // resolution of a field or the number of segments of a generated mesh.
    std::int64_t body_limit = 1'000'000;
    int detail_limit = 4096;
};

// Reads a scene file (docs/formats/scene_files.md) and builds its shapes. Throws Error that names
// the file, the path of the offending field, as bodies[3].pose.rotation, and what was expected
// there.
SceneDescription load_scene(const std::filesystem::path& file,
                            const SceneLoadOptions& options = {});
// Reads a scene from memory; name and folder stand for the file's.
SceneDescription parse_scene(std::string_view text, const std::string& name,
                             const std::filesystem::path& folder,
                             const SceneLoadOptions& options = {});

// The JSON schema of scene files.
std::string_view scene_schema();

}  // namespace graze
