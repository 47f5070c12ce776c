// What a DeformingDetector finds as contacts: against what each hit says, one by one.
#include "graze/deforming_contacts.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "graze/error.h"
#include "narrow_phase/features/feature_contacts.h"
#include "tests/detection/deforming_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// What a part has, counted one by one.
class SlowNames {
public:
    explicit SlowNames(const DeformingTopology& topology) : topology_(topology) {
        std::set<std::array<std::uint32_t, 2>> edges;
        const auto add = [&](std::uint32_t a, std::uint32_t b) {
            if (a != b) edges.insert({std::min(a, b), std::max(a, b)});
        };
        for (const Triangle& t : topology.triangles)
            for (int i = 0; i < 3; ++i)
                add(t[i], t[(i + 1) % 3]);
        for (const Edge& e : topology.loose_edges)
            add(e[0], e[1]);
        edges_.assign(edges.begin(), edges.end());
    }
    std::uint32_t part(std::uint32_t vertex) const {
        return topology_.parts.empty() ? 0 : topology_.parts[vertex];
    }
    std::pair<std::uint32_t, Feature> vertex(std::uint32_t v) const {
        std::uint32_t index = 0;
        for (std::uint32_t i = 0; i < v; ++i)
            index += part(i) == part(v) ? 1 : 0;
        return {part(v), named(FeatureKind::vertex, index)};
    }
    std::pair<std::uint32_t, Feature> face(std::uint32_t f) const {
        const std::uint32_t own = part(topology_.triangles[f][0]);
        std::uint32_t index = 0;
        for (std::uint32_t i = 0; i < f; ++i)
            index += part(topology_.triangles[i][0]) == own ? 1 : 0;
        return {own, named(FeatureKind::face, index)};
    }
    std::pair<std::uint32_t, Feature> edge(std::uint32_t v0, std::uint32_t v1) const {
        if (v0 == v1) return vertex(v0);
        std::uint32_t index = 0;
        for (const auto& [a, b] : edges_) {
            if (a == v0 && b == v1) return {part(v0), named(FeatureKind::edge, index)};
            index += part(a) == part(v0) ? 1 : 0;
        }
        ADD_FAILURE() << "no edge";
        return {};
    }

private:
    static Feature named(FeatureKind kind, std::uint32_t index) {
        Feature feature{kind, 0};
        feature.index = index & 0x3fffffffu;
        return feature;
    }
    const DeformingTopology& topology_;
    std::vector<std::array<std::uint32_t, 2>> edges_;
};

// The contact's sides are these, its normal is this one from the second to the first.
void expect_sides(const Contact& contact, std::pair<std::uint32_t, Feature> first,
                  std::pair<std::uint32_t, Feature> second, Vec3 normal) {
    if (first.first > second.first) {
        std::swap(first, second);
        normal = -normal;
    }
    EXPECT_EQ(contact.body_a, first.first);
    EXPECT_EQ(contact.body_b, second.first);
    EXPECT_EQ(contact.feature_a, first.second);
    EXPECT_EQ(contact.feature_b, second.second);
    EXPECT_EQ(contact.normal, normal);
}

template <class Hit>
void expect_named(const Contact& contact, const Hit& hit, const SlowNames& names) {
    if (hit.is_vertex_face())
        expect_sides(contact, names.vertex(hit.vertices[0]), names.face(hit.face), hit.normal);
    else
        expect_sides(contact, names.edge(hit.vertices[0], hit.vertices[1]),
                     names.edge(hit.vertices[2], hit.vertices[3]), hit.normal);
}

template <class T>
Vec3d mean_of(const std::vector<Vec3T<T>>& positions, const std::uint32_t* vertices,
              const float* weights, int count) {
    Vec3d sum{0, 0, 0};
    for (int i = 0; i < count; ++i)
        sum += static_cast<Vec3d>(positions[vertices[i]]) * double{weights[i]};
    return sum;
}

// Parts in turn, so that a part's features are not those of the whole one after the other.
template <class T>
void mix_parts(DeformingCase<T>& given, unsigned seed) {
    if (seed % 3 == 0) given.topology.parts.clear();
    if (seed % 3 != 1) return;
    std::vector<std::uint32_t> order(given.t0.size());  // new index of each vertex
    const auto count = static_cast<std::uint32_t>(order.size());
    for (std::uint32_t i = 0; i < count; ++i)
        order[i] = (i * 7) % count;
    ASSERT_NE(count % 7, 0u);
    DeformingCase<T> mixed = given;
    for (std::uint32_t i = 0; i < count; ++i) {
        mixed.t0[order[i]] = given.t0[i];
        mixed.t1[order[i]] = given.t1[i];
        mixed.topology.parts[order[i]] = 10 * (2 - given.topology.parts[i]);
    }
    for (Triangle& t : mixed.topology.triangles)
        t = {{order[t[0]], order[t[1]], order[t[2]]}};
    for (Edge& e : mixed.topology.loose_edges)
        e = {{order[e[0]], order[e[1]]}};
    for (std::uint32_t& v : mixed.topology.loose_vertices)
        v = order[v];
    mixed.topology.ignored_parts.clear();
    given = mixed;
}

template <class T>
void check_case(unsigned seed, int kind) {
    DeformingCase<T> given = random_deforming<T>(seed, 30, kind);
    mix_parts(given, seed);
    SCOPED_TRACE(given.name);
    const SlowNames names(given.topology);
    const DeformingBodies bodies(given.topology);
    using Positions = std::span<const Vec3T<T>>;
    const Positions t0(given.t0), t1(given.t1);
    DeformingDetector detector(given.topology, Device::cpu(), {.min_separation = 0.125});

    const auto impacts = detector.find_impacts(t0, t1);
    std::vector<Contact> contacts = contacts_of(impacts, bodies, t0, t1, 0.125);
    ASSERT_EQ(contacts.size(), impacts.size());
    for (std::size_t i = 0; i < impacts.size(); ++i) {
        const Impact& hit = impacts[i];
        expect_named(contacts[i], hit, names);
        const int count = hit.is_vertex_face() ? 1 : 2;
        const Vec3d expected =
            mean_of(given.t0, hit.vertices, hit.weights, count) * (1 - hit.time) +
            mean_of(given.t1, hit.vertices, hit.weights, count) * hit.time;
        EXPECT_LT(distance(static_cast<Vec3d>(contacts[i].position), expected), 1e-6);
        EXPECT_EQ(contacts[i].distance, 0.125f);
        EXPECT_LE(double{contacts[i].time}, hit.time);
        EXPECT_NEAR(contacts[i].time, hit.time, 1e-7);
    }

    const auto proximities = detector.find_proximities(t0, 0.5f);
    contacts = contacts_of(proximities, bodies, t0);
    ASSERT_EQ(contacts.size(), proximities.size());
    for (std::size_t i = 0; i < proximities.size(); ++i) {
        const Proximity& hit = proximities[i];
        expect_named(contacts[i], hit, names);
        const int count = hit.is_vertex_face() ? 1 : 2;
        const Vec3d first = mean_of(given.t0, hit.vertices, hit.weights, count);
        const Vec3d second =
            mean_of(given.t0, hit.vertices + count, hit.weights + count, 4 - count);
        EXPECT_LT(distance(static_cast<Vec3d>(contacts[i].position), (first + second) * 0.5), 1e-6);
        EXPECT_EQ(contacts[i].distance, detail::rounded_down(hit.distance));
        EXPECT_EQ(contacts[i].time, 0);
    }

    const auto intersections = detector.find_intersections(t0);
    contacts = contacts_of(intersections, bodies, t0);
    ASSERT_EQ(contacts.size(), intersections.size());
    for (std::size_t i = 0; i < intersections.size(); ++i) {
        const TriangleIntersection& hit = intersections[i];
        const Contact& contact = contacts[i];
        auto first = names.face(hit.a), second = names.face(hit.b);
        const bool is_swapped = first.first > second.first;
        expect_sides(contact, first, second, is_swapped ? -contact.normal : contact.normal);
        const auto corners = [&](std::uint32_t face, Vec3T<T>(&points)[3]) {
            for (int k = 0; k < 3; ++k)
                points[k] = given.t0[given.topology.triangles[face][k]];
        };
        Vec3T<T> a[3], b[3];
        corners(hit.a, a);
        corners(hit.b, b);
        EXPECT_EQ(contact.distance, detail::rounded_down(-least_shift(a, b).length));
        EXPECT_LE(contact.distance, 0);
        EXPECT_EQ(contact.time, 0);
        if (!hit.is_flat) {
            EXPECT_LT(distance(static_cast<Vec3d>(contact.position), (hit.start + hit.end) * 0.5),
                      1e-6);
            EXPECT_NEAR(length(contact.normal), 1, 1e-6);
        }
        // In both triangles.
        for (const std::uint32_t face : {hit.a, hit.b}) {
            const Triangle& t = given.topology.triangles[face];
            const auto at = [&](int k) { return static_cast<Vec3d>(given.t0[t[k]]); };
            const auto foot =
                closest_point_triangle(static_cast<Vec3d>(contact.position), at(0), at(1), at(2));
            EXPECT_LT(foot.distance_sq, 1e-11) << "pair " << i << (hit.is_flat ? ", flat" : "");
        }
    }
}

TEST(DeformingContacts, SayWhatTheHitsSay) {
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(30)); ++seed) {
        for (int kind = 0; kind < 3; ++kind) {
            check_case<float>(seed, kind);
            check_case<double>(seed, kind);
        }
    }
}

TEST(DeformingContacts, OfTheWrongTopologyAreRefused) {
    const DeformingTopology one{.vertex_count = 4, .triangles = {{{0, 1, 2}}}};
    const DeformingBodies bodies(one);
    const std::vector<Vec3> positions(4, Vec3{0, 0, 0});
    const std::span<const Vec3> few(positions.data(), 3);
    EXPECT_THAT([&] { contacts_of(std::span<const Proximity>(), bodies, few); },
                ThrowsMessage<Error>(HasSubstr("3 positions for 4 vertices")));
    const Proximity faces[] = {{{3, 0, 1, 2}, 1, {1, 1, 0, 0}, {0, 0, 1}, 0}};
    const Proximity edges[] = {{{0, 3, 1, 2}, Impact::kNoFace, {1, 0, 1, 0}, {0, 0, 1}, 0}};
    const TriangleIntersection triangles[] = {{0, 1, true, {}, {}}};
    const std::span<const Vec3> all(positions);
    const auto is_refused = ThrowsMessage<Error>(HasSubstr("names a feature that is not there"));
    EXPECT_THAT([&] { contacts_of(faces, bodies, all); }, is_refused);
    EXPECT_THAT([&] { contacts_of(edges, bodies, all); }, is_refused);
    EXPECT_THAT([&] { contacts_of(triangles, bodies, all); }, is_refused);
}

}  // namespace
}  // namespace graze
