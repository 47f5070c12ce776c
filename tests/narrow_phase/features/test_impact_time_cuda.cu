// The GPU's times of impact are the CPU's, bit by bit, and it rules out the same pairs.
#include <gtest/gtest.h>

#include <vector>

#include "narrow_phase/features/coplanar_times.h"
#include "narrow_phase/features/impact_time.h"
#include "narrow_phase/features/may_meet.h"
#include "tests/cuda_test.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

struct FeatureQuery {
    Vec3 p0[4], p1[4];
    double min_separation;
};
struct FeatureAnswer {
    ImpactTime vertex_face, edge_edge, cubic;
    bool may_meet_vertex_face, may_meet_edge_edge;
};

struct AnswerQuery {
    const FeatureQuery* queries;
    FeatureAnswer* answers;

    GRAZE_HD void operator()(std::int64_t i) const {
        const FeatureQuery& q = queries[i];
        const float separation = static_cast<float>(q.min_separation);
        answers[i] = {impact_time_vertex_face(q.p0, q.p1, q.min_separation),
                      impact_time_edge_edge(q.p0, q.p1, q.min_separation),
                      cubic_time_vertex_face(q.p0, q.p1, q.min_separation),
                      may_meet_vertex_face(q.p0, q.p1, separation),
                      may_meet_edge_edge(q.p0, q.p1, separation)};
    }
};

bool is_same(const ImpactTime& a, const ImpactTime& b) {
    return a.collides == b.collides && a.ran_out == b.ran_out && a.time == b.time &&
           a.normal == b.normal && a.weights[0] == b.weights[0] && a.weights[1] == b.weights[1] &&
           a.weights[2] == b.weights[2] && a.weights[3] == b.weights[3];
}

std::vector<FeatureQuery> make_queries(int count) {
    oracle::RandomPoints<float> random(1);
    std::vector<FeatureQuery> queries(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        FeatureQuery& query = queries[static_cast<std::size_t>(i)];
        query.min_separation = i % 4 == 0 ? 0.125 : 0;
        for (Vec3* points : {query.p0, query.p1})
            for (int k = 0; k < 4; ++k)
                points[k] = i % 3 == 0 ? random.on_grid(2) : random.in_box(1);
    }
    return queries;
}

using ImpactTimeCuda = CudaTest;

TEST_F(ImpactTimeCuda, SameBitsAsTheCpu) {
    const std::vector<FeatureQuery> queries = make_queries(50000);
    const auto count = static_cast<std::int64_t>(queries.size());
    auto device_queries = executor().make_buffer<FeatureQuery>(count);
    auto device_answers = executor().make_buffer<FeatureAnswer>(count);
    executor().copy_from_host("test: queries", queries.data(), device_queries.data(), count);
    executor().for_each("test: times", count,
                        AnswerQuery{device_queries.data(), device_answers.data()});
    std::vector<FeatureAnswer> answers(queries.size());
    executor().copy_to_host("test: answers", device_answers.data(), answers.data(), count);
    executor().wait();
    int different = 0, contact_count = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        FeatureAnswer expected;
        AnswerQuery{&queries[i], &expected}(0);
        different += !is_same(answers[i].vertex_face, expected.vertex_face) ||
                     !is_same(answers[i].edge_edge, expected.edge_edge) ||
                     !is_same(answers[i].cubic, expected.cubic) ||
                     answers[i].may_meet_vertex_face != expected.may_meet_vertex_face ||
                     answers[i].may_meet_edge_edge != expected.may_meet_edge_edge;
        contact_count += expected.vertex_face.collides;
    }
    EXPECT_EQ(different, 0);
    EXPECT_GT(contact_count, 1000);
}

}  // namespace
}  // namespace graze
