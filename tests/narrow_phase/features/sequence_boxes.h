// The swept boxes of real sequences, of two frames each, for tests and benchmarks of pairs.
#pragma once

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "graze/mesh_io.h"
#include "tests/data_folder.h"

namespace graze {

struct SequenceFrames {
    const char* name;
    const char* frame_t0;
    const char* frame_t1;
    // The count of pairs of triangles whose swept boxes touch, by others' codes; 0: unknown.
    std::uint64_t pair_count;
};

inline const SequenceFrames kSequences[] = {
    {"cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", 4539382},
    {"n-body", "balls16_18.ply", "balls16_19.ply", 12040817},
    {"cloth-funnel", "227.ply", "228.ply", 0}};

inline std::filesystem::path sequence_folder() {
    return data_folder() / "sequences";
}

inline float round_down(double x) {
    const auto rounded = static_cast<float>(x);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return double{rounded} <= x ? rounded : std::nextafter(rounded, -kInfinity);
}

// Returns a box for each triangle that contains it at t0 and at t1.
template <class T>
std::vector<Aabb> swept_boxes(const std::vector<Vec3T<T>>& positions_t0,
                              const std::vector<Vec3T<T>>& positions_t1,
                              const std::vector<Triangle>& triangles) {
    std::vector<Aabb> boxes;
    for (const Triangle& t : triangles) {
        Aabbd swept = Aabbd::empty();
        for (int corner = 0; corner < 3; ++corner)
            swept = merge(merge(swept, static_cast<Vec3d>(positions_t0[t[corner]])),
                          static_cast<Vec3d>(positions_t1[t[corner]]));
        Aabb box;
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = round_down(swept.min[axis]);
            box.max[axis] = -round_down(-swept.max[axis]);
        }
        boxes.push_back(box);
    }
    return boxes;
}

// Returns the swept boxes of a sequence; none where the data is absent.
inline std::vector<Aabb> swept_boxes(const SequenceFrames& sequence) {
    const std::filesystem::path folder = sequence_folder() / sequence.name / "frames";
    if (!std::filesystem::exists(folder / sequence.frame_t0)) return {};
    const MeshD t0 = load_mesh_double(folder / sequence.frame_t0);
    const MeshD t1 = load_mesh_double(folder / sequence.frame_t1);
    return swept_boxes(t0.positions, t1.positions, t0.triangles);
}

// A hash of a list of pairs that does not depend on their order, but on how often each is there.
struct PairHash {
    std::uint64_t count = 0, sum = 0;
    void operator()(std::uint32_t a, std::uint32_t b) {
        std::uint64_t key = std::uint64_t{a} << 32 | b;
        key = (key ^ key >> 31) * 0x9e3779b97f4a7c15ull;
        key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9ull;
        sum += key ^ key >> 32;
        ++count;
    }
    void add(const PairHash& other) {
        count += other.count;
        sum += other.sum;
    }
    bool operator==(const PairHash&) const = default;
};

}  // namespace graze
