// The triangles of a GrazeShape, in a tree of Bullet's, by which its rays and sweeps are answered.
#pragma once

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>

#include <optional>

#include "graze_bullet/graze_shape.h"

namespace graze::bullet {

class GrazeShape::Triangles {
public:
    // The mesh is in the body's frame.
    explicit Triangles(Mesh body_mesh);
    Triangles(const Triangles&) = delete;
    Triangles& operator=(const Triangles&) = delete;

    // Gives the callback all triangles of which it may want to know: those whose boxes meet a box,
    // or, where Bullet asks for a ray or a sweep by the box around it, those along it.
    void ask(btTriangleCallback& callback, const btVector3& min, const btVector3& max);

private:
    Mesh mesh_;
    btTriangleIndexVertexArray array_;
    std::optional<btBvhTriangleMeshShape> tree_;
};

}  // namespace graze::bullet
