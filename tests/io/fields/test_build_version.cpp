// A golden test: what build_field() gives for some meshes, as hashes. The cache finds a field by
// its mesh, its options and kBuildVersion, so that a change of what is built must raise that, or
// the fields of yesterday are loaded. The meshes are made by additions, multiplications and roots
// alone, which are the same on every machine.
#include <gtest/gtest.h>

#include "field/sampled/sampled_field.h"
#include "graze/build_field.h"
#include "graze/generate_mesh.h"
#include "io/content_hash.h"
#include "io/fields/field_cache.h"
#include "tests/field/build/build_field_cases.h"

namespace graze {
namespace {

struct GoldenCase {
    const char* name;
    Mesh mesh;
    FieldOptions options;
    const char* hash;
};

Mesh joined(Mesh a, const Mesh& b) {
    append(a, b);
    return a;
}
Mesh turned(Mesh mesh) {
    for (Triangle& t : mesh.triangles)
        std::swap(t.v[0], t.v[1]);
    return mesh;
}
Mesh halved(Mesh mesh) {
    for (Vec3& p : mesh.positions)
        p = p * 0.5f;
    return mesh;
}
Mesh without_first(Mesh mesh, std::ptrdiff_t count) {
    mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + count);
    return mesh;
}

template <class T>
void add(io::ContentHasher& hasher, const Buffer<T>& buffer) {
    hasher.add({reinterpret_cast<const char*>(buffer.data()),
                static_cast<std::size_t>(buffer.size()) * sizeof(T)});
}

std::string hash_of(const GoldenCase& c) {
    FieldReport report;
    const Field field = build_field(c.mesh, c.options, &report);
    const SampledField& samples = *samples_of(field);
    io::ContentHasher hasher;
    for (int axis = 0; axis < 3; ++axis)
        hasher.add_value(samples.grid.origin[axis]).add_value(samples.grid.cells[axis]);
    hasher.add_value(samples.grid.spacing).add_value(samples.error).add_value(samples.band);
    add(hasher, samples.values);
    add(hasher, samples.samples);
    add(hasher, samples.coarse);
    add(hasher, samples.block_of_brick);
    add(hasher, samples.errors);
    if (samples.seam > 0) hasher.add_value(samples.seam);
    hasher.add_value(report.sign).add_value(report.doubtful_sample_count);
    for (const std::string& finding : report.findings)
        hasher.add(finding);
    return hasher.key().text();
}

TEST(BuildVersion, IsRaisedWhereABuildGivesSomethingElse) {
    const Mesh ball = make_sphere(1, 3), cube = oracle_cube();
    const FieldOrder zero = FieldOrder::zero;
    const std::vector<GoldenCase> cases{
        {"dense ball", ball, {.resolution = 24}, "3633997a1d6481d55b7495a341a52908"},
        {"sparse ball",
         ball,
         {.resolution = 40, .order = zero, .sparse = true},
         "9b21eb91587676abe7163d763c6d2a60"},
        {"cube", cube, {.resolution = 17, .order = zero}, "6af3a2099a827b4087bed68bd86fe38d"},
        {"open ball",
         without_first(ball, 40),
         {.resolution = 24},
         "fd3d77e55aae0ae4962eb32fee18e908"},
        {"shell of a cube",
         cube,
         {.resolution = 24, .sign = FieldSign::shell, .thickness = 0.25f},
         "92df0d22ff3d44ff9279f9292107d0be"},
        {"cubes that overlap",
         joined(cube, moved(cube, {0.5f, 0.375f, 0.25f})),
         {.resolution = 24},
         "c7aceab6b0f8e8cd82b36d640c2cd6b2"},
        {"three cubes that overlap",
         joined(joined(cube, moved(cube, {0.5f, 0.375f, 0.25f})), moved(cube, {0.25f, 0.5f, 0.5f})),
         {.resolution = 24},
         "572b3294b14d600b772b51c17efe2561"},
        {"cubes that overlap, beside an open ball",
         joined(joined(cube, moved(cube, {0.5f, 0.375f, 0.25f})),
                moved(without_first(ball, 40), {5, 0, 0})),
         {.resolution = 32},
         "b0bfb7e14d00b2661e7e3af90b98cbae"},
        {"cubes apart, one inside out",
         joined(cube, turned(moved(cube, {2, 0, 0}))),
         {.resolution = 24},
         "a84742894dc73c3c2b105a98093cbabc"},
        {"cavity",
         joined(ball, turned(halved(ball))),
         {.resolution = 24},
         "e2c6d7b36a0dd6f23902a0e9697417c1"},
        {"sparse open ball",
         without_first(ball, 40),
         {.resolution = 40, .sparse = true},
         "0a6603eef7af36d353aba6d59c6a646f"},
        {"cube without a side",
         without_first(cube, 2),
         {.resolution = 20},
         "3e2ded63455628ef0b4ebb6c2ced1323"},
        {"reach", ball, {.resolution = 24, .reach = 0.25f}, "e82ac88e95d71f2c183894a11be7a16d"},
        {"errors that are not measured",
         ball,
         {.resolution = 24, .measure_error = false},
         "624c5aeb9f59bcb7c9b251be2b5aba4e"},
    };
    for (const GoldenCase& c : cases) {
        EXPECT_EQ(hash_of(c), c.hash)
            << c.name
            << ": build_field() gives something else than it did. If that is meant, raise "
            << "kBuildVersion (" << io::kBuildVersion
            << ") in src/io/fields/field_cache.h and put this hash here.";
    }
    EXPECT_EQ(io::kBuildVersion, 5u) << "put the hashes of this version here, and its number";
}

}  // namespace
}  // namespace graze
