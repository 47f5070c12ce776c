// The GPU's topology and pseudonormals are the CPU's, bit by bit.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "geometry/topology.h"
#include "graze/device.h"
#include "parallel/cpu_executor.h"
#include "parallel/cuda_executor.h"
#include "parallel/upload.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

// Everything that is defined in a Topology and its Pseudonormals, as bytes on the host.
using Bytes = std::vector<char>;
struct Flat {
    std::vector<Bytes> arrays;
    std::vector<std::uint32_t> edge_offsets, vertex_offsets;
};

template <class T>
Bytes as_bytes(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class Executor>
struct Builder {
    Executor& executor;
    Buffer<Vec3> positions{executor.memory()};
    Buffer<Triangle> triangles{executor.memory()};
    TopologyWorkspace workspace{executor.memory()};
    Topology topology{executor.memory()};
    Pseudonormals normals{executor.memory()};

    void build(const Mesh& mesh) {
        const auto vertex_count = static_cast<std::int64_t>(mesh.positions.size());
        const auto triangle_count = static_cast<std::int64_t>(mesh.triangles.size());
        upload(executor, "test: positions", mesh.positions, positions);
        upload(executor, "test: triangles", mesh.triangles, triangles);
        build_topology(executor, triangles.data(), triangle_count, vertex_count, workspace,
                       topology);
        compute_pseudonormals(executor, positions.data(), triangles.data(), topology.view(),
                              normals);
    }

    template <class T>
    Bytes bytes(const Buffer<T>& buffer, std::int64_t count) {
        return as_bytes(download(executor, buffer, count));
    }
    template <class T>
    Bytes bytes(const Buffer<T>& buffer) {
        return bytes(buffer, buffer.size());
    }

    Flat flat() {
        const auto edge_offsets =
            download(executor, topology.edge_offsets, topology.edge_offsets.size());
        const auto vertex_offsets =
            download(executor, topology.vertex_offsets, topology.vertex_offsets.size());
        return {
            {bytes(topology.edges), bytes(topology.triangle_edges),
             bytes(topology.triangle_neighbours), bytes(topology.edge_corners, edge_offsets.back()),
             bytes(topology.vertex_corners, vertex_offsets.back()), bytes(normals.faces),
             bytes(normals.edges), bytes(normals.vertices)},
            edge_offsets,
            vertex_offsets};
    }
};

class TopologyCuda : public ::testing::Test {
protected:
    void SetUp() override {
        if (Device::list().size() < 2) GTEST_SKIP() << "no GPU";
    }
};

TEST_F(TopologyCuda, SameBitsAsTheCpu) {
    CpuExecutor cpu;
    CudaExecutor gpu;
    Builder<CpuExecutor> on_cpu{cpu};
    Builder<CudaExecutor> on_gpu{gpu};
    auto meshes = sample::all_meshes();
    meshes.push_back({"huge torus", sample::torus(700, 600)});
    for (const auto& [name, mesh] : meshes) {
        SCOPED_TRACE(name);
        on_cpu.build(mesh);
        on_gpu.build(mesh);
        const Flat a = on_cpu.flat(), b = on_gpu.flat();
        EXPECT_EQ(a.edge_offsets, b.edge_offsets);
        EXPECT_EQ(a.vertex_offsets, b.vertex_offsets);
        ASSERT_EQ(a.arrays.size(), b.arrays.size());
        for (std::size_t i = 0; i < a.arrays.size(); ++i) {
            EXPECT_TRUE(a.arrays[i] == b.arrays[i]) << "array " << i;
        }
    }
}

TEST_F(TopologyCuda, SecondBuildAllocatesNothing) {
    CudaExecutor gpu;
    Builder<CudaExecutor> builder{gpu};
    builder.build(sample::torus(100, 80));
    gpu.wait();
    const std::int64_t before = gpu.memory().allocation_count();
    builder.build(sample::torus(100, 80));
    gpu.wait();
    EXPECT_EQ(gpu.memory().allocation_count(), before);
}

}  // namespace
}  // namespace graze
