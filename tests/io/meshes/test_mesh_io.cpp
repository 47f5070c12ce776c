#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include "graze/mesh_report.h"
#include "tests/io/meshes/mesh_io_cases.h"
#include "tests/needs_data.h"
#include "tests/temporary_folder.h"

#ifndef GRAZE_SOURCE_DIR
#define GRAZE_SOURCE_DIR "."
#endif

namespace graze {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::to_bytes;
using testing::write_bytes;

struct Form {
    MeshFormat format;
    MeshEncoding encoding;
    const char* extension;
};
constexpr Form kForms[] = {
    {MeshFormat::obj, MeshEncoding::ascii, ".obj"},
    {MeshFormat::ply, MeshEncoding::ascii, ".ply"},
    {MeshFormat::ply, MeshEncoding::binary_little_endian, ".ply"},
    {MeshFormat::ply, MeshEncoding::binary_big_endian, ".ply"},
    {MeshFormat::stl, MeshEncoding::ascii, ".stl"},
    {MeshFormat::stl, MeshEncoding::binary_little_endian, ".stl"},
    {MeshFormat::off, MeshEncoding::ascii, ".off"},
};

#define EXPECT_CONTAINS(text, piece) \
    EXPECT_NE(std::string(text).find(piece), std::string::npos) << (text)

template <class T>
MeshT<T> read_as(std::string_view bytes, MeshFormat format) {
    if constexpr (sizeof(T) == sizeof(float))
        return read_mesh(bytes, format, "file");
    else
        return read_mesh_double(bytes, format, "file");
}

// The coordinates are random bit patterns: every exponent, and many numbers below the normal range.
template <class T, class Bits>
MeshT<T> random_mesh(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto number = [&] {
        for (;;) {
            const T value = std::bit_cast<T>(static_cast<Bits>(random()));
            if (std::isfinite(value)) return value;
        }
    };
    MeshT<T> mesh;
    for (std::uint32_t i = 0; i < 3000; ++i) {
        mesh.positions.push_back({number(), number(), number()});
        // Vertices are in the order of their appearance, which welding keeps.
        if (i % 3 == 2) mesh.triangles.push_back({{i - 2, i - 1, i}});
    }
    return mesh;
}

template <class T>
void expect_round_trip(const MeshT<T>& mesh, const Form& form) {
    const MeshT<T> again = read_as<T>(to_bytes(mesh, form.format, form.encoding), form.format);
    EXPECT_EQ(again.triangles, mesh.triangles) << form.extension;
    EXPECT_EQ(again.positions, mesh.positions) << form.extension;
    ASSERT_EQ(again.positions.size(), mesh.positions.size());
    if (form.format == MeshFormat::stl) return;  // -0 becomes 0
    // Equal numbers with equal signs of zero are equal bits.
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const Vec3T<T>&p = mesh.positions[i], &q = again.positions[i];
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_EQ(std::signbit(q[axis]), std::signbit(p[axis]));
    }
}

TEST(MeshIo, RoundTripsBitByBitInFloat) {
    Mesh zeros = testing::tetrahedron<float>();
    zeros.positions[0] = {-0.0f, 0.0f, std::numeric_limits<float>::denorm_min()};
    for (const Form& form : kForms) {
        expect_round_trip(testing::tetrahedron<float>(), form);
        expect_round_trip(zeros, form);
        expect_round_trip(random_mesh<float, std::uint32_t>(1), form);
        expect_round_trip(Mesh{}, form);
    }
}

TEST(MeshIo, RoundTripsBitByBitInDouble) {
    for (const Form& form : kForms) {
        expect_round_trip(MeshD{}, form);
        if (form.format == MeshFormat::stl && form.encoding != MeshEncoding::ascii) continue;
        expect_round_trip(testing::tetrahedron<double>(), form);
        expect_round_trip(random_mesh<double, std::uint64_t>(2), form);
    }
}

TEST(MeshIo, BinaryStlHoldsFloats) {
    const MeshD mesh = testing::tetrahedron<double>();
    const MeshD again = read_as<double>(
        to_bytes(mesh, MeshFormat::stl, MeshEncoding::binary_little_endian), MeshFormat::stl);
    ASSERT_EQ(again.positions.size(), 4u);
    EXPECT_EQ(again.positions[0].y, static_cast<double>(1.0f / 3.0f));
}

TEST(MeshIo, ExtensionTellsTheFormat) {
    EXPECT_EQ(mesh_format("a/b.OBJ"), MeshFormat::obj);
    EXPECT_EQ(mesh_format("b.Ply"), MeshFormat::ply);
    EXPECT_EQ(mesh_format("c.stl"), MeshFormat::stl);
    EXPECT_EQ(mesh_format("d.x.off"), MeshFormat::off);
    EXPECT_CONTAINS(error_of([] { mesh_format("x.fbx"); }), "x.fbx: unknown mesh format '.fbx'");
    EXPECT_CONTAINS(error_of([] { mesh_format("obj"); }), "extensions are .obj");
}

TEST(MeshIo, SavesAndLoadsFiles) {
    const TemporaryFolder folder;
    const Mesh mesh = testing::tetrahedron<float>();
    for (const Form& form : kForms) {
        const fs::path path = folder / ("mesh" + std::string(form.extension));
        write_bytes(path, "what was there before");
        save_mesh(mesh, path, form.encoding);
        EXPECT_EQ(load_mesh(path).triangles, mesh.triangles);
        EXPECT_EQ(load_mesh_double(path).triangles, mesh.triangles);
    }
    EXPECT_EQ(folder.file_count(), 4u);
}

TEST(MeshIo, ReplacesTheTargetOfALink) {
    const TemporaryFolder folder;
    write_bytes(folder / "real.off", "old");
    fs::create_symlink("real.off", folder / "link.off");
    save_mesh(testing::tetrahedron<float>(), folder / "link.off");
    EXPECT_TRUE(fs::is_symlink(folder / "link.off"));
    EXPECT_EQ(load_mesh(folder / "real.off").triangles.size(), 4u);
}

TEST(MeshIo, FailedSavesLeaveNothingBehind) {
    const TemporaryFolder folder;
    const fs::path path = folder / "mesh.stl";
    write_bytes(path, "before");
    MeshD far = testing::tetrahedron<double>();
    far.positions[1].x = 1e300;
    const auto save = [&](const auto& mesh, const fs::path& to, MeshEncoding encoding) {
        return error_of([&] { save_mesh(mesh, to, encoding); });
    };
    EXPECT_CONTAINS(save(far, path, MeshEncoding::binary_little_endian),
                    "too large for the floats");
    EXPECT_CONTAINS(save(far, path, MeshEncoding::binary_big_endian), "little-endian only");
    Mesh bad = testing::tetrahedron<float>();
    bad.triangles[2].v[1] = 4;
    EXPECT_CONTAINS(save(bad, path, MeshEncoding::ascii), "triangle 2 names vertex 4");
    bad = testing::tetrahedron<float>();
    bad.positions[3].z = std::numeric_limits<float>::quiet_NaN();
    EXPECT_CONTAINS(save(bad, path, MeshEncoding::ascii), "vertex 3 has a coordinate");
    const Mesh good = testing::tetrahedron<float>();
    EXPECT_CONTAINS(save(good, folder / "x.obj", MeshEncoding::binary_little_endian), "ascii only");
    EXPECT_CONTAINS(save(good, folder / "none" / "x.obj", MeshEncoding::ascii), "cannot write");
    fs::create_directory(folder / "folder.ply");
    EXPECT_CONTAINS(save(good, folder / "folder.ply", MeshEncoding::ascii), "not a file");
    EXPECT_EQ(read_bytes(path), "before");
    EXPECT_EQ(folder.file_count(), 2u);
}

TEST(MeshIo, NamesWhatCannotBeRead) {
    const TemporaryFolder folder;
    const auto load = [](const fs::path& path) { return error_of([&] { load_mesh(path); }); };
    EXPECT_CONTAINS(load(folder / "missing.obj"), "missing.obj: cannot read: No such file");
    fs::create_directory(folder / "folder.obj");
    EXPECT_CONTAINS(load(folder / "folder.obj"), "it is a folder");
    ASSERT_EQ(::mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
    EXPECT_CONTAINS(load(folder / "pipe.obj"), "not a regular file");
    for (const char* extension : {".obj", ".ply", ".stl", ".off"}) {
        const fs::path path = folder / ("empty" + std::string(extension));
        write_bytes(path, "");
        EXPECT_CONTAINS(load(path), "the file is empty");
    }
    write_bytes(folder / "bad.obj", "v 0 0 0\nf 1 1 2\n");
    EXPECT_CONTAINS(load(folder / "bad.obj"), (folder / "bad.obj").string() + ":2: ");
    if (::geteuid() != 0) {
        fs::permissions(folder / "bad.obj", fs::perms::none);
        EXPECT_CONTAINS(load(folder / "bad.obj"), "Permission denied");
    }
}

TEST(Mesh, ValidateAndBounds) {
    Mesh mesh = testing::tetrahedron<float>();
    validate(mesh);
    EXPECT_EQ(bounds(mesh).min, (Vec3{-5, -0.1f, 1e-30f}));
    EXPECT_EQ(bounds(mesh).max, (Vec3{1, 1e30f, 11}));
    EXPECT_TRUE(bounds(MeshD{}).is_empty());
    validate(MeshD{});
    mesh.positions[2].x = -std::numeric_limits<float>::infinity();
    EXPECT_CONTAINS(error_of([&] { validate(mesh); }), "vertex 2");
    mesh.positions.clear();
    EXPECT_CONTAINS(error_of([&] { validate(mesh); }), "triangle 0 names vertex 2");
}

// Its two faces of 4,002 corners are cut into triangles that do not meet.
TEST(MeshIo, TheCombDoesNotIntersectItself) {
    GRAZE_NEEDS_DATA("broken/comb.obj");
    const MeshReport report = inspect(load_mesh(data_folder() / "broken/comb.obj"));
    EXPECT_EQ(report.triangle_count, 2 * 4000 + 2 * 4002);
    EXPECT_EQ(report.self_intersection_count, 0);
    EXPECT_EQ(report.euler_characteristic, 2);
    EXPECT_TRUE(report.is_closed());
}

TEST(MeshIo, LoadsRealFiles) {
    GRAZE_NEEDS_DATA("models");
    const fs::path folder = data_folder();
    int file_count = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".obj" && extension != ".ply" && extension != ".stl" &&
            extension != ".off")
            continue;
        const Mesh mesh = load_mesh(entry.path());
        validate(mesh);
        EXPECT_FALSE(mesh.triangles.empty()) << entry.path();
        EXPECT_EQ(load_mesh_double(entry.path()).triangles, mesh.triangles) << entry.path();
        ++file_count;
    }
    EXPECT_GT(file_count, 0);
}

// Fans do not depend on the positions.
TEST(MeshIo, CutsPolygonsAsFansWhereAsked) {
    const TemporaryFolder folder;
    for (const bool is_concave : {false, true}) {
        // The fan is cut along the second and the last corner, which lies outside where the first
        // one is pushed in.
        const std::string corners =
            is_concave ? "3 3 0\n4 0 0\n4 4 0\n0 4 0\n" : "0 0 0\n4 0 0\n4 4 0\n0 4 0\n";
        write_bytes(folder / "q.off", "OFF\n4 1 0\n" + corners + "4 3 0 1 2\n");
        write_bytes(folder / "q.ply",
                    "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\n"
                    "property double y\nproperty double z\nelement face 1\n"
                    "property list uchar int vertex_indices\nend_header\n" +
                        corners + "4 3 0 1 2\n");
        for (const char* name : {"q.off", "q.ply"}) {
            const MeshD fans = load_mesh_double(folder / name, PolygonCut::as_fans);
            EXPECT_EQ(fans.triangles, (std::vector<Triangle>{{{3, 0, 1}}, {{3, 1, 2}}})) << name;
            EXPECT_EQ(load_mesh_double(folder / name).triangles == fans.triangles, !is_concave);
        }
    }
}

// A face that crosses itself is refused where it stands, not cut wrong.
TEST(MeshIo, NamesTheFaceThatCrossesItself) {
    const std::string corners = "0 0 0\n1 1 0\n1 0 0\n0 1 0\n";
    const auto message = [](const std::string& bytes, MeshFormat format) -> std::string {
        try {
            read_mesh(bytes, format, "bow.tie");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const std::string obj = "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\nf 1 2 3 4\n";
    EXPECT_EQ(message(obj, MeshFormat::obj).substr(0, 34), "bow.tie:6: this face crosses itsel");
    const std::string off = "OFF\n4 2 0\n" + corners + "3 0 2 1\n4 0 1 2 3\n";
    EXPECT_EQ(message(off, MeshFormat::off).substr(0, 34), "bow.tie:8: this face crosses itsel");
    const std::string ply =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n" +
        corners + "4 0 1 2 3\n";
    EXPECT_EQ(message(ply, MeshFormat::ply).substr(0, 35), "bow.tie:14: this face crosses itsel");
    for (const std::string& text : {message(obj, MeshFormat::obj), message(ply, MeshFormat::ply)})
        EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace graze
