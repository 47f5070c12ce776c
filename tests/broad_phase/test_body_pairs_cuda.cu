#include "broad_phase/body_boxes.h"
#include "parallel/cpu_executor.h"
#include "tests/broad_phase/body_pairs_cases.h"
#include "tests/cuda_test.h"

namespace graze {
namespace {

class BodyPairsCuda : public CudaTest {
protected:
    // Makes room until there is enough, as a detector does.
    oracle::PairList find_pairs(const BodyCase& bodies, BodyPairs& result) {
        const auto boxes = upload(executor(), bodies.boxes);
        const auto filters = upload(executor(), bodies.filters);
        std::uint64_t count = 0;
        while (true) {
            find_body_pairs(executor(), boxes.data(), filters.data(), boxes.size(), result);
            count = executor().read(result.count.data());
            if (count <= static_cast<std::uint64_t>(result.pairs.size())) break;
            result.pairs.resize(static_cast<std::int64_t>(count));
        }
        std::vector<IndexPair> pairs = download(executor(), result.pairs);
        pairs.resize(count);
        return as_list(pairs);
    }
};

TEST_F(BodyPairsCuda, AreThoseOfBruteForce) {
    BodyPairs result(executor().memory());
    for (const BodyCase& bodies : body_cases()) {
        EXPECT_TRUE(find_pairs(bodies, result) ==
                    oracle::brute_body_pairs(bodies.boxes, bodies.filters))
            << bodies.name;
    }
}

TEST_F(BodyPairsCuda, CountSaysWhatThereIsNoRoomFor) {
    const BodyCase bodies =
        open_case("all at one point", std::vector<Aabb>(300, {{1, 2, 3}, {1, 2, 3}}));
    const auto boxes = upload(executor(), bodies.boxes);
    const auto filters = upload(executor(), bodies.filters);
    for (const std::int64_t room : {0, 1, 1000, 44849, 44850, 60000}) {
        BodyPairs result(executor().memory());
        result.pairs.resize(room);
        find_body_pairs(executor(), boxes.data(), filters.data(), boxes.size(), result);
        EXPECT_EQ(executor().read(result.count.data()), 300u * 299 / 2);
        EXPECT_EQ(result.pairs.size(), room);
    }
}

TEST_F(BodyPairsCuda, StepsAllocateNothing) {
    const BodyCase bodies = open_case("random", random_boxes(20000, 20, 0.5f, 3, 81));
    BodyPairs result(executor().memory());
    const auto boxes = upload(executor(), bodies.boxes);
    const auto filters = upload(executor(), bodies.filters);
    result.pairs.resize(200000);
    const auto step = [&] {
        find_body_pairs(executor(), boxes.data(), filters.data(), boxes.size(), result);
    };
    step();
    const std::int64_t before = executor().memory().allocation_count();
    step();
    EXPECT_EQ(executor().memory().allocation_count(), before);
    CpuExecutor host(1);
    BodyPairs expected(host.memory());
    find_body_pairs(host, bodies.boxes.data(), bodies.filters.data(), boxes.size(), expected);
    std::vector<IndexPair> pairs = download(executor(), result.pairs);
    ASSERT_EQ(executor().read(result.count.data()),
              static_cast<std::uint64_t>(expected.pairs.size()));
    pairs.resize(static_cast<std::size_t>(expected.pairs.size()));
    EXPECT_TRUE(as_list(pairs) == as_list(download(host, expected.pairs)));
}

template <class Executor>
std::vector<Aabb> compute_boxes(Executor& executor, bool is_swept) {
    oracle::RandomPoints<float> random(91);
    std::vector<Aabb> bounds;
    std::vector<std::uint32_t> shapes;
    std::vector<Transform> poses[2];
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (std::uint32_t i = 0; i < 5000; ++i) {
        const Vec3 a = random.over_exponents(-6, 6), b = random.over_exponents(-6, 6);
        bounds.push_back({min_of(a, b), max_of(a, b)});
        if (random.integer(0, 9) == 0) bounds.back().max.z = kInfinity;
        if (random.integer(0, 19) == 0) bounds.back().min = {-kInfinity, -kInfinity, -kInfinity};
        shapes.push_back(i);
        const float scale = random.uniform(0.5f, 2);
        for (auto& at : poses) {
            const Quat q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                         random.uniform(-1, 1)};
            const bool is_turned = random.integer(0, 4) != 0;
            at.push_back({random.over_exponents(-10, 10),
                          is_turned ? normalized(q) : Quat::identity(), scale});
        }
    }
    const auto bounds_there = upload(executor, bounds);
    const auto shapes_there = upload(executor, shapes);
    const auto t0 = upload(executor, poses[0]), t1 = upload(executor, poses[1]);
    auto boxes = executor.template make_buffer<Aabb>(bounds_there.size());
    executor.for_each("test: boxes", boxes.size(),
                      BodyBoxes{bounds_there.data(), shapes_there.data(), t0.data(),
                                is_swept ? t1.data() : nullptr, 0.01f, boxes.data()});
    return download(executor, boxes);
}

TEST_F(BodyPairsCuda, BoxesHaveTheHostsBits) {
    CpuExecutor host(1);
    for (const bool is_swept : {false, true}) {
        const auto gpu = compute_boxes(executor(), is_swept), cpu = compute_boxes(host, is_swept);
        for (std::size_t i = 0; i < cpu.size(); ++i)
            ASSERT_TRUE(gpu[i].min == cpu[i].min && gpu[i].max == cpu[i].max) << i;
    }
}

}  // namespace
}  // namespace graze
