#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/io/meshes/mesh_io_cases.h"

namespace graze {
namespace {

Mesh read(std::string_view text) {
    return read_mesh(text, MeshFormat::obj, "file");
}
const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ReadObj, AcceptsEveryFormOfCorner) {
    for (const char* face :
         {"f 1 2 3", "f 1/1 2/1 3/1", "f 1//1 2//1 3//1", "f 1/1/1 2/1/1 3/1/1", "f -4 -3 -2",
          "f -4/-1/-1 -3//-1 -2/1", "f 1/ 2/ 3/", "f +1 +2 +3", "\tf  1\t2   3  ",
          "f 1 2 3 # comment", "f 1 2 3#comment", "f 1 2 3\r"}) {
        const Mesh mesh = read(kSquare + face);
        ASSERT_EQ(mesh.triangles.size(), 1u) << face;
        EXPECT_EQ(mesh.triangles[0], (Triangle{{0, 1, 2}})) << face;
    }
}

TEST(ReadObj, SkipsWhatIsNotGeometry) {
    const Mesh mesh = read(
        "\xEF\xBB\xBFv 0 0 0 1.0\n# comment \\\nmtllib a.mtl\no part\nvn 0 0 1\nvt nan 0\n\n"
        "v 1 0 0 0.5 0.5 0.5\r\ng all\nv +1 1e0 .5\nusemtl red\ns off\nl 1 2 \\\n3\nvp 1\nfoo "
        "bar\nf 1 2 3");
    ASSERT_EQ(mesh.positions.size(), 3u);
    EXPECT_EQ(mesh.positions[2], (Vec3{1, 1, 0.5f}));
    EXPECT_EQ(mesh.triangles.size(), 1u);
}

// Old programs end lines with a carriage return alone, some only here and there.
TEST(ReadObj, CarriageReturnsEndLines) {
    const std::string text = "v 0 0 0\rv 1 0 0\rv 1 1 0\r# not here\r\rf 1 2 3\r";
    EXPECT_EQ(read(text).positions.size(), 3u);
    EXPECT_EQ(read(text).triangles.size(), 1u);
    const Mesh mixed = read("v 0 0 0\rv 1 0 0\nv 1 1 0\r\nv 0 1 0\r\r\nf 1 2 3 4");
    EXPECT_EQ(mixed.positions.size(), 4u);
    EXPECT_EQ(mixed.triangles.size(), 2u);
    EXPECT_THAT(testing::error_of([&] { read(text + "f 1 2 4\r"); }),
                ::testing::HasSubstr("file:7: "));
}

TEST(ReadObj, IndicesBeyondAllAreSaidToBeSo) {
    for (const char* index : {"99999999999999999999999", "288230376151711744"}) {
        const std::string error = testing::error_of([&] { read(kSquare + "f 1 2 " + index); });
        EXPECT_THAT(error, ::testing::HasSubstr(
                               "file:5: face names vertex 2^58 or above, but the file has 4"));
    }
    EXPECT_THAT(testing::error_of([&] { read(kSquare + "f 1 2 -99999999999999999999999"); }),
                ::testing::HasSubstr("vertex -2^58 or below"));
    EXPECT_THAT(testing::error_of([&] { read(kSquare + "f 1 2 4294967298"); }),
                ::testing::HasSubstr("vertex 4294967298"));
}

TEST(ReadObj, JoinsContinuedLines) {
    const Mesh mesh = read("v 0 \\\n 0 0\nv 1 0\\\r\n 0\nv 0 1 0\nf 1 2 \\\n\\\n3\n");
    ASSERT_EQ(mesh.positions.size(), 3u);
    EXPECT_EQ(mesh.triangles.size(), 1u);
}

TEST(ReadObj, TriangulatesPolygonsAndAllowsVerticesBehindFaces) {
    const Mesh mesh = read("f 1 2 3 4\n" + kSquare);
    ASSERT_EQ(mesh.triangles.size(), 2u);
    EXPECT_EQ(mesh.triangles[0], (Triangle{{0, 1, 2}}));
    EXPECT_EQ(mesh.triangles[1], (Triangle{{0, 2, 3}}));
    // The third corner is concave: only the diagonal through it keeps both triangles inside.
    const Mesh arrow = read("f 1 2 3 4\nv 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\n");
    EXPECT_EQ(arrow.triangles[0], (Triangle{{0, 1, 2}}));
    const Mesh turned = read("f 2 3 4 1\nv 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\n");
    EXPECT_EQ(turned.triangles[0], (Triangle{{1, 2, 0}}));
    EXPECT_EQ(turned.triangles[1], (Triangle{{2, 3, 0}}));
}

TEST(ReadObj, OnlyCommentsAreAnEmptyMesh) {
    EXPECT_TRUE(read("# nothing\n\n").positions.empty());
}

TEST(ReadObj, KeepsEveryDigitInDouble) {
    const MeshD mesh = read_mesh_double("v 0.1 1e-310 1e300\n", MeshFormat::obj, "file");
    EXPECT_EQ(mesh.positions[0], (Vec3d{0.1, 1e-310, 1e300}));
}

TEST(ReadObj, NumbersTooSmallBecomeZero) {
    const Mesh mesh = read("v 1e-60 -1e-99999999999999999999 0.000e99999\n");
    EXPECT_EQ(mesh.positions[0], (Vec3{0, 0, 0}));
}

TEST(ReadObj, RefusesMalformedFiles) {
    const std::string s = kSquare;
    testing::expect_refused(
        {
            {"index beyond", s + "f 1 2 9\nv 0 0 0\n",
             ":5:", "face names vertex 9, but the file has 5"},
            {"huge index", s + "f 1 2 99999999999999999999\n", ":5:", "but the file has 4"},
            {"index 2^32 + 1", s + "f 1 2 4294967297\n", ":5:", "names vertex 4294967297"},
            {"zero index", s + "f 0 1 2\n", ":5:", "OBJ counts from 1"},
            {"negative beyond", s + "f -5 1 2\n", ":5:", "only 4 come before it"},
            {"two corners", s + "f 1 2\n", ":5:", "face with 2 corners"},
            {"no corners", s + "\n\nf\n", ":7:", "face with 0 corners"},
            {"word for an index", s + "f 1 2 x\n", ":5:", "found 'x'"},
            {"bad corner", s + "f 1 2 3/1/1/1\n", ":5:", "expected a face corner"},
            {"real for an index", s + "f 1 2 3.5\n", ":5:", "expected a face corner"},
            {"bad texture index", s + "f 1/a 2 3\n", ":5:", "texture vertex"},
            {"bad normal index", s + "f 1//a 2 3\n", ":5:", "normal"},
            {"two coordinates", "v 0 0\n", ":1:", "z coordinate, found the end of the line"},
            {"cut in a number", "v 0 0 1e", ":1:", "expected a number"},
            {"nan", s + "v 0 nan 0\n", ":5:", "finite"},
            {"inf", s + "v 0 -inf 0\n", ":5:", "finite"},
            {"infinity", s + "v +infinity 0 0\n", ":5:", "finite"},
            {"above float", s + "v 0 0 1e39\n", ":5:", "too large"},
            {"above double", s + "v 0 0 -1e999\n", ":5:", "too large"},
            {"exponent above 64 bits", s + "v 0 0 1e99999999999999999999\n", ":5:", "too large"},
            {"two signs", s + "v 0 0 +-1\n", ":5:", "expected a number"},
            {"comma", s + "v 0,5 0 1\n", ":5:", "'0,5'"},
            {"long unprintable word", s + "v \x01\x80" + std::string(99, 'z') + " 0 1\n",
             ":5:", "'"},
            {"not an OBJ", "hello world\n", ":1:", "not an OBJ mesh"},
            {"empty", "", "file:", "empty"},
        },
        MeshFormat::obj);
}

TEST(ReadObj, TruncationsAreSafe) {
    testing::expect_truncations_safe(
        "# c\nv 0 0 0\nv 1.5e1 0 0\nv 0 1 \\\n 0\nv 0 0 1\nf 1/1/1 2//2 -1\nf 1 2 3 4\nf -1 -2 -3 "
        "-4 1\n",
        MeshFormat::obj);
}

}  // namespace
}  // namespace graze
