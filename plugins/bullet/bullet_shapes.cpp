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

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include "convert.h"
#include "graze/error.h"
#include "graze/mesh_report.h"
#include "graze_bullet/graze_shape.h"
#include "open_sheet.h"

namespace graze::bullet {

namespace {

// How many times as fine as others the fields of shells are.
constexpr int kShellFineness = 4;

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

// Says whether triangles are those of a mesh, one after the other.
class CompareTriangles : public btTriangleCallback {
public:
    explicit CompareTriangles(const Mesh& mesh) : mesh_(mesh) {}
    void processTriangle(btVector3* corners, int /*part*/, int /*index*/) override {
        const std::size_t triangle = count_++;
        if (!is_equal_ || triangle >= mesh_.triangles.size()) return;
        for (std::size_t corner = 0; corner < 3; ++corner)
            is_equal_ &=
                to_graze(corners[corner]) == mesh_.positions[mesh_.triangles[triangle][corner]];
    }
    bool is_equal() const { return is_equal_ && count_ == mesh_.triangles.size(); }

private:
    const Mesh& mesh_;
    std::size_t count_ = 0;
    bool is_equal_ = true;
};

// True where there is an inside behind most triangles. Else the mesh is a sheet, and its field
// would let bodies through.
bool has_inside(const graze::Shape& shape) {
    const Mesh& mesh = *shape.mesh();
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
    return 2 * inside >= looked_at;
}

bool is_open(const Mesh& mesh) {
    MeshReportOptions options;
    options.self_intersections = options.parts = false;
    return inspect(mesh, options).boundary_edge_count > 0;
}

// Returns the bytes that tell a mesh from all others.
std::string key_of(const Mesh& mesh) {
    return "mesh" + bytes_of(mesh.positions.data(), mesh.positions.size() * sizeof(Vec3)) +
           bytes_of(mesh.triangles.data(), mesh.triangles.size() * sizeof(Triangle));
}

std::string metres(float length) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g m", static_cast<double>(length));
    return text.data();
}

}  // namespace

void PosedShape::face(const Vec3& point, bool as_before) {
    if (!sheet) return;
    const Vec3 at = transform_point(inverse(body_from_shape), point);
    const FieldValue here = shape.field().evaluate(at);
    // Here the surface is the sheet. Beyond the border, it is a wall that only one side has.
    constexpr float kLevel = 0.05f;
    const bool is_over = here.distance > 0 && dot(here.gradient, sheet->up) > kLevel;
    if (is_over || (as_before && here.distance <= 0)) return;
    if (!(sheet->other_side.field().distance(at) > here.distance)) return;
    std::swap(shape, sheet->other_side);
    sheet->up = -sheet->up;
}

graze::Shape BulletShapes::from_mesh(Mesh mesh, const ShapeOptions& options) {
    std::string key = key_of(mesh);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_.emplace(std::move(key), graze::Shape::from_mesh(std::move(mesh), options))
        .first->second;
}

ShapeOptions BulletShapes::shape_options() const {
    ShapeOptions options;
    options.field.resolution = field_resolution_;
    return options;
}

graze::Shape BulletShapes::from_convex(const btCollisionShape& shape) {
    const auto points = points_of(static_cast<const btConvexShape&>(shape));
    if (points.size() < 4)
        throw Error(std::string("GrazeDispatcher: a ") + shape.getName() +
                    " is no solid; give it a thickness");
    return from_mesh(hull_of(points), shape_options());
}

// Bullet asks for the same mesh with each body that comes near it and with each query. To compare
// its triangles with those that were last at its address takes a sixth of the time to join them.
PosedShape BulletShapes::from_triangles(const btConcaveShape& shape) {
    btVector3 min, max;
    shape.getAabb(btTransform::getIdentity(), min, max);
    const auto last = last_meshes_.find(&shape);
    if (last != last_meshes_.end() && last->second.type == shape.getShapeType()) {
        CompareTriangles compare(last->second.mesh);
        shape.processAllTriangles(&compare, min, max);
        if (compare.is_equal()) return last->second.posed;
    }
    GatherTriangles gather;
    shape.processAllTriangles(&gather, min, max);
    if (gather.mesh.triangles.empty())
        throw Error(std::string("GrazeDispatcher: a ") + shape.getName() + " has no triangles");
    std::string key = std::to_string(shape.getShapeType()) + key_of(gather.mesh);
    auto found = meshes_.find(key);
    if (found == meshes_.end())
        found = meshes_.emplace(std::move(key), classify(gather.mesh, shape)).first;
    constexpr std::size_t kMostMeshes = 256;  // of many a shape may no longer be there
    if (last_meshes_.size() >= kMostMeshes) last_meshes_.clear();
    last_meshes_.insert_or_assign(
        &shape, LastMesh{shape.getShapeType(), std::move(gather.mesh), found->second});
    return found->second;
}

// Decides what a mesh is the surface of.
PosedShape BulletShapes::classify(Mesh mesh, const btConcaveShape& shape) {
    const bool is_terrain = shape.getShapeType() == TERRAIN_SHAPE_PROXYTYPE;
    if (!is_terrain && !is_open(mesh)) return {from_mesh(std::move(mesh), shape_options())};
    if (auto sides = close_sheet(mesh, shape)) {
        // Heights are the top of the ground. Of a sheet nobody knows, so it has a solid for either
        // side.
        graze::Shape below = from_mesh(std::move(sides->below), shape_options());
        if (is_terrain) return {std::move(below)};
        findings_.push_back("a mesh of " + std::to_string(mesh.triangles.size()) +
                            " triangles is a sheet: bodies meet it from the side on which they "
                            "are, and what is on the other side is solid for them");
        return {std::move(below), Transform::identity(),
                Sheet{from_mesh(std::move(sides->above), shape_options()), sides->up}};
    }
    graze::Shape solid = from_mesh(mesh, shape_options());
    if (has_inside(solid)) return {std::move(solid)};
    return {from_layers(std::move(mesh))};
}

// Bodies would fall through sheets that have no inside; near them is a shell.
graze::Shape BulletShapes::from_layers(Mesh mesh) {
    const Vec3 sides = extent(bounds(mesh));
    const std::string count = std::to_string(mesh.triangles.size());
    ShapeOptions options = shape_options();
    // The thickness is three voxels, so voxels are small; samples far from the mesh are left out.
    options.field.resolution *= kShellFineness;
    options.field.sparse = true;
    options.field.sign = FieldSign::shell;
    options.field.thickness =
        3 * std::max({sides.x, sides.y, sides.z}) / static_cast<float>(options.field.resolution);
    findings_.push_back("a mesh of " + count +
                        " triangles is open, with several layers or steep parts: bodies meet a "
                        "shell of " +
                        metres(options.field.thickness) + " around it, and rest " +
                        metres(options.field.thickness / 2) +
                        " away from its triangles; close the mesh, or raise field_resolution");
    known_.erase(key_of(mesh));  // it was no solid
    return from_mesh(std::move(mesh), options);
}

std::optional<PosedShape> BulletShapes::find_formula(const btCollisionShape& shape) {
    if (shape.getShapeType() == GrazeShape::kType) {
        const auto& own = static_cast<const GrazeShape&>(shape);
        return PosedShape{own.shape(), own.body_from_shape(), std::nullopt};
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
    return PosedShape{found->second, formula.body_from_shape, std::nullopt};
}

PosedShape BulletShapes::find(const btCollisionShape& shape) {
    if (const auto formula = find_formula(shape)) return *formula;
    if (shape.isConvex()) return {from_convex(shape)};
    if (shape.isConcave()) return from_triangles(static_cast<const btConcaveShape&>(shape));
    throw Error(std::string("GrazeDispatcher: no contacts with a ") + shape.getName() +
                "; let collision groups keep it from bodies with a GrazeShape");
}

void BulletShapes::refresh(const btCollisionShape& shape, PosedShape& posed) {
    if (auto formula = find_formula(shape)) posed = std::move(*formula);
}

}  // namespace graze::bullet
