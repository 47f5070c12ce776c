// How bodies and the points of contacts move within a step, as pictures show it.
#pragma once

#include <span>
#include <vector>

#include "graze/draw_contacts.h"

namespace graze {

// Returns whether the body is elsewhere at the end of the step.
bool is_moving(const Body& body);
// Returns where a body is at a time from 0 to 1 of the step.
Transformd pose_within_step(const Body& body, double time);

// The path of one body's point that touches, from the start of the step to the contact's time.
struct ContactPath {
    std::size_t contact;        // index
    std::vector<Vec3d> points;  // [m] world; two or more, the last is where the contact is
};
// Appends a path for each of the contact's bodies that moves.
void add_paths(const Scene& scene, const Contact& contact, std::size_t index, SweepMotion motion,
               std::vector<ContactPath>& paths);

// A body as it is later in the step.
struct LaterBody {
    std::uint32_t body;
    Transform pose;
};
// Returns each body that moves as it is when it first touches another, or at the end of the step
// where it touches none or does so from the start.
std::vector<LaterBody> later_bodies(const Scene& scene, std::span<const Contact> contacts);

}  // namespace graze
