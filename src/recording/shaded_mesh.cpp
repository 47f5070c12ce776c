#include "recording/shaded_mesh.h"

#include <cmath>
#include <cstdint>

namespace graze {
namespace {

constexpr double kSharpCosine = 0.766;  // of 40 degrees: rounder than that looks faceted
// At a vertex of more triangles all count as smooth, so that fans take no time squared.
constexpr std::size_t kManyTriangles = 64;

// A face's normal and, for its corners, how much it counts there.
struct Face {
    Vec3d normal;  // unit
    double weight[3];
};

double angle_between(const Vec3d& a, const Vec3d& b) {
    return std::atan2(length(cross(a, b)), dot(a, b));
}

// Weighted by the angle at the corner, so that how a flat face is cut does not matter.
Face face_of(const Mesh& mesh, const Triangle& triangle) {
    const auto corner = [&](int i) { return static_cast<Vec3d>(mesh.positions[triangle[i % 3]]); };
    Face face{};
    const Vec3d area = cross(corner(1) - corner(0), corner(2) - corner(0));
    const double twice_area = length(area);
    if (!(twice_area > 0)) return face;
    face.normal = area / twice_area;
    for (int i = 0; i < 3; ++i)
        face.weight[i] = angle_between(corner(i + 1) - corner(i), corner(i + 2) - corner(i));
    return face;
}

struct Corner {
    std::uint32_t triangle;
    std::uint32_t corner;
};

class Shader {
public:
    explicit Shader(const Mesh& mesh);
    ShadedMesh shade();

private:
    void shade_vertex(std::size_t vertex);
    Vec3 normal_at(std::size_t vertex, const Face& from) const;
    std::size_t corner_count(std::size_t vertex) const {
        return first_corner_[vertex + 1] - first_corner_[vertex];
    }

    const Mesh& mesh_;
    std::vector<Triangle> triangles_;        // with an area
    std::vector<Face> faces_;                // of those
    std::vector<std::size_t> first_corner_;  // of each vertex, and one more
    std::vector<Corner> corners_;            // by vertex
    ShadedMesh result_;
};

Shader::Shader(const Mesh& mesh) : mesh_(mesh), first_corner_(mesh.positions.size() + 1) {
    for (const Triangle& triangle : mesh.triangles) {
        const Face face = face_of(mesh, triangle);
        if (length_sq(face.normal) == 0) continue;
        triangles_.push_back(triangle);
        faces_.push_back(face);
    }
    for (const Triangle& triangle : triangles_)
        for (const std::uint32_t vertex : triangle.v)
            ++first_corner_[vertex + 1];
    for (std::size_t i = 1; i < first_corner_.size(); ++i)
        first_corner_[i] += first_corner_[i - 1];
    corners_.resize(3 * triangles_.size());
    std::vector<std::size_t> next(first_corner_.begin(), first_corner_.end() - 1);
    for (std::uint32_t i = 0; i < triangles_.size(); ++i)
        for (std::uint32_t corner = 0; corner < 3; ++corner)
            corners_[next[triangles_[i].v[corner]]++] = {i, corner};
}

// The mean of the faces at the vertex that are nearly in the plane of one of them.
Vec3 Shader::normal_at(std::size_t vertex, const Face& from) const {
    const bool takes_all = corner_count(vertex) > kManyTriangles;
    Vec3d sum{0, 0, 0};
    for (std::size_t i = first_corner_[vertex]; i < first_corner_[vertex + 1]; ++i) {
        const Face& face = faces_[corners_[i].triangle];
        if (takes_all || dot(face.normal, from.normal) >= kSharpCosine)
            sum += face.normal * face.weight[corners_[i].corner];
    }
    const Vec3 normal = static_cast<Vec3>(normalized(sum));
    // A needle has no angles, opposite faces cancel.
    return length_sq(normal) > 0.5f ? normal : static_cast<Vec3>(from.normal);
}

// Makes as many vertices as there are normals here.
void Shader::shade_vertex(std::size_t vertex) {
    const std::size_t first = result_.positions.size();
    for (std::size_t i = first_corner_[vertex]; i < first_corner_[vertex + 1]; ++i) {
        const auto [triangle, corner] = corners_[i];
        const bool shares_first =
            corner_count(vertex) > kManyTriangles && result_.positions.size() > first;
        const Vec3 normal =
            shares_first ? result_.normals[first] : normal_at(vertex, faces_[triangle]);
        std::size_t found = first;
        while (found < result_.normals.size() && result_.normals[found] != normal)
            ++found;
        if (found == result_.normals.size()) {
            result_.positions.push_back(mesh_.positions[vertex]);
            result_.normals.push_back(normal);
        }
        result_.triangles[triangle].v[corner] = static_cast<std::uint32_t>(found);
    }
}

ShadedMesh Shader::shade() {
    result_.triangles = triangles_;
    for (std::size_t vertex = 0; vertex < mesh_.positions.size(); ++vertex)
        shade_vertex(vertex);
    return std::move(result_);
}

}  // namespace

ShadedMesh shade(const Mesh& mesh) {
    return Shader(mesh).shade();
}

}  // namespace graze
