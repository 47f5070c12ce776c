// Boxes of elements whose pairs are found on every machine; for test_element_pairs.cpp and
// test_element_pairs_cuda.cu.
#pragma once

#include "graze/names.h"
#include "tests/broad_phase/body_pairs_cases.h"
#include "tests/narrow_phase/features/sequence_boxes.h"

namespace graze {

inline const PairSearch kPairSearches[] = {PairSearch::tree, PairSearch::two_level_grid,
                                           PairSearch::one_level_grid};

struct ElementCase {
    std::string name;
    std::vector<Aabb> boxes;
};

// Boxes that cover the axes or planes of a grid without being cubes.
inline std::vector<Aabb> sticks_and_sheets(int count, unsigned seed) {
    oracle::RandomPoints<float> random(seed);
    std::vector<Aabb> boxes;
    for (int i = 0; i < count; ++i) {
        const Vec3 at = random.in_box(10);
        Vec3 size{0.01f, 0.01f, 0.01f};
        const int kind = random.integer(0, 5);
        size[kind % 3] = 4;
        if (kind >= 3) size[(kind + 1) % 3] = 4;
        boxes.push_back({at - size, at + size});
    }
    return boxes;
}

inline std::vector<ElementCase> element_cases() {
    constexpr float kLargest = std::numeric_limits<float>::max();
    std::vector<ElementCase> cases;
    for (BodyCase& body : small_cases()) {
        for (Aabb& box : body.boxes) {
            for (int axis = 0; axis < 3; ++axis) {
                box.min[axis] = clamp(box.min[axis], -kLargest, kLargest);
                box.max[axis] = clamp(box.max[axis], -kLargest, kLargest);
            }
        }
        cases.push_back({body.name, std::move(body.boxes)});
    }
    const int n = 1500;
    cases.push_back({"one giant among tiny ones", random_boxes(n, 10, 0.3f, 2, 101)});
    cases.back().boxes.insert(cases.back().boxes.begin() + 700,
                              Aabb{{-1000, -1000, -9}, {1000, 1000, 900}});
    cases.push_back({"giants", random_boxes(n, 10, 0.3f, 2, 102)});
    for (const Aabb& giant : random_boxes(60, 8, 30, 3, 103))
        cases.back().boxes.push_back(giant);
    cases.push_back({"sticks and sheets", sticks_and_sheets(n, 104)});
    cases.push_back({"a line", random_boxes(n, 10, 0.05f, 2, 105)});
    for (Aabb& box : cases.back().boxes)
        box.min.x = box.max.x = box.min.y = box.max.y = 3;
    cases.push_back({"points of a grid", {}});
    oracle::RandomPoints<float> random(106);
    for (int i = 0; i < n; ++i) {
        const Vec3 at = random.on_grid(4);
        cases.back().boxes.push_back({at, at});
    }
    cases.push_back({"all sides equal", {}});
    for (int i = 0; i < n; ++i) {
        const Vec3 at = random.on_grid(6);
        cases.back().boxes.push_back({at, at + Vec3{1, 1, 1}});
    }
    cases.push_back({"1e30", random_boxes(n, 1e30f, 2e29f, 5, 107)});
    return cases;
}

inline oracle::PairList brute_element_pairs(const std::vector<Aabb>& boxes) {
    return oracle::brute_body_pairs(boxes,
                                    std::vector<BodyFilter>(boxes.size(), BodyFilter{1, ~0u, 0}));
}
inline oracle::PairList sorted_list(const std::vector<IndexPair>& pairs) {
    oracle::PairList list = as_list(pairs);
    std::sort(list.begin(), list.end());
    return list;
}

// Boxes that all move a little: frame by frame of a scene that keeps its shape.
inline std::vector<Aabb> moved(const std::vector<Aabb>& boxes, float reach, unsigned seed) {
    oracle::RandomPoints<float> random(seed);
    std::vector<Aabb> result;
    for (const Aabb& box : boxes) {
        const Vec3 step = random.in_box(reach);
        result.push_back({box.min + step, box.max + step});
    }
    return result;
}

struct AcceptSome {
    GRAZE_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return (a + b) % 3 != 0; }
};

}  // namespace graze
