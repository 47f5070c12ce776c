// Queries about two moving features and their answers; read from files, as the rows of rationals of
// single queries, or as the pairs of two frames of a sequence with their exact answers.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "graze/mesh_io.h"
#include "narrow_phase/features/impact_time.h"
#include "tests/data_folder.h"
#include "tests/oracle/exact_impact.h"

namespace graze {

struct ImpactQuery {
    Vec3d p0[4], p1[4];  // [m] vertex | face or edge | edge, at t0 and t1
    bool is_vertex_face;
    bool collides;  // the truth, where a file has it
};

// Returns the query about the pair of features with these four vertices.
template <class T, class Vertices>
ImpactQuery query_of(const std::vector<Vec3T<T>>& positions_t0,
                     const std::vector<Vec3T<T>>& positions_t1, const Vertices& vertices,
                     bool is_vertex_face, bool collides = true) {
    ImpactQuery query{{}, {}, is_vertex_face, collides};
    for (std::size_t i = 0; i < 4; ++i) {
        query.p0[i] = static_cast<Vec3d>(positions_t0[vertices[i]]);
        query.p1[i] = static_cast<Vec3d>(positions_t1[vertices[i]]);
    }
    return query;
}

inline oracle::ContactFormula contact_formula(const ImpactQuery& query) {
    oracle::RationalPoints at_t0, at_t1;
    for (std::size_t i = 0; i < 4; ++i) {
        at_t0[i] = oracle::to_rational(query.p0[i]);
        at_t1[i] = oracle::to_rational(query.p1[i]);
    }
    const oracle::MovingPoints points = oracle::moving_points(at_t0, at_t1);
    return query.is_vertex_face ? oracle::contact_vertex_face(points)
                                : oracle::contact_edge_edge(points);
}

inline ImpactTime impact_of(const ImpactQuery& query, double min_separation = 0) {
    return query.is_vertex_face ? impact_time_vertex_face(query.p0, query.p1, min_separation)
                                : impact_time_edge_edge(query.p0, query.p1, min_separation);
}

// True where the features of a query meet, by exact arithmetic.
inline bool collides_exactly(const ImpactQuery& query) {
    return oracle::first_contact(contact_formula(query), oracle::Rational(1)).has_value();
}

// Reads queries of eight rows each, which are x, y, z as numerator and denominator, and the truth
// where there is one. Denominators are powers of two and numerators have at most 53 bits, so that
// the doubles are exact.
inline std::vector<ImpactQuery> read_queries(const std::filesystem::path& path,
                                             bool is_vertex_face) {
    std::ifstream file(path);
    std::vector<ImpactQuery> queries;
    std::string line;
    for (int row = 0; std::getline(file, line); row = (row + 1) % 8) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream words(line);
        if (row == 0) queries.push_back({{}, {}, is_vertex_face, true});
        ImpactQuery& query = queries.back();
        for (int axis = 0; axis < 3; ++axis) {
            std::string numerator, denominator;
            words >> numerator >> denominator;
            (row < 4 ? query.p0[row] : query.p1[row - 4])[axis] =
                oracle::Rational(numerator + "/" + denominator).get_d();
        }
        int truth = 1;
        if (words >> truth) query.collides = truth != 0;
    }
    return queries;
}

// Reads the numbers, and the words true (1) and false (0), of a flat or nested JSON array, in
// order.
inline std::vector<std::uint32_t> read_numbers(const std::filesystem::path& path) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < text.size();) {
        if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
            char* end = nullptr;
            numbers.push_back(static_cast<std::uint32_t>(std::strtoul(text.c_str() + i, &end, 10)));
            i = static_cast<std::size_t>(end - text.c_str());
        } else {
            if (text[i] == 't' || text[i] == 'f') numbers.push_back(text[i] == 't' ? 1 : 0);
            while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0)
                ++i;
            if (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) == 0) ++i;
        }
    }
    return numbers;
}

// The queries about pairs of features of two frames. Ids number the vertices, then the edges,
// sorted by their larger and then their smaller vertex, then the faces.
class SequenceQueries {
public:
    SequenceQueries(const std::filesystem::path& frame_t0, const std::filesystem::path& frame_t1)
        : mesh_t0_(load_mesh_double(frame_t0)), mesh_t1_(load_mesh_double(frame_t1)) {
        for (const Triangle& triangle : mesh_t0_.triangles)
            for (int i = 0; i < 3; ++i) {
                const std::uint32_t u = triangle[i], v = triangle[(i + 1) % 3];
                edges_.emplace_back(std::max(u, v), std::min(u, v));
            }
        std::sort(edges_.begin(), edges_.end());
        edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    }

    std::vector<ImpactQuery> read(const std::filesystem::path& pairs,
                                  const std::filesystem::path& answers) const {
        const std::vector<std::uint32_t> ids = read_numbers(pairs), truths = read_numbers(answers);
        std::vector<ImpactQuery> queries;
        queries.reserve(truths.size());
        for (std::size_t i = 0; i < truths.size(); ++i)
            queries.push_back(query(ids[2 * i], ids[2 * i + 1], truths[i] != 0));
        return queries;
    }

    const MeshD& mesh_t0() const { return mesh_t0_; }
    const MeshD& mesh_t1() const { return mesh_t1_; }

    // Returns the pairs that truly collide, by their vertices as an Impact has them, and the face.
    using Names = std::array<std::uint32_t, 5>;
    std::vector<Names> colliding(const std::filesystem::path& pairs,
                                 const std::filesystem::path& answers) const {
        const std::vector<std::uint32_t> ids = read_numbers(pairs), truths = read_numbers(answers);
        std::vector<Names> result;
        for (std::size_t i = 0; i < truths.size(); ++i) {
            if (truths[i] != 0) result.push_back(names(ids[2 * i], ids[2 * i + 1]));
        }
        return result;
    }

private:
    Names names(std::uint32_t a, std::uint32_t b) const {
        const auto vertex_count = static_cast<std::uint32_t>(mesh_t0_.positions.size());
        const auto edge_count = static_cast<std::uint32_t>(edges_.size());
        if (a < vertex_count) {
            const std::uint32_t face = b - vertex_count - edge_count;
            const Triangle& t = mesh_t0_.triangles[face];
            return {a, t[0], t[1], t[2], face};
        }
        using Ends = std::pair<std::uint32_t, std::uint32_t>;  // smaller, larger
        Ends one{edges_[a - vertex_count].second, edges_[a - vertex_count].first};
        Ends other{edges_[b - vertex_count].second, edges_[b - vertex_count].first};
        if (other < one) std::swap(one, other);
        return {one.first, one.second, other.first, other.second, 0xffffffffu};
    }

    ImpactQuery query(std::uint32_t a, std::uint32_t b, bool truth) const {
        const auto vertex_count = static_cast<std::uint32_t>(mesh_t0_.positions.size());
        const auto edge_count = static_cast<std::uint32_t>(edges_.size());
        const bool is_vertex_face = a < vertex_count;
        std::uint32_t vertices[4];
        if (is_vertex_face) {
            const Triangle& face = mesh_t0_.triangles[b - vertex_count - edge_count];
            vertices[0] = a;
            for (int i = 0; i < 3; ++i)
                vertices[1 + i] = face[i];
        } else {
            vertices[0] = edges_[a - vertex_count].second;
            vertices[1] = edges_[a - vertex_count].first;
            vertices[2] = edges_[b - vertex_count].second;
            vertices[3] = edges_[b - vertex_count].first;
        }
        return query_of(mesh_t0_.positions, mesh_t1_.positions, vertices, is_vertex_face, truth);
    }

    MeshD mesh_t0_, mesh_t1_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  // larger vertex, smaller vertex
};

}  // namespace graze
