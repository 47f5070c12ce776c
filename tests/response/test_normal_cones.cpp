#include "response/normal_cones.h"

#include <gtest/gtest.h>

namespace graze {
namespace {

// A square of two triangles in the plane z = 0, a vertex beside it or above, and an edge above it.
const std::vector<Triangle> kTriangles = {{{0, 1, 2}}, {{0, 2, 3}}, {{4, 5, 6}}};

std::vector<Vec3> with_vertex(const Vec3& p) {
    return {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, p, p + Vec3{0, 0.1f, 5}, p + Vec3{0, 0, 5}};
}
Proximity vertex_face(const Vec3& normal, float u, float v, float w) {
    return {{4, 0, 1, 2}, 0, {1, u, v, w}, normal, 0.1};
}

TEST(NormalCones, AVertexAboveAFaceIsHeld) {
    const NormalCones cones(kTriangles, 7);
    EXPECT_TRUE(
        cones.holds(vertex_face({0, 0, 1}, 0.2f, 0.5f, 0.3f), with_vertex({0.7f, 0.2f, 0.1f})));
}

// It is above the other triangle, and near this one sideways, over the edge that both have.
TEST(NormalCones, NotByTheFaceBesideTheOneBelow) {
    const NormalCones cones(kTriangles, 7);
    const Vec3 sideways = normalized(Vec3{-1, 1, 0.1f});
    EXPECT_FALSE(
        cones.holds(vertex_face(sideways, 0.5f, 0, 0.5f), with_vertex({0.4f, 0.6f, 0.02f})));
    EXPECT_TRUE(cones.holds(vertex_face({0, 0, 1}, 0.5f, 0, 0.5f), with_vertex({0.5f, 0.5f, 0.1f})))
        << "what is above the edge is held by either";
}

TEST(NormalCones, BeyondTheBorderItIsHeld) {
    const NormalCones cones(kTriangles, 7);
    EXPECT_TRUE(cones.holds(vertex_face({0, -1, 0}, 0.5f, 0.5f, 0), with_vertex({0.5f, -0.1f, 0})));
    EXPECT_TRUE(cones.holds(vertex_face(normalized(Vec3{1, -1, 0}), 0, 1, 0),
                            with_vertex({1.1f, -0.1f, 0})));
    EXPECT_FALSE(cones.holds(vertex_face(normalized(Vec3{-1, -1, 0}), 0, 1, 0),
                             with_vertex({0.9f, -0.1f, 0})))
        << "the edge is nearer than its end";
}

// Edges have vertices at their ends, whose contacts are those with faces.
TEST(NormalCones, EdgesAreHeldBetweenTheirEnds) {
    const NormalCones cones(kTriangles, 7);
    const std::vector<Vec3> positions = with_vertex({-0.1f, 0.5f, -2});
    const auto edges = [](float s, float t) {
        return Proximity{{0, 3, 4, 6}, Impact::kNoFace, {1 - s, s, 1 - t, t}, {1, 0, 0}, 0.1};
    };
    EXPECT_TRUE(cones.holds(edges(0.5f, 0.4f), positions));
    EXPECT_FALSE(cones.holds(edges(0.5f, 0), positions));
    const Proximity through{
        {0, 2, 4, 6}, Impact::kNoFace, {0.5f, 0.5f, 0.6f, 0.4f}, normalized(Vec3{1, -1, 0}), 0.1};
    EXPECT_FALSE(cones.holds(through, positions)) << "over a face that is nearer";
}

}  // namespace
}  // namespace graze
