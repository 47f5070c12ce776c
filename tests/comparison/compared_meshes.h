// Meshes whose intersections are known, for tests of comparisons.
#pragma once

#include <vector>

#include "comparison/pair_judge.h"
#include "graze/generate_mesh.h"

namespace graze {

// A closed box between two corners, of 12 triangles that face outwards.
inline Mesh box_mesh(const Vec3& low, const Vec3& high) {
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.positions.push_back({(i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y,
                                  (i & 4) != 0 ? high.z : low.z});
    mesh.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    return mesh;
}

// Both as one mesh.
inline Mesh with(Mesh mesh, const Mesh& other) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
    for (const Triangle& t : other.triangles)
        mesh.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
    return mesh;
}

inline Mesh moved(Mesh mesh, const Vec3& by) {
    for (Vec3& position : mesh.positions)
        position += by;
    return mesh;
}

inline Transform at(const Vec3& translation) {
    return {translation, Quat::identity(), 1};
}

// A judge of two meshes.
struct JudgedPair {
    JudgedPair(const Mesh& a, const Mesh& b, double accuracy = 1e-3)
        : a_(executor_, a), b_(executor_, b), judge_(a_, b_, accuracy, Device::cpu()) {}

    PairJudge::Verdict operator()(const ComparedPose& pose) { return judge_.judge(pose); }
    PairJudge::Verdict operator()(const Transform& b) { return judge_.judge({b, {}}); }

    CpuExecutor executor_;
    JudgedBody a_, b_;
    PairJudge judge_;
};

}  // namespace graze
