#include "shape_triangles.h"

#include <BulletCollision/CollisionShapes/btConvexShape.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>

#include <algorithm>

namespace graze::bullet {

namespace {

btIndexedMesh indexed_mesh(const Mesh& mesh) {
    btIndexedMesh indexed;
    indexed.m_numTriangles = static_cast<int>(mesh.triangles.size());
    indexed.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(mesh.triangles.data());
    indexed.m_triangleIndexStride = sizeof(mesh.triangles[0]);
    indexed.m_numVertices = static_cast<int>(mesh.positions.size());
    indexed.m_vertexBase = reinterpret_cast<const unsigned char*>(mesh.positions.data());
    indexed.m_vertexStride = sizeof(Vec3);
    indexed.m_vertexType = PHY_FLOAT;
    return indexed;
}

// True where the box is the one around both points, as Bullet asks for a ray: who asks for another
// one wants to know what is in it.
bool is_box_of(const btVector3& a, const btVector3& b, const btVector3& min, const btVector3& max) {
    // Bullet compares a fourth coordinate, which says nothing.
    for (int axis = 0; axis < 3; ++axis) {
        if (std::min(a[axis], b[axis]) != min[axis] || std::max(a[axis], b[axis]) != max[axis])
            return false;
    }
    return true;
}

// A sweep as the triangles see it: the path of the shape's origin and a box around the shape there,
// with the triangles' margin.
struct LocalSweep {
    explicit LocalSweep(const btTriangleConvexcastCallback& sweep) {
        const btTransform local_from_world = sweep.m_triangleToWorld.inverse();
        from = local_from_world * sweep.m_convexShapeFrom.getOrigin();
        to = local_from_world * sweep.m_convexShapeTo.getOrigin();
        const btMatrix3x3 turn_t0 =
            local_from_world.getBasis() * sweep.m_convexShapeFrom.getBasis();
        const btMatrix3x3 turn_t1 = local_from_world.getBasis() * sweep.m_convexShapeTo.getBasis();
        if (turn_t0 == turn_t1) {
            sweep.m_convexShape->getAabb(btTransform(turn_t1), min, max);
        } else {  // the ball around the origin holds the shape, however it turns
            btVector3 centre;
            btScalar radius = 0;
            sweep.m_convexShape->getBoundingSphere(centre, radius);
            radius += centre.length();
            max.setValue(radius, radius, radius);
            min = -max;
        }
        const btScalar margin = sweep.m_triangleCollisionMargin;
        min -= btVector3(margin, margin, margin);
        max += btVector3(margin, margin, margin);
    }
    btVector3 from, to, min, max;
};

}  // namespace

GrazeShape::Triangles::Triangles(Mesh body_mesh) : mesh_(std::move(body_mesh)) {
    array_.addIndexedMesh(indexed_mesh(mesh_), PHY_INTEGER);
    tree_.emplace(&array_, true);
}

// btCollisionWorld knows no shapes but its own that answer along a ray. Of any other concave one it
// asks for all triangles in the box around the ray, which of a long slanted one are most of the
// shape's; the callback tells what is behind it.
void GrazeShape::Triangles::ask(btTriangleCallback& callback, const btVector3& min,
                                const btVector3& max) {
    if (auto* ray = dynamic_cast<btTriangleRaycastCallback*>(&callback);
        ray != nullptr && is_box_of(ray->m_from, ray->m_to, min, max)) {
        tree_->performRaycast(ray, ray->m_from, ray->m_to);
    } else if (auto* sweep = dynamic_cast<btTriangleConvexcastCallback*>(&callback)) {
        const LocalSweep local(*sweep);
        if ((local.to - local.from).fuzzyZero())  // Bullet's walk needs a direction
            tree_->processAllTriangles(sweep, local.from + local.min, local.from + local.max);
        else
            tree_->performConvexcast(sweep, local.from, local.to, local.min, local.max);
    } else {
        tree_->processAllTriangles(&callback, min, max);
    }
}

}  // namespace graze::bullet
