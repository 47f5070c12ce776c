// ClothWorld: everything that the solver cloth moves, its vertices in one array.
//
// A vertex goes where its unit takes it. Unit 0 is the script: fixed and kinematic bodies, and
// cloth that is pinned to them. Each rigid body is a unit. Every other vertex, of cloth, is one by
// itself.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/mat3.h"
#include "graze/mesh.h"
#include "graze/quat.h"

namespace graze {

constexpr std::uint32_t kScriptUnit = 0;

// A rigid body that moves freely.
struct RigidBody {
    std::uint32_t first_vertex = 0;
    std::vector<Vec3d> local;  // [m] its vertices, from the centre of mass, in its own axes
    double inverse_mass = 0;   // [1/kg]
    Mat3d inertia{}, inverse_inertia{};     // [kg m^2] and its inverse, in its own axes
    Vec3d force{0, 0, 0}, torque{0, 0, 0};  // [N], [N m] world
    // Where it is, and how fast.
    Vec3d centre{0, 0, 0};  // [m] of mass, world
    Quatd rotation = Quatd::identity();
    Vec3d velocity{0, 0, 0}, angular_velocity{0, 0, 0};  // [m/s], [rad/s] world
    // Where the step is to take it, and where the motion began from which friction counts.
    Vec3d next_centre{0, 0, 0}, from_centre{0, 0, 0};
    Quatd next_rotation = Quatd::identity(), from_rotation = Quatd::identity();

    Vec3d next_position(std::uint32_t vertex) const {
        return next_centre + rotate(next_rotation, local[vertex - first_vertex]);
    }
    Vec3d from_position(std::uint32_t vertex) const {
        return from_centre + rotate(from_rotation, local[vertex - first_vertex]);
    }
};

// Two vertices that want to keep their distance.
struct DistanceConstraint {
    std::uint32_t a, b;
    float rest;  // [m]
};

struct ClothWorld {
    // By vertex.
    std::vector<Vec3> positions;         // [m] now; free of intersections, always
    std::vector<Vec3d> next;             // [m] where the step is to take it; not kept up if rigid
    std::vector<Vec3d> from;             // [m] where the motion began from which friction counts
    std::vector<Vec3d> velocities;       // [m/s] of cloth
    std::vector<double> inverse_masses;  // [1/kg] of cloth; 0 where others move it
    std::vector<Vec3> rest;              // [m] at the beginning
    std::vector<std::uint32_t> units;
    std::vector<std::uint32_t> bodies;  // in the scene
    std::vector<float> frictions;       // Coulomb's, of the body's material
    std::vector<float> restitutions;    // of the body's material

    std::vector<Triangle> triangles;
    std::vector<RigidBody> rigid;  // unit i is rigid[i - 1]
    std::uint32_t unit_count = 1;
    // By unit: its body is not there yet, so that it neither moves nor meets anything. The script's
    // is never waiting.
    std::vector<char> is_waiting;
    std::vector<DistanceConstraint> stretches, bends;

    bool is_rigid(std::uint32_t vertex) const {
        return units[vertex] != kScriptUnit && units[vertex] <= rigid.size();
    }
    RigidBody& body_of(std::uint32_t vertex) { return rigid[units[vertex] - 1]; }
    const RigidBody& body_of(std::uint32_t vertex) const { return rigid[units[vertex] - 1]; }
    Vec3d next_position(std::uint32_t vertex) const {
        return is_rigid(vertex) ? body_of(vertex).next_position(vertex) : next[vertex];
    }
    Vec3d from_position(std::uint32_t vertex) const {
        return is_rigid(vertex) ? body_of(vertex).from_position(vertex) : from[vertex];
    }
};

}  // namespace graze
