// The copy of a shape's trees on the GPU is the host's, bit by bit, and empty where that is.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "graze/device.h"
#include "narrow_phase/sweep/shape_points.h"
#include "parallel/cuda_executor.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

class ShapePointsCuda : public testing::Test {
protected:
    void SetUp() override {
        if (Device::list().size() < 2) GTEST_SKIP() << "no GPU";
    }
};

template <class T>
void expect_same(CudaExecutor& gpu, const T* on_gpu, const T* on_host, std::size_t count) {
    std::vector<T> copied(count);
    gpu.copy_to_host("test: copy", on_gpu, copied.data(), static_cast<std::int64_t>(count));
    gpu.wait();
    EXPECT_EQ(std::memcmp(copied.data(), on_host, count * sizeof(T)), 0);
}

TEST_F(ShapePointsCuda, AreThoseOfTheHost) {
    const Mesh mesh = sample::torus(60, 40);
    const PointTree points = make_point_tree(make_mesh_points(mesh, {}, 0, nullptr), 0);
    const FaceTree faces = make_face_tree(mesh, 0);
    const ShapePoints host = view_points(&points, &faces);
    CudaExecutor gpu;
    const DevicePoints copy(gpu, host);
    const ShapePoints& device = copy.view();
    ASSERT_EQ(device.tree.point_count, mesh.positions.size());
    ASSERT_EQ(device.faces.point_count, mesh.triangles.size());
    EXPECT_EQ(device.tree.level_count, host.tree.level_count);
    expect_same(gpu, device.tree.nodes, host.tree.nodes, host.tree.node_count);
    expect_same(gpu, device.tree.points, host.tree.points, host.tree.point_count);
    expect_same(gpu, device.tree.indices, host.tree.indices, host.tree.point_count);
    expect_same(gpu, device.normals, host.normals, host.tree.point_count);
    expect_same(gpu, device.faces.nodes, host.faces.nodes, host.faces.node_count);
    expect_same(gpu, device.faces.indices, host.faces.indices, host.faces.point_count);
    expect_same(gpu, device.face_corners, host.face_corners,
                3 * std::size_t{host.faces.point_count});
}

TEST_F(ShapePointsCuda, AreEmptyWithoutAMesh) {
    CudaExecutor gpu;
    const DevicePoints copy(gpu, view_points(nullptr, nullptr));
    EXPECT_EQ(copy.view().tree.node_count, 0u);
    EXPECT_EQ(copy.view().tree.nodes, nullptr);
    EXPECT_EQ(copy.view().faces.node_count, 0u);
}

}  // namespace
}  // namespace graze
