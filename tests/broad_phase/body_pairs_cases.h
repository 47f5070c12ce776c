// Bodies whose pairs are found on every machine; for test_body_pairs.cpp and
// test_body_pairs_cuda.cu.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "parallel/upload.h"
#include "tests/oracle/brute_body_pairs.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {

struct BodyCase {
    std::string name;
    std::vector<Aabb> boxes;
    std::vector<BodyFilter> filters;
};

inline BodyCase open_case(std::string name, std::vector<Aabb> boxes) {
    std::vector<BodyFilter> filters(boxes.size(), BodyFilter{1, ~0u, 0});
    return {std::move(name), std::move(boxes), std::move(filters)};
}

// Boxes around points of a cube, with half sizes over so many powers of two.
inline std::vector<Aabb> random_boxes(int count, float reach, float largest, int powers,
                                      unsigned seed) {
    oracle::RandomPoints<float> random(seed);
    std::vector<Aabb> boxes;
    for (int i = 0; i < count; ++i) {
        const Vec3 at = random.in_box(reach);
        const float half = largest * std::exp2(-random.uniform(0, static_cast<float>(powers)));
        const Vec3 size{half * random.uniform(0, 1), half, half * random.uniform(0, 1)};
        boxes.push_back({at - size, at + size});
    }
    return boxes;
}

inline std::vector<BodyCase> small_cases() {
    std::vector<BodyCase> cases;
    cases.push_back(open_case("none", {}));
    for (const int count : {1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513}) {
        cases.push_back(
            open_case("random " + std::to_string(count), random_boxes(count, 2, 0.5f, 2, 31)));
    }
    const int n = 1000;
    cases.push_back(
        open_case("all at one position", std::vector<Aabb>(300, {{1, 2, 3}, {2, 3, 4}})));
    cases.push_back(open_case("all at one point", std::vector<Aabb>(300, {{1, 2, 3}, {1, 2, 3}})));
    cases.push_back(open_case("all overlapping", random_boxes(300, 1, 8, 1, 32)));
    cases.push_back(open_case("mixed sizes", random_boxes(n, 10, 10, 12, 33)));
    cases.push_back(open_case("extremely mixed sizes", random_boxes(n, 10, 5, 100, 34)));
    cases.push_back(open_case("none touch", random_boxes(n, 1000, 0.01f, 1, 35)));
    cases.push_back(open_case("far from the origin", random_boxes(n, 2, 0.5f, 3, 36)));
    for (Aabb& box : cases.back().boxes)
        box = {box.min + Vec3{1e6f, -1e6f, 1e6f}, box.max + Vec3{1e6f, -1e6f, 1e6f}};
    cases.push_back(open_case("huge", random_boxes(n, 3e38f, 1e38f, 4, 37)));
    cases.push_back(open_case("tiny", random_boxes(n, 1e-40f, 1e-41f, 2, 38)));
    cases.push_back(open_case("flat", random_boxes(n, 10, 2, 3, 39)));
    for (Aabb& box : cases.back().boxes)
        box.min.z = box.max.z = 0;

    cases.push_back(open_case("clusters and one far away", {}));
    oracle::RandomPoints<float> random(40);
    for (int cluster = 0; cluster < 5; ++cluster) {
        const Vec3 at = random.in_box(1e4f);
        for (const Aabb& box : random_boxes(n / 5, 1, 0.2f, 2, 41 + static_cast<unsigned>(cluster)))
            cases.back().boxes.push_back({box.min + at, box.max + at});
    }
    cases.back().boxes.push_back({{1e9f, 1e9f, 1e9f}, {1e9f, 1e9f, 1e9f}});
    cases.back().filters.resize(cases.back().boxes.size(), {1, ~0u, 0});

    // Neighbours share exactly a face, an edge or a corner; an ulp less and they do not.
    cases.push_back(open_case("touching", {}));
    for (int i = 0; i < 512; ++i) {
        const Vec3 low{static_cast<float>(i & 7), static_cast<float>(i >> 3 & 7),
                       static_cast<float>(i >> 6)};
        Vec3 high = low + Vec3{1, 1, 1};
        if (random.integer(0, 1) == 0) high.x = std::nextafter(high.x, 0.0f);
        cases.back().boxes.push_back({low, high});
    }
    cases.back().filters.resize(512, {1, ~0u, 0});
    return cases;
}

inline std::vector<BodyCase> unusual_cases() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<BodyCase> cases;
    const int n = 1000;
    oracle::RandomPoints<float> random(50);

    // Planes, slabs, columns, quarters of space, and empty ones.
    for (const int unbounded : {1, 4, 40}) {
        cases.push_back(open_case(std::to_string(unbounded) + " of each unbounded kind",
                                  random_boxes(n, 10, 1, 3, 51)));
        std::vector<Aabb>& boxes = cases.back().boxes;
        for (int i = 0; i < 5 * unbounded; ++i) {
            const Vec3 at = random.in_box(10);
            Aabb box{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
            if (i % 5 == 1) box.max.z = at.z;
            if (i % 5 == 2)
                box = {{-kInfinity, -kInfinity, at.z}, {kInfinity, kInfinity, at.z + 1}};
            if (i % 5 == 3) box.min = at;
            if (i % 5 == 4) box = Aabb::empty();
            boxes.insert(boxes.begin() + random.integer(0, static_cast<int>(boxes.size())), box);
        }
        cases.back().filters.resize(boxes.size(), {1, ~0u, 0});
    }
    cases.push_back(
        open_case("all infinite", std::vector<Aabb>(100, {{-kInfinity, -kInfinity, -kInfinity},
                                                          {kInfinity, kInfinity, kInfinity}})));
    cases.push_back(open_case("all empty", std::vector<Aabb>(100, Aabb::empty())));

    cases.push_back(open_case("groups, masks and static bodies", random_boxes(n, 5, 1, 3, 52)));
    for (BodyFilter& filter : cases.back().filters) {
        filter = {1u << random.integer(0, 3), static_cast<std::uint32_t>(random.integer(0, 15)),
                  random.integer(0, 2) == 0 ? 1u : 0u};
    }
    cases.push_back(open_case("all static", random_boxes(n, 2, 1, 3, 53)));
    for (BodyFilter& filter : cases.back().filters)
        filter.is_static = 1;
    return cases;
}

inline std::vector<BodyCase> body_cases() {
    std::vector<BodyCase> cases = small_cases();
    for (BodyCase& unusual : unusual_cases())
        cases.push_back(std::move(unusual));
    return cases;
}

inline oracle::PairList as_list(const std::vector<IndexPair>& pairs) {
    oracle::PairList list;
    for (const IndexPair& pair : pairs)
        list.push_back({pair.a, pair.b});
    return list;
}

}  // namespace graze
