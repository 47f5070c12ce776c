// BulletShapes turns Bullet's own shapes into graze's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graze/shape.h"

class btCollisionShape;
class btConcaveShape;

namespace graze::bullet {

// What a sheet is for bodies on the other side of it.
struct Sheet {
    graze::Shape other_side;
    Vec3 up;  // in the shape's frame, towards bodies that meet its shape
};

// A shape and its pose in the frame of the body that has it.
struct PosedShape {
    graze::Shape shape;
    Transform body_from_shape = Transform::identity();
    std::optional<Sheet> sheet = std::nullopt;

    // Of a sheet, which a point is near: makes shape what it is for a body on the side of the point
    // [m] in the body's frame. Later, as_before, that changes only where the point is beyond the
    // sheet's border; what came through the sheet otherwise was too fast, and has to go back.
    void face(const Vec3& point, bool as_before);
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
    // What users should know of meshes that were turned into shapes, one line for each.
    std::span<const std::string> findings() const { return findings_; }

private:
    std::optional<PosedShape> find_formula(const btCollisionShape& shape);
    graze::Shape from_convex(const btCollisionShape& shape);
    PosedShape from_triangles(const btConcaveShape& shape);
    PosedShape classify(Mesh mesh, const btConcaveShape& shape);
    graze::Shape from_layers(Mesh mesh);
    graze::Shape from_mesh(Mesh mesh, const ShapeOptions& options);
    ShapeOptions shape_options() const;

    int field_resolution_;
    std::unordered_map<std::string, graze::Shape> known_;  // by content
    std::unordered_map<std::string, PosedShape> meshes_;   // what triangles were found to be
    // The triangles that were last seen at an address, and what they are.
    struct LastMesh {
        int type;
        Mesh mesh;
        PosedShape posed;
    };
    std::unordered_map<const btConcaveShape*, LastMesh> last_meshes_;
    std::vector<std::string> findings_;
};

}  // namespace graze::bullet
