#include "bullet_shapes.h"

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConcaveShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btPolyhedralConvexShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletCollision/CollisionShapes/btTriangleCallback.h>
#include <LinearMath/btConvexHullComputer.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "convert.h"
#include "graze/error.h"
#include "graze/mesh_report.h"
#include "graze_bullet/graze_shape.h"

namespace graze::bullet {

namespace {

// Returns a rotation that takes z to one of the axes.
Transform axis_from_z(int axis) {
    const float half = std::sqrt(0.5f);
    const Quat turn = axis == 0   ? Quat{half, 0, half, 0}
                      : axis == 1 ? Quat{half, -half, 0, 0}
                                  : Quat::identity();
    return {{0, 0, 0}, turn, 1};
}

std::string bytes_of(const void* begin, std::size_t size) {
    return {static_cast<const char*>(begin), size};
}

float radius_of(const btCylinderShape& shape) {
    const btVector3 half = shape.getHalfExtentsWithMargin();
    const int up = shape.getUpAxis();
    const btScalar a = half[(up + 1) % 3], b = half[(up + 2) % 3];
    return a == b ? static_cast<float>(a) : 0;  // elliptic ones are not round
}

// The formula of a round or flat shape, and its measures, by which it is known.
struct Formula {
    std::array<float, 5> measures{};
    Field (*make)(const std::array<float, 5>& measures) = nullptr;
    Transform body_from_shape = Transform::identity();
};

Formula formula_of(const btCollisionShape& shape) {
    Formula formula;
    switch (shape.getShapeType()) {
        case SPHERE_SHAPE_PROXYTYPE:
            formula.measures = {
                static_cast<float>(static_cast<const btSphereShape&>(shape).getRadius())};
            formula.make = [](const auto& m) { return Field::sphere({0, 0, 0}, m[0]); };
            break;
        case BOX_SHAPE_PROXYTYPE: {
            const Vec3 half =
                to_graze(static_cast<const btBoxShape&>(shape).getHalfExtentsWithMargin());
            formula.measures = {half.x, half.y, half.z};
            formula.make = [](const auto& m) { return Field::box({m[0], m[1], m[2]}); };
            break;
        }
        case CAPSULE_SHAPE_PROXYTYPE: {
            const auto& capsule = static_cast<const btCapsuleShape&>(shape);
            formula.measures = {static_cast<float>(capsule.getRadius()),
                                static_cast<float>(capsule.getHalfHeight())};
            formula.make = [](const auto& m) {
                return Field::capsule({0, 0, -m[1]}, {0, 0, m[1]}, m[0]);
            };
            formula.body_from_shape = axis_from_z(capsule.getUpAxis());
            break;
        }
        case CYLINDER_SHAPE_PROXYTYPE: {
            const auto& cylinder = static_cast<const btCylinderShape&>(shape);
            if (!(radius_of(cylinder) > 0)) break;
            const int up = cylinder.getUpAxis();
            formula.measures = {radius_of(cylinder),
                                static_cast<float>(cylinder.getHalfExtentsWithMargin()[up])};
            formula.make = [](const auto& m) { return Field::cylinder(m[0], m[1]); };
            formula.body_from_shape = axis_from_z(up);
            break;
        }
        case CONE_SHAPE_PROXYTYPE: {
            const auto& cone = static_cast<const btConeShape&>(shape);
            formula.measures = {static_cast<float>(cone.getRadius()),
                                static_cast<float>(cone.getHeight())};
            formula.make = [](const auto& m) { return Field::cone(m[0], m[1]); };
            // The origin of Bullet's cone is at half its height.
            formula.body_from_shape =
                axis_from_z(cone.getConeUpIndex()) *
                Transform{{0, 0, formula.measures[1] * -0.5f}, Quat::identity(), 1};
            break;
        }
        case STATIC_PLANE_PROXYTYPE: {
            const auto& plane = static_cast<const btStaticPlaneShape&>(shape);
            const Vec3 normal = to_graze(plane.getPlaneNormal());
            formula.measures = {normal.x, normal.y, normal.z,
                                static_cast<float>(plane.getPlaneConstant())};
            formula.make = [](const auto& m) { return Field::plane({m[0], m[1], m[2]}, m[3]); };
            break;
        }
        default:
            break;
    }
    return formula;
}

// Returns points of a convex shape whose hull is the shape, or near it where it is round.
btAlignedObjectArray<btVector3> points_of(const btConvexShape& shape) {
    btAlignedObjectArray<btVector3> points;
    if (shape.isPolyhedral()) {
        const auto& polyhedron = static_cast<const btPolyhedralConvexShape&>(shape);
        for (int i = 0; i < polyhedron.getNumVertices(); ++i) {
            btVector3 vertex;
            polyhedron.getVertex(i, vertex);
            points.push_back(vertex);
        }
        if (points.size() > 0) return points;  // some shapes do not tell their vertices
    }
    // The directions lie on a spiral, spread evenly over the sphere.
    constexpr int kDirections = 1000;
    for (int i = 0; i < kDirections; ++i) {
        const double z = 1 - (2 * i + 1.0) / kDirections, angle = 2.399963229728653 * i;
        const double r = std::sqrt(1 - z * z);
        points.push_back(shape.localGetSupportingVertex(
            btVector3(static_cast<btScalar>(r * std::cos(angle)),
                      static_cast<btScalar>(r * std::sin(angle)), static_cast<btScalar>(z))));
    }
    return points;
}

Mesh hull_of(const btAlignedObjectArray<btVector3>& points) {
    btConvexHullComputer computer;
    computer.compute(&points[0].m_floats[0], sizeof(btVector3), points.size(), 0, 0);
    Mesh mesh;
    mesh.positions.reserve(static_cast<std::size_t>(computer.vertices.size()));
    for (int i = 0; i < computer.vertices.size(); ++i)
        mesh.positions.push_back(to_graze(computer.vertices[i]));
    mesh.triangles.reserve(2 * mesh.positions.size());
    for (int i = 0; i < computer.faces.size(); ++i) {
        const auto* first = &computer.edges[computer.faces[i]];
        const auto* edge = first->getNextEdgeOfFace();
        for (; edge->getTargetVertex() != first->getSourceVertex();
             edge = edge->getNextEdgeOfFace())
            mesh.triangles.push_back({static_cast<std::uint32_t>(first->getSourceVertex()),
                                      static_cast<std::uint32_t>(edge->getSourceVertex()),
                                      static_cast<std::uint32_t>(edge->getTargetVertex())});
    }
    return mesh;
}

// Triangles whose corners are equal to the bit share a vertex.
class GatherTriangles : public btTriangleCallback {
public:
    void processTriangle(btVector3* corners, int /*part*/, int /*index*/) override {
        std::array<std::uint32_t, 3> triangle{};
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const Vec3 p = to_graze(corners[corner]);
            const auto [found, is_new] = vertices_.try_emplace(
                {p.x, p.y, p.z}, static_cast<std::uint32_t>(mesh.positions.size()));
            if (is_new) mesh.positions.push_back(p);
            triangle[corner] = found->second;
        }
        mesh.triangles.push_back({triangle[0], triangle[1], triangle[2]});
    }

    Mesh mesh;

private:
    std::map<std::array<float, 3>, std::uint32_t> vertices_;
};

// Makes triangles of terrain face up along an axis, which it returns; Bullet's have no front.
int face_upwards(Mesh& mesh) {
    Vec3d sum{0, 0, 0};
    for (const Triangle& t : mesh.triangles) {
        const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
        sum += cross(static_cast<Vec3d>(mesh.positions[t[1]]) - a,
                     static_cast<Vec3d>(mesh.positions[t[2]]) - a);
    }
    int up = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if (std::fabs(sum[axis]) > std::fabs(sum[up])) up = axis;
    }
    if (sum[up] < 0) {
        for (Triangle& t : mesh.triangles)
            t = {t[0], t[2], t[1]};
    }
    return up;
}

// A sheet has no inside: the winding number below it is 1/2 at most. So terrain gets sides, and a
// bottom a quarter of its longest side below.
void close_below(Mesh& mesh, int up) {
    const Aabb box = bounds(mesh);
    const Vec3 sides = extent(box);
    const float floor = box.min[up] - std::max({sides.x, sides.y, sides.z}) / 4;
    std::set<std::array<std::uint32_t, 2>> edges;
    for (const Triangle& t : mesh.triangles) {
        for (std::size_t i = 0; i < 3; ++i)
            edges.insert({t[i], t[(i + 1) % 3]});
    }
    const auto below = static_cast<std::uint32_t>(mesh.positions.size());
    const std::size_t triangle_count = mesh.triangles.size();
    mesh.positions.reserve(2 * mesh.positions.size());
    for (std::uint32_t i = 0; i < below; ++i) {
        mesh.positions.push_back(mesh.positions[i]);
        mesh.positions.back()[up] = floor;
    }
    for (std::size_t i = 0; i < triangle_count; ++i) {
        const Triangle t = mesh.triangles[i];
        mesh.triangles.push_back({t[0] + below, t[2] + below, t[1] + below});
    }
    for (const auto& [a, b] : edges) {
        if (edges.contains({b, a})) continue;
        mesh.triangles.push_back({b, a, a + below});
        mesh.triangles.push_back({b, a + below, b + below});
    }
}

// Bodies would fall through a sheet: behind most of its triangles is no inside.
void require_inside(const graze::Shape& shape) {
    const Mesh& mesh = *shape.mesh();
    MeshReportOptions options;
    options.self_intersections = options.parts = false;
    if (inspect(mesh, options).boundary_edge_count == 0) return;
    const Vec3 sides = extent(bounds(mesh));
    const float step = std::max({sides.x, sides.y, sides.z}) / 50;
    std::size_t looked_at = 0, inside = 0;
    const std::size_t stride = mesh.triangles.size() / 256 + 1;
    for (std::size_t i = 0; i < mesh.triangles.size(); i += stride) {
        const Triangle& t = mesh.triangles[i];
        const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
        const Vec3 behind = (a + b + c) / 3.0f - normalized(cross(b - a, c - a)) * step;
        ++looked_at;
        if (shape.field().distance(behind) < 0) ++inside;
    }
    if (2 * inside < looked_at)
        throw Error("GrazeDispatcher: a mesh of " + std::to_string(mesh.triangles.size()) +
                    " triangles is a sheet without an inside, and bodies would fall through it; "
                    "close it, or make a GrazeShape of it with FieldSign::shell");
}

}  // namespace

graze::Shape BulletShapes::from_mesh(Mesh mesh) {
    std::string key = "mesh" +
                      bytes_of(mesh.positions.data(), mesh.positions.size() * sizeof(Vec3)) +
                      bytes_of(mesh.triangles.data(), mesh.triangles.size() * sizeof(Triangle));
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    ShapeOptions options;
    options.field.resolution = field_resolution_;
    return known_.emplace(std::move(key), graze::Shape::from_mesh(std::move(mesh), options))
        .first->second;
}

graze::Shape BulletShapes::from_convex(const btCollisionShape& shape) {
    const auto points = points_of(static_cast<const btConvexShape&>(shape));
    if (points.size() < 4)
        throw Error(std::string("GrazeDispatcher: a ") + shape.getName() +
                    " is no solid; give it a thickness");
    return from_mesh(hull_of(points));
}

graze::Shape BulletShapes::from_triangles(const btCollisionShape& shape) {
    GatherTriangles gather;
    btVector3 min, max;
    shape.getAabb(btTransform::getIdentity(), min, max);
    static_cast<const btConcaveShape&>(shape).processAllTriangles(&gather, min, max);
    if (shape.getShapeType() == TERRAIN_SHAPE_PROXYTYPE)
        close_below(gather.mesh, face_upwards(gather.mesh));
    graze::Shape made = from_mesh(std::move(gather.mesh));
    require_inside(made);
    return made;
}

std::optional<PosedShape> BulletShapes::find_formula(const btCollisionShape& shape) {
    if (shape.getShapeType() == GrazeShape::kType) {
        const auto& own = static_cast<const GrazeShape&>(shape);
        return PosedShape{own.shape(), own.body_from_shape()};
    }
    const Formula formula = formula_of(shape);
    if (formula.make == nullptr) return std::nullopt;
    const int type = shape.getShapeType();
    std::string key =
        bytes_of(&type, sizeof type) + bytes_of(formula.measures.data(), sizeof formula.measures);
    auto found = known_.find(key);
    if (found == known_.end()) {
        graze::Shape made = graze::Shape::from_field(formula.make(formula.measures));
        found = known_.emplace(std::move(key), std::move(made)).first;
    }
    return PosedShape{found->second, formula.body_from_shape};
}

PosedShape BulletShapes::find(const btCollisionShape& shape) {
    if (const auto formula = find_formula(shape)) return *formula;
    if (shape.isConvex()) return {from_convex(shape), Transform::identity()};
    if (shape.isConcave()) return {from_triangles(shape), Transform::identity()};
    throw Error(std::string("GrazeDispatcher: no contacts with a ") + shape.getName() +
                "; let collision groups keep it from bodies with a GrazeShape");
}

void BulletShapes::refresh(const btCollisionShape& shape, PosedShape& posed) {
    if (auto formula = find_formula(shape)) posed = std::move(*formula);
}

}  // namespace graze::bullet
