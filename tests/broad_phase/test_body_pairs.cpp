#include "broad_phase/body_pairs_impl.h"
#include "parallel/cpu_executor.h"
#include "tests/broad_phase/body_pairs_cases.h"

namespace graze {
namespace {

oracle::PairList find_pairs(CpuExecutor& executor, const BodyCase& bodies) {
    BodyPairs result(executor.memory());
    find_body_pairs(executor, bodies.boxes.data(), bodies.filters.data(),
                    static_cast<std::int64_t>(bodies.boxes.size()), result);
    EXPECT_EQ(*result.count.data(), static_cast<std::uint64_t>(result.pairs.size()));
    return as_list(download(executor, result.pairs));
}

TEST(BodyPairs, AreThoseOfBruteForce) {
    CpuExecutor one(1), all(0);
    std::size_t most = 0;
    for (const BodyCase& bodies : body_cases()) {
        const oracle::PairList expected = oracle::brute_body_pairs(bodies.boxes, bodies.filters);
        EXPECT_TRUE(find_pairs(one, bodies) == expected) << bodies.name;
        EXPECT_TRUE(find_pairs(all, bodies) == expected) << bodies.name << ", all threads";
        most = std::max(most, expected.size());
    }
    EXPECT_GT(most, 40000u);  // 300 bodies at one position have 44,850
}

// The cases cover what they are meant for, as the pairs of the brute force itself show.
TEST(BodyPairs, CasesAreWhatTheirNamesSay) {
    for (const BodyCase& bodies : body_cases()) {
        const std::size_t n = bodies.boxes.size();
        const std::size_t found = oracle::brute_body_pairs(bodies.boxes, bodies.filters).size();
        if (bodies.name == "all at one point" || bodies.name == "all infinite") {
            EXPECT_EQ(found, n * (n - 1) / 2) << bodies.name;
        } else if (bodies.name == "all static" || bodies.name == "all empty" || n < 2) {
            EXPECT_EQ(found, 0u) << bodies.name;
        } else if (bodies.name != "none touch" && n > 9) {
            EXPECT_GT(found, n / 20) << bodies.name;
        }
    }
}

// Steps of moving bodies with one result: nothing stays from the step before, and a step like an
// earlier one takes no memory.
TEST(BodyPairs, StepAfterStep) {
    CpuExecutor executor(2);
    BodyPairs result(executor.memory());
    BodyCase bodies = open_case("moving", random_boxes(oracle::case_count(2000), 5, 0.5f, 3, 61));
    oracle::RandomPoints<float> random(62);
    std::vector<Vec3> velocities(bodies.boxes.size());
    for (Vec3& velocity : velocities)
        velocity = random.in_box(0.3f);
    for (const bool measured : {false, true}) {
        const std::vector<Aabb> start = bodies.boxes;
        const std::int64_t before = executor.memory().allocation_count();
        for (int step = 0; step < 10; ++step) {
            find_body_pairs(executor, bodies.boxes.data(), bodies.filters.data(),
                            static_cast<std::int64_t>(bodies.boxes.size()), result);
            if (!measured) {
                EXPECT_TRUE(as_list(download(executor, result.pairs)) ==
                            oracle::brute_body_pairs(bodies.boxes, bodies.filters));
            }
            for (std::size_t i = 0; i < velocities.size(); ++i) {
                bodies.boxes[i] = {bodies.boxes[i].min + velocities[i],
                                   bodies.boxes[i].max + velocities[i]};
            }
        }
        if (measured) {
            EXPECT_EQ(executor.memory().allocation_count(), before);
        }
        bodies.boxes = start;
    }
    // Fewer and more bodies than before.
    for (const BodyCase& other : small_cases()) {
        find_body_pairs(executor, other.boxes.data(), other.filters.data(),
                        static_cast<std::int64_t>(other.boxes.size()), result);
        EXPECT_TRUE(as_list(download(executor, result.pairs)) ==
                    oracle::brute_body_pairs(other.boxes, other.filters))
            << other.name;
    }
}

// The portable test of eight boxes is the oracle of the one in lanes.
TEST(BodyPairs, LanesTouchAsOneByOne) {
    CpuExecutor executor(1);
    for (const BodyCase& bodies : body_cases()) {
        BodyPairs one_by_one(executor.memory());
        body_pairs_detail::find_pairs<body_pairs_detail::SearchBySlot<TouchOneByOne>>(
            executor, bodies.boxes.data(), bodies.filters.data(),
            static_cast<std::int64_t>(bodies.boxes.size()), one_by_one);
        EXPECT_TRUE(as_list(download(executor, one_by_one.pairs)) == find_pairs(executor, bodies))
            << bodies.name;
    }
}

// One body far away must not make the grid so coarse that everything is compared with everything;
// visits are counted, not timed.
struct CountVisits {
    explicit CountVisits(const Aabb& box) : touch(box) {}
    std::uint32_t operator()(const BoxGroup& group) const {
        ++visit_count;
        return touch(group);
    }
    TouchOneByOne touch;
    static inline std::int64_t visit_count = 0;
};
std::int64_t count_visits(const BodyCase& bodies) {
    CpuExecutor executor(1);
    BodyPairs result(executor.memory());
    CountVisits::visit_count = 0;
    body_pairs_detail::find_pairs<body_pairs_detail::SearchBySlot<CountVisits>>(
        executor, bodies.boxes.data(), bodies.filters.data(),
        static_cast<std::int64_t>(bodies.boxes.size()), result);
    return CountVisits::visit_count;
}
TEST(BodyPairs, UnusualBodiesDoNotSpoilTheTree) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::vector<Aabb> usual = random_boxes(5000, 17, 0.5f, 2, 71);
    const std::int64_t visits = count_visits(open_case("usual", usual));
    EXPECT_LT(visits, 5000 * 40);
    for (const Aabb& unusual :
         {Aabb{{1e12f, 0, 0}, {1e12f, 0, 0}}, Aabb{{-30, -30, -20}, {30, 30, -17}},
          Aabb{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, -17}}}) {
        std::vector<Aabb> boxes = usual;
        boxes.push_back(unusual);
        EXPECT_LT(count_visits(open_case("with an unusual one", boxes)), visits + 5000 * 6);
    }
}

}  // namespace
}  // namespace graze
