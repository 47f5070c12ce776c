#include "graze_bullet/graze_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "convert.h"
#include "field_rays.h"
#include "graze/error.h"
#include "graze/extract_surface.h"
#include "shape_triangles.h"

namespace graze::bullet {

namespace {

// Several threads may send rays to a shape at the same time.
std::mutex g_first_use;

constexpr float kLarge = 1e18f;  // as Bullet's BT_LARGE_FLOAT

bool has_end(const Aabb& bounds) {
    return std::max({bounds.max.x, bounds.max.y, bounds.max.z}) < kLarge &&
           std::min({bounds.min.x, bounds.min.y, bounds.min.z}) > -kLarge;
}

}  // namespace

MassFrame mass_frame(const MassProperties& mass_properties, float density, float scale) {
    const double volume = mass_properties.volume;
    if (!(volume > 0) || !std::isfinite(volume))
        throw Error(
            "mass_frame: the shape has no volume; close the mesh and let its faces look "
            "outwards, or take the mass from its field");
    if (!(density > 0) || !(scale > 0))
        throw Error("mass_frame: density and scale must be above 0");
    // The inertia is scaled to a mean of 1, so that small bodies keep their digits.
    const Mat3d& inertia = mass_properties.inertia;
    const double mean = (inertia.columns[0].x + inertia.columns[1].y + inertia.columns[2].z) / 3;
    if (!(mean > 0)) throw Error("mass_frame: the shape's inertia is not that of a solid");
    btMatrix3x3 scaled;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            scaled[row][column] = static_cast<btScalar>(inertia.columns[column][row] / mean);
    }
    btMatrix3x3 shape_from_body;
    scaled.diagonalize(shape_from_body, btScalar(1e-6), 50);
    btQuaternion rotation;
    shape_from_body.getRotation(rotation);
    const Quat body_from_shape = conjugate(to_graze(btTransform(rotation)).rotation);
    const Vec3 centre = static_cast<Vec3>(mass_properties.centre);
    const double mass = density * volume * std::pow(scale, 3);
    MassFrame frame;
    frame.body_from_shape = {rotate(body_from_shape, centre * -scale), body_from_shape, scale};
    frame.mass = static_cast<float>(mass);
    const double unit = density * mean * std::pow(scale, 5);
    for (int axis = 0; axis < 3; ++axis)
        frame.inertia[axis] = static_cast<float>(unit * scaled[axis][axis]);
    const Vec3& moments = frame.inertia;
    const float least = std::min({frame.mass, moments.x, moments.y, moments.z});
    const float most = std::max({frame.mass, moments.x, moments.y, moments.z});
    if (!(least >= std::numeric_limits<float>::min() && most <= 1e30f))
        throw Error(
            "mass_frame: the mass or inertia is beyond what a solver can take; choose "
            "another density, scale or unit of length");
    return frame;
}

GrazeShape::GrazeShape(graze::Shape shape, const Transform& body_from_shape)
    : shape_(std::move(shape)), body_from_shape_(body_from_shape) {
    m_shapeType = kType;
    m_collisionMargin = btScalar(0.01);
}
GrazeShape::~GrazeShape() = default;

Transform GrazeShape::body_from_shape() const {
    const auto scale = static_cast<float>(scaling_.x());
    return {body_from_shape_.translation * scale, body_from_shape_.rotation,
            body_from_shape_.scale * scale};
}

void GrazeShape::getAabb(const btTransform& world_from_body, btVector3& min, btVector3& max) const {
    const Aabb& bounds = shape_.field().bounds();
    if (!has_end(bounds)) {
        min.setValue(-kLarge, -kLarge, -kLarge);
        max.setValue(kLarge, kLarge, kLarge);
        return;
    }
    const Aabb box = transform_box(to_graze(world_from_body) * body_from_shape(), bounds);
    const btVector3 margin(getMargin(), getMargin(), getMargin());
    min = to_bullet(box.min) - margin;
    max = to_bullet(box.max) + margin;
}

void GrazeShape::setLocalScaling(const btVector3& scaling) {
    if (!(scaling.x() > 0) || scaling.x() != scaling.y() || scaling.x() != scaling.z())
        throw Error(
            "GrazeShape: a distance field keeps its meaning only under one scale above 0 "
            "for all axes; scale the mesh before its field is built");
    scaling_ = scaling;
    ready_triangles_ = nullptr;
    triangles_.reset();
}

const MassProperties& GrazeShape::solid() const {
    const std::lock_guard lock(g_first_use);
    if (!solid_)
        solid_ = shape_.mesh() != nullptr ? mass_properties(*shape_.mesh())
                                          : mass_properties(shape_.field());
    return *solid_;
}

void GrazeShape::calculateLocalInertia(btScalar mass, btVector3& inertia) const {
    const MassProperties& properties = solid();
    if (!(properties.volume > 0))
        throw Error("GrazeShape: the shape has no volume to take its inertia from");
    // The inertia is moved to the body's origin by the parallel axis theorem.
    const Transform from_shape = body_from_shape();
    const Quat& q = from_shape.rotation;
    const Mat3d turn = to_matrix(Quatd{q.w, q.x, q.y, q.z});
    const Vec3d centre = turn * (properties.centre * static_cast<double>(from_shape.scale)) +
                         static_cast<Vec3d>(from_shape.translation);
    const Mat3d turned = turn * properties.inertia * transpose(turn);
    const double scale_sq = static_cast<double>(from_shape.scale) * from_shape.scale;
    for (int axis = 0; axis < 3; ++axis) {
        const double own = turned.columns[axis][axis] * scale_sq / properties.volume;
        inertia[axis] =
            static_cast<btScalar>(mass * (own + length_sq(centre) - centre[axis] * centre[axis]));
    }
}

GrazeShape::Triangles& GrazeShape::triangles() const {
    if (Triangles* made = ready_triangles_.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(g_first_use);
    if (!triangles_) {
        Mesh mesh = shape_.mesh() != nullptr ? *shape_.mesh() : extract_surface(shape_.field());
        const Transform from_shape = body_from_shape();
        for (Vec3& p : mesh.positions)
            p = transform_point(from_shape, p);
        triangles_ = std::make_unique<Triangles>(std::move(mesh));
        ready_triangles_.store(triangles_.get(), std::memory_order_release);
    }
    return *triangles_;
}

void GrazeShape::processAllTriangles(btTriangleCallback* callback, const btVector3& min,
                                     const btVector3& max) const {
    if (callback == nullptr) return;
    auto* ray = dynamic_cast<btTriangleRaycastCallback*>(callback);
    if (ray != nullptr && shape_.mesh() == nullptr && !has_end(shape_.bounds()))
        cast_ray(*ray, shape_.field(), body_from_shape());
    else
        triangles().ask(*callback, min, max);
}

}  // namespace graze::bullet
