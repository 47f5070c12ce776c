// Fields built on the GPU have the bytes of those built on the host.
#include <cstdlib>
#include <filesystem>

#include "graze/mesh_io.h"
#include "tests/cuda_test.h"
#include "tests/field/build/build_field_cases.h"
#include "tests/needs_data.h"

namespace graze {
namespace {

class BuildFieldCudaTest : public CudaTest {
protected:
    static void compare(const Mesh& mesh, FieldOptions options) {
        FieldReport host_report, device_report;
        const Field host = build_field(mesh, options, &host_report);
        options.device = Device::cuda();
        const Field device = build_field(mesh, options, &device_report);
        expect_same_bytes(*samples_of(host), *samples_of(device));
        EXPECT_EQ(host_report.findings, device_report.findings);
        EXPECT_EQ(host_report.doubtful_sample_count, device_report.doubtful_sample_count);
    }
};

TEST_F(BuildFieldCudaTest, SameBytesAsOnTheHost) {
    for (const BuildCase& c : build_cases()) {
        SCOPED_TRACE(c.name);
        compare(c.mesh, c.options);
    }
}

TEST_F(BuildFieldCudaTest, SameBytesForParts) {
    for (const BuildCase& c : part_cases()) {
        SCOPED_TRACE(c.name);
        compare(c.mesh, c.options);
    }
}

TEST_F(BuildFieldCudaTest, SameBytesForAnOpenMesh) {
    Mesh mesh = make_torus(24, 16);
    mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + 60);
    compare(mesh, {.resolution = 40});
    compare(mesh, {.resolution = 48, .order = FieldOrder::zero, .sparse = true});
}

TEST_F(BuildFieldCudaTest, SameBytesForScans) {
    GRAZE_NEEDS_DATA("models");
    for (const char* model : {"bunny_hr.obj", "bowl.obj", "bun_zipper.ply"}) {
        SCOPED_TRACE(model);
        const Mesh mesh = load_mesh(data_folder() / "models" / model);
        compare(mesh, {.resolution = 64});
        compare(mesh, {.resolution = 128, .order = FieldOrder::zero, .sparse = true});
    }
}

TEST_F(BuildFieldCudaTest, SameBytesForHolesOnAllSides) {
    GRAZE_NEEDS_DATA("broken");
    const Mesh mesh = load_mesh(data_folder() / "broken" / "six_holes.obj");
    compare(mesh, {.resolution = 48});
    compare(mesh, {.resolution = 64, .order = FieldOrder::zero, .sparse = true});
}

TEST_F(BuildFieldCudaTest, ProgressCanStop) {
    FieldOptions options{.resolution = 64, .device = Device::cuda()};
    options.progress = [](double fraction) { return fraction < 0.5; };
    EXPECT_THROW(build_field(make_torus(40, 30), options), Error);
}

}  // namespace
}  // namespace graze
