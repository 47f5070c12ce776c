#include "simulation/read_motion.h"

#include "simulation/read_pose.h"

namespace graze {

namespace {

constexpr std::size_t kMaxPathPoints = 100'000, kMaxPins = 1'000;

Aabb read_pin_box(const JsonCursor& at) {
    at.require_members({"min", "max"});
    const Aabb box{at.at("min").vector(kAnyLength), at.at("max").vector(kAnyLength)};
    if (box.is_empty()) at.fail("min is above max");
    return box;
}

}  // namespace

std::vector<PathPoint> read_path(const JsonCursor& at, const Transform& pose) {
    std::vector<PathPoint> path(at.size(1, kMaxPathPoints));
    for (std::size_t i = 0; i < path.size(); ++i) {
        const JsonCursor one = at[i];
        one.require_members({"time", "position", "rotation"});
        path[i] = {one.at("time").number({0, 1e6}), pose.translation, pose.rotation};
        if (i > 0 && path[i].time <= path[i - 1].time)
            one.at("time").fail("is not after that of the point before it");
        one.read("position", path[i].position, kAnyLength);
        if (const auto rotation = one.find("rotation")) {
            const Quatd q = read_rotation(*rotation);
            path[i].rotation = {static_cast<float>(q.w), static_cast<float>(q.x),
                                static_cast<float>(q.y), static_cast<float>(q.z)};
        }
    }
    return path;
}

std::vector<ClothPin> read_pins(const JsonCursor& at) {
    std::vector<ClothPin> pins(at.size(1, kMaxPins));
    for (std::size_t i = 0; i < pins.size(); ++i) {
        at[i].require_members({"box", "to"});
        pins[i].box = read_pin_box(at[i].at("box"));
        if (const auto to = at[i].find("to")) to->string();
    }
    return pins;
}

void check_cloth_motion(const JsonCursor& at, const SceneBody& body, SolverKind solver) {
    const bool is_cloth = body.motion == BodyMotion::cloth;
    const Vec3 none{0, 0, 0};
    if (!body.path.empty() && body.motion != BodyMotion::kinematic)
        at.fail("has a path, along which only kinematic bodies go; make it kinematic");
    if (!body.path.empty() && (body.velocity != none || body.angular_velocity != none))
        at.fail("has a path and a velocity; keep one of them");
    if (!body.pins.empty() && !is_cloth)
        at.fail("has pins, which hold only cloth; leave them out, or make it cloth");
    if (is_cloth && body.angular_velocity != none)
        at.fail("is cloth and has an angular velocity; leave that out");
    if (solver == SolverKind::cloth) return;
    if (is_cloth || !body.path.empty())
        at.fail("is cloth or has a path, which the solver cloth moves; choose it in solver.kind");
}

}  // namespace graze
