// BulletShapes turns Bullet's own shapes into graze's.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "graze/shape.h"

class btCollisionShape;

namespace graze::bullet {

// A shape and its pose in the frame of the body that has it.
struct PosedShape {
    graze::Shape shape;
    Transform body_from_shape = Transform::identity();
};

// Each distinct shape is turned into a graze::Shape once. Shapes are distinct by their content, not
// by their address, which another shape may take over.
class BulletShapes {
public:
    explicit BulletShapes(int field_resolution) : field_resolution_(field_resolution) {}

    // Throws Error where a shape has no counterpart, as a soft body.
    PosedShape find(const btCollisionShape& shape);
    // Updates posed, which was found for this shape: the measures of the shape may have changed.
    // Those of hulls and meshes are not looked at again.
    void refresh(const btCollisionShape& shape, PosedShape& posed);

private:
    std::optional<PosedShape> find_formula(const btCollisionShape& shape);
    graze::Shape from_convex(const btCollisionShape& shape);
    graze::Shape from_triangles(const btCollisionShape& shape);
    graze::Shape from_mesh(Mesh mesh);

    int field_resolution_;
    std::unordered_map<std::string, graze::Shape> known_;  // by content
};

}  // namespace graze::bullet
