#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/io/meshes/mesh_io_cases.h"

namespace graze {
namespace {

using testing::to_bytes;

Mesh read(std::string_view text) {
    return read_mesh(text, MeshFormat::stl, "file");
}

std::string facet(const std::string& a, const std::string& b, const std::string& c) {
    return "facet normal 0 0 nan\nouter loop\nvertex " + a + "\nvertex " + b + "\nvertex " + c +
           "\nendloop\nendfacet\n";
}
const std::string kFacet = facet("0 0 0", "1 0 0", "0 1 0");

TEST(ReadStl, WeldsEqualCornersInOrderOfAppearance) {
    const Mesh mesh =
        read("solid a\n" + kFacet + facet("0 1 0", "1 0 0", "1 1 1e-9") + "endsolid a\n");
    EXPECT_EQ(mesh.positions.size(), 4u);
    ASSERT_EQ(mesh.triangles.size(), 2u);
    EXPECT_EQ(mesh.triangles[1], (Triangle{{2, 1, 3}}));
}

TEST(ReadStl, LinesMayEndInCarriageReturnsAlone) {
    std::string text = "solid a\n" + kFacet + facet("0 1 0", "1 0 0", "1 1 1") + "endsolid a\n";
    const Mesh expected = read(text);
    std::replace(text.begin(), text.end(), '\n', '\r');
    const Mesh mesh = read(text);
    EXPECT_EQ(mesh.positions, expected.positions);
    EXPECT_EQ(mesh.triangles, expected.triangles);
}

TEST(ReadStl, NegativeZeroIsZero) {
    const Mesh mesh =
        read("solid\n" + kFacet + facet("-0 -0 0", "0 -0 -0", "1 -0.0 0") + "endsolid\n");
    EXPECT_EQ(mesh.positions.size(), 3u);
    EXPECT_EQ(mesh.triangles[1], (Triangle{{0, 0, 1}}));  // degenerate, but kept
}

TEST(ReadStl, AcceptsSeveralSolidsAnyCaseAndEmptyOnes) {
    const Mesh mesh = read("  SOLID a b c\r\n" + kFacet + "EndSolid\n\nsolid\nendsolid\nsolid x\n" +
                           facet("5 5 5", "6 5 5", "5 6 5") + "endsolid");
    EXPECT_EQ(mesh.positions.size(), 6u);
    EXPECT_EQ(mesh.triangles.size(), 2u);
}

TEST(ReadStl, RecognisesBinaryFilesThatBeginWithSolid) {
    std::string bytes = to_bytes(testing::tetrahedron<float>(), MeshFormat::stl,
                                 MeshEncoding::binary_little_endian);
    bytes.replace(0, 9, "solid abc");
    EXPECT_EQ(read(bytes).triangles, testing::tetrahedron<float>().triangles);
    bytes.pop_back();
    EXPECT_NE(testing::read_error(bytes, MeshFormat::stl).find("announces 4 facets"),
              std::string::npos);
}

TEST(ReadStl, WeldsManyVertices) {
    // A grid of small whole numbers, whose bits vary least.
    std::string text = "solid\n";
    constexpr int kSide = 60;
    for (int i = 0; i < kSide; ++i)
        for (int j = 0; j < kSide; ++j) {
            const auto point = [&](int di, int dj) {
                return "7 " + std::to_string(j + dj) + " " + std::to_string(i + di);
            };
            text += facet(point(0, 0), point(0, 1), point(1, 1));
            text += facet(point(0, 0), point(1, 1), point(1, 0));
        }
    EXPECT_EQ(read(text + "endsolid\n").positions.size(), std::size_t{(kSide + 1) * (kSide + 1)});
    EXPECT_EQ(read_mesh_double(text + "endsolid\n", MeshFormat::stl, "file").positions.size(),
              std::size_t{(kSide + 1) * (kSide + 1)});
}

TEST(ReadStl, RefusesMalformedAsciiFiles) {
    testing::expect_refused(
        {
            {"neither", "hello", "byte 0:", "neither ascii STL"},
            {"no endsolid", "solid a\n" + kFacet,
             ":9:", "expected 'facet' or 'endsolid', found the end"},
            {"words behind", "solid a\n" + kFacet + "endsolid a\nhello\n",
             ":10:", "expected 'solid'"},
            {"unknown word", "solid a\nface\n", ":2:", "'face'"},
            {"no normal", "solid a\nfacet\nouter loop\n", ":3:", "expected 'normal'"},
            {"four corners", "solid a\n" + facet("0 0 0", "1 0 0\nvertex 1 1 0", "0 1 0"),
             ":7:", "'endloop'"},
            {"two corners",
             "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nendloop\n",
             ":6:", "expected 'vertex'"},
            {"nan", "solid a\n" + facet("0 0 0", "1 nan 0", "0 1 0"), ":5:", "finite"},
            {"short vertex", "solid a\n" + facet("0 0 0", "1 0", "0 1 0"), ":5:", "z coordinate"},
            {"long vertex", "solid a\n" + facet("0 0 0", "1 0 0 0", "0 1 0"),
             ":5:", "unexpected '0'"},
            {"above float", "solid a\n" + facet("0 0 1e60", "1 0 0", "0 1 0"), ":4:", "too large"},
        },
        MeshFormat::stl);
}

TEST(ReadStl, RefusesMalformedBinaryFiles) {
    const std::string good = to_bytes(testing::tetrahedron<float>(), MeshFormat::stl,
                                      MeshEncoding::binary_little_endian);
    std::string infinite = good;
    const float value = std::numeric_limits<float>::infinity();
    std::memcpy(infinite.data() + 84 + 50 + 28, &value, sizeof value);
    std::string oversized = good;
    oversized.replace(80, 4, "\xff\xff\xff\xff");
    testing::expect_refused(
        {
            {"cut short", good.substr(0, good.size() - 1), "byte 80:", "announces 4 facets"},
            {"bytes behind", good + "x", "byte 80:", "the file has 285"},
            {"oversized", oversized, "byte 80:", "announces 4294967295 facets"},
            {"infinite", infinite, "byte " + std::to_string(84 + 50 + 24), "not a finite number"},
        },
        MeshFormat::stl);
}

TEST(ReadStl, TruncationsAreSafe) {
    const Mesh mesh = testing::tetrahedron<float>();
    for (const MeshEncoding encoding : {MeshEncoding::ascii, MeshEncoding::binary_little_endian})
        testing::expect_truncations_safe(to_bytes(mesh, MeshFormat::stl, encoding),
                                         MeshFormat::stl);
}

}  // namespace
}  // namespace graze
