// What a DeformingDetector finds, as Contacts: the parts of its topology are the bodies.
//
//     const graze::DeformingBodies bodies(topology);
//     for (const graze::Contact& contact :
//          graze::contacts_of(detector.find_proximities(positions, 0.01f), bodies, positions)) ...
//
// A contact for each answer, in the order of the answers. Of its two bodies a is the one with the
// lower index. A part that touches itself has body_a == body_b; feature_a is then the vertex of a
// vertex-face pair, else the edge or the triangle with the lower index. The normal points from
// feature_b to feature_a, and the fields are:
//
//                 impact                     proximity                  intersection
//     features    vertex and face, or two    vertex and face, or two    two faces
//                 edges                      edges
//     position    on the vertex or the       the middle between the     the middle of the longest
//                 first edge, when they      closest points             segment that both triangles
//                 meet                                                  have in common
//     distance    the min_separation that    of the closest points      minus the length of the
//                 counts as touching                                    shortest shift that takes
//                                                                       a's triangle off b's; the
//                                                                       bodies may be deeper
//     normal      just before they meet;     between the closest        of that shift; out of b's
//                 zero where they met at     points; zero where these   triangle where both lie in
//                 t0 without one             coincide                   one plane
//     time        of the impact              0                          0
//
// Times and distances are floats, rounded down: no contact is later or farther apart than found,
// and no depth is less.
#pragma once

#include <span>
#include <vector>

#include "graze/contact.h"
#include "graze/deforming.h"

namespace graze {

// Which body each vertex, face and edge of a topology belongs to, and its index in that body's
// mesh: the part's vertices, triangles and edges by themselves, in the order that they have in the
// topology. Edges are those of triangles and the loose ones, each once, sorted by
// (lower vertex, higher vertex); a loose vertex is a vertex.
struct DeformingBodies {
    // Throws Error where the topology is none that a DeformingDetector takes, or has more than 2^30
    // vertices or edges.
    explicit DeformingBodies(const DeformingTopology& topology);

    std::vector<std::uint32_t> bodies;          // by vertex
    std::vector<std::uint32_t> vertex_indices;  // by vertex
    std::vector<std::uint32_t> face_indices;    // by triangle
    std::vector<Triangle> triangles;            // the topology's
    std::vector<Edge> edges;                    // v[0] < v[1], sorted
    std::vector<std::uint32_t> edge_indices;    // by edge
};

// Positions are those that the detector was asked about. Throws Error where there are not as many
// as the topology has vertices, or a hit names what is not there.
std::vector<Contact> contacts_of(std::span<const Impact> impacts, const DeformingBodies& bodies,
                                 std::span<const Vec3> positions_t0,
                                 std::span<const Vec3> positions_t1, double min_separation = 0);
std::vector<Contact> contacts_of(std::span<const Impact> impacts, const DeformingBodies& bodies,
                                 std::span<const Vec3d> positions_t0,
                                 std::span<const Vec3d> positions_t1, double min_separation = 0);
std::vector<Contact> contacts_of(std::span<const Proximity> proximities,
                                 const DeformingBodies& bodies, std::span<const Vec3> positions);
std::vector<Contact> contacts_of(std::span<const Proximity> proximities,
                                 const DeformingBodies& bodies, std::span<const Vec3d> positions);
std::vector<Contact> contacts_of(std::span<const TriangleIntersection> intersections,
                                 const DeformingBodies& bodies, std::span<const Vec3> positions);
std::vector<Contact> contacts_of(std::span<const TriangleIntersection> intersections,
                                 const DeformingBodies& bodies, std::span<const Vec3d> positions);

}  // namespace graze
