#include <cstring>

#include "tests/cuda_test.h"
#include "tests/geometry/bvh/mesh_tree_cases.h"

namespace graze {
namespace {

class MeshTreeCuda : public CudaTest {};

template <class T>
bool are_same_bytes(std::span<const T> a, std::span<const T> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}
template <class T>
bool are_same_lists(const AnswerLists<T>& a, const AnswerLists<T>& b) {
    return are_same_bytes(a.items, b.items) && are_same_bytes(a.offsets, b.offsets);
}

// Plain arithmetic has the same bits; arc tangents have not.
void expect_answers_of_the_cpu(MeshTree& gpu, MeshTree& cpu, const char* name) {
    const std::vector<Vec3> points = tree_points(cpu.mesh(), 3000, 7);
    std::vector<Ray> rays;
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
        rays.push_back({points[i], points[i + 1] - points[i]});
        const Vec3 half = max_of(points[i + 1] - points[i], points[i] - points[i + 1]) * 0.25f;
        boxes.push_back({points[i] - half, points[i] + half});
    }
    EXPECT_TRUE(are_same_bytes(gpu.find_nearest(points), cpu.find_nearest(points))) << name;
    const DistanceSign by_winding = DistanceSign::winding;
    EXPECT_TRUE(are_same_bytes(gpu.signed_distances(points, by_winding),
                               cpu.signed_distances(points, by_winding)))
        << name;
    EXPECT_TRUE(are_same_bytes(gpu.signed_distances(points), cpu.signed_distances(points))) << name;
    const auto any_gpu = gpu.find_any_hits(rays), any_cpu = cpu.find_any_hits(rays);
    EXPECT_TRUE(are_same_bytes(any_gpu, any_cpu)) << name;
    const auto first_gpu = gpu.find_first_hits(rays), first_cpu = cpu.find_first_hits(rays);
    ASSERT_EQ(first_gpu.size(), first_cpu.size());
    for (std::size_t i = 0; i < rays.size(); ++i) {
        EXPECT_EQ(first_gpu[i].triangle, first_cpu[i].triangle) << name;
        if (first_gpu[i].triangle != kNoTriangle) {
            EXPECT_EQ(first_gpu[i].t, first_cpu[i].t) << name;
        }
    }
    const AnswerLists<RayHit> all_gpu = gpu.find_all_hits(rays), all_cpu = cpu.find_all_hits(rays);
    EXPECT_TRUE(are_same_bytes(all_gpu.offsets, all_cpu.offsets)) << name;
    EXPECT_TRUE(are_same_lists(gpu.find_in_boxes(boxes), cpu.find_in_boxes(boxes))) << name;
    EXPECT_TRUE(are_same_lists(gpu.find_within(points, 0.2f), cpu.find_within(points, 0.2f)))
        << name;
    EXPECT_TRUE(are_same_bytes(gpu.find_nearest_triangles(points, 4),
                               cpu.find_nearest_triangles(points, 4)))
        << name;
    const auto winding_gpu = gpu.winding_numbers(points), winding_cpu = cpu.winding_numbers(points);
    ASSERT_EQ(winding_gpu.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        // On the surface the number jumps by one.
        const float off = std::fabs(winding_gpu[i] - winding_cpu[i]);
        if (std::fabs(off - 1) > 1e-3f) {
            EXPECT_LE(off, 1e-5f) << name << ", point " << i;
        }
    }
}

TEST_F(MeshTreeCuda, AnswersAsTheCpuDoes) {
    for (const auto& [name, mesh] : tree_meshes()) {
        MeshTree gpu(mesh, Device::cuda(0)), cpu(mesh);
        expect_answers_of_the_cpu(gpu, cpu, name.c_str());
        std::vector<Vec3> positions = mesh.positions;
        for (Vec3& p : positions)
            p = {p.x + 0.3f * p.y * p.y, p.y, p.z * (1 + 0.2f * p.x) + 2};
        gpu.set_positions(positions);
        cpu.set_positions(positions);
        expect_answers_of_the_cpu(gpu, cpu, name.c_str());
    }
}

}  // namespace
}  // namespace graze
