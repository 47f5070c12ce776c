// GrazeShape is a graze::Shape in a Bullet world, concave or not, moving or not.
#pragma once

#include <BulletCollision/CollisionShapes/btConcaveShape.h>

#include <atomic>
#include <memory>
#include <optional>

#include "graze/mass_properties.h"
#include "graze/shape.h"

namespace graze::bullet {

// MassFrame is the frame of a body as Bullet wants it: the centre of mass is at the origin and the
// principal axes of inertia are x, y and z.
struct MassFrame {
    Transform body_from_shape = Transform::identity();  // with the scale
    float mass = 0;                                     // [kg]
    Vec3 inertia{0, 0, 0};                              // [kg m^2] about x, y and z
};
// mass_properties are those of the shape, for a density of 1. Throws Error where they are not those
// of a solid.
MassFrame mass_frame(const MassProperties& mass_properties, float density, float scale = 1);

class GrazeShape : public btConcaveShape {
public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    // body_from_shape puts the shape into the body's frame, as MassFrame does; it may scale.
    explicit GrazeShape(graze::Shape shape,
                        const Transform& body_from_shape = Transform::identity());
    ~GrazeShape() override;

    // None of Bullet's own shapes is of this type.
    static constexpr int kType = FAST_CONCAVE_MESH_PROXYTYPE;

    const graze::Shape& shape() const { return shape_; }
    // Returns the constructor's transform, scaled by setLocalScaling.
    Transform body_from_shape() const;

    // The box has the margin around it, which is half of the gap between two bodies at which
    // contacts begin; it is 0.01 unless set.
    void getAabb(const btTransform& world_from_body, btVector3& min, btVector3& max) const override;
    // Only uniform scales are possible; others throw Error.
    void setLocalScaling(const btVector3& scaling) override;
    const btVector3& getLocalScaling() const override { return scaling_; }
    // The inertia is that of the shape's mesh where it has one, else of its field, about the body's
    // axes. It is exact where these are principal axes (see mass_frame).
    void calculateLocalInertia(btScalar mass, btVector3& inertia) const override;
    // Bullet asks by triangles for rays, sweeps and pictures. Its callbacks of rays and sweeps get
    // those along the way only.
    void processAllTriangles(btTriangleCallback* callback, const btVector3& min,
                             const btVector3& max) const override;
    const char* getName() const override { return "Graze"; }

private:
    class Triangles;
    Triangles& triangles() const;
    const MassProperties& solid() const;

    graze::Shape shape_;
    Transform body_from_shape_;
    btVector3 scaling_{1, 1, 1};
    // Both are made when they are first asked for.
    mutable std::unique_ptr<Triangles> triangles_;
    mutable std::atomic<Triangles*> ready_triangles_{nullptr};  // for whoever comes later
    mutable std::optional<MassProperties> solid_;
};

}  // namespace graze::bullet
