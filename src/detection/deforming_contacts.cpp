#include "graze/deforming_contacts.h"

#include <string>
#include <unordered_map>

#include "graze/error.h"
#include "narrow_phase/features/elements.h"
#include "narrow_phase/features/feature_contacts.h"

namespace graze {

namespace {

constexpr std::size_t kMostFeatures = std::size_t{1} << 30;  // Feature::index has 30 bits

// Numbers things by body, each body's from 0.
class CountByBody {
public:
    std::uint32_t next(std::uint32_t body) { return counts_[body]++; }

private:
    std::unordered_map<std::uint32_t, std::uint32_t> counts_;
};

BodyFeaturesView features_view(const DeformingBodies& bodies) {
    return {bodies.bodies.data(),       bodies.vertex_indices.data(),
            bodies.face_indices.data(), bodies.edges.data(),
            bodies.edge_indices.data(), static_cast<std::int64_t>(bodies.edges.size())};
}

void require_positions(std::size_t count, const DeformingBodies& bodies) {
    if (count == bodies.bodies.size()) return;
    throw Error("contacts: " + std::to_string(count) + " positions for " +
                std::to_string(bodies.bodies.size()) +
                " vertices; give those that the detector got");
}

void require_known(bool is_known) {
    if (!is_known)
        throw Error(
            "contacts: a hit names a feature that is not there; give the topology that the "
            "detector was made for");
}

// Of an Impact or a Proximity.
template <class Hit>
void require_features(const Hit& hit, const DeformingBodies& bodies) {
    for (const std::uint32_t vertex : hit.vertices)
        require_known(vertex < bodies.bodies.size());
    if (hit.is_vertex_face()) {
        require_known(hit.face < bodies.face_indices.size());
        return;
    }
    const BodyFeaturesView view = features_view(bodies);
    for (int side = 0; side < 4; side += 2) {
        const std::uint32_t v0 = hit.vertices[side], v1 = hit.vertices[side + 1];
        if (v0 == v1) continue;
        const auto edge = static_cast<std::size_t>(view.find_edge(v0, v1));
        require_known(edge < bodies.edges.size() && bodies.edges[edge] == Edge{{v0, v1}});
    }
}

template <class Hit, class MakeContact>
std::vector<Contact> make_contacts(std::span<const Hit> hits, const MakeContact& make) {
    std::vector<Contact> contacts;
    contacts.reserve(hits.size());
    for (const Hit& hit : hits)
        contacts.push_back(make(hit));
    return contacts;
}

template <class T>
std::vector<Contact> impact_contacts(std::span<const Impact> impacts, const DeformingBodies& bodies,
                                     std::span<const Vec3T<T>> positions_t0,
                                     std::span<const Vec3T<T>> positions_t1,
                                     double min_separation) {
    require_positions(positions_t0.size(), bodies);
    require_positions(positions_t1.size(), bodies);
    return make_contacts(impacts, [&](const Impact& impact) {
        require_features(impact, bodies);
        return contact_of(impact, positions_t0.data(), positions_t1.data(), features_view(bodies),
                          min_separation);
    });
}

template <class T>
std::vector<Contact> proximity_contacts(std::span<const Proximity> proximities,
                                        const DeformingBodies& bodies,
                                        std::span<const Vec3T<T>> positions) {
    require_positions(positions.size(), bodies);
    return make_contacts(proximities, [&](const Proximity& proximity) {
        require_features(proximity, bodies);
        return contact_of(proximity, positions.data(), features_view(bodies));
    });
}

template <class T>
std::vector<Contact> intersection_contacts(std::span<const TriangleIntersection> intersections,
                                           const DeformingBodies& bodies,
                                           std::span<const Vec3T<T>> positions) {
    require_positions(positions.size(), bodies);
    return make_contacts(intersections, [&](const TriangleIntersection& intersection) {
        require_known(intersection.a < bodies.triangles.size() &&
                      intersection.b < bodies.triangles.size());
        return contact_of(intersection, bodies.triangles.data(), positions.data(),
                          features_view(bodies));
    });
}

}  // namespace

DeformingBodies::DeformingBodies(const DeformingTopology& topology)
    : bodies(topology.parts), triangles(topology.triangles) {
    for (const Edge& edge : make_elements(topology).edges)
        if (edge[0] != edge[1]) edges.push_back(edge);
    const auto vertex_count = static_cast<std::size_t>(topology.vertex_count);
    if (vertex_count > kMostFeatures || edges.size() > kMostFeatures)
        throw Error("contacts: " + std::to_string(vertex_count) + " vertices and " +
                    std::to_string(edges.size()) + " edges; features count up to 2^30");
    bodies.resize(vertex_count, 0);
    CountByBody vertices_of, faces_of, edges_of;
    vertex_indices.reserve(vertex_count);
    for (const std::uint32_t body : bodies)
        vertex_indices.push_back(vertices_of.next(body));
    face_indices.reserve(triangles.size());
    for (const Triangle& triangle : triangles)
        face_indices.push_back(faces_of.next(bodies[triangle[0]]));
    edge_indices.reserve(edges.size());
    for (const Edge& edge : edges)
        edge_indices.push_back(edges_of.next(bodies[edge[0]]));
}

std::vector<Contact> contacts_of(std::span<const Impact> impacts, const DeformingBodies& bodies,
                                 std::span<const Vec3> positions_t0,
                                 std::span<const Vec3> positions_t1, double min_separation) {
    return impact_contacts(impacts, bodies, positions_t0, positions_t1, min_separation);
}
std::vector<Contact> contacts_of(std::span<const Impact> impacts, const DeformingBodies& bodies,
                                 std::span<const Vec3d> positions_t0,
                                 std::span<const Vec3d> positions_t1, double min_separation) {
    return impact_contacts(impacts, bodies, positions_t0, positions_t1, min_separation);
}
std::vector<Contact> contacts_of(std::span<const Proximity> proximities,
                                 const DeformingBodies& bodies, std::span<const Vec3> positions) {
    return proximity_contacts(proximities, bodies, positions);
}
std::vector<Contact> contacts_of(std::span<const Proximity> proximities,
                                 const DeformingBodies& bodies, std::span<const Vec3d> positions) {
    return proximity_contacts(proximities, bodies, positions);
}
std::vector<Contact> contacts_of(std::span<const TriangleIntersection> intersections,
                                 const DeformingBodies& bodies, std::span<const Vec3> positions) {
    return intersection_contacts(intersections, bodies, positions);
}
std::vector<Contact> contacts_of(std::span<const TriangleIntersection> intersections,
                                 const DeformingBodies& bodies, std::span<const Vec3d> positions) {
    return intersection_contacts(intersections, bodies, positions);
}

}  // namespace graze
