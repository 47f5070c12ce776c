#include "tests/io/meshes/mesh_io_cases.h"

namespace graze {
namespace {

Mesh read(std::string_view text) {
    return read_mesh(text, MeshFormat::off, "file");
}
const std::string kRows = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

TEST(ReadOff, AcceptsEveryFormOfHeader) {
    for (const char* header : {"OFF\n3 1 0\n", "OFF 3 1 0\n", "OFF3 1 0\n", "3 1 0\n", "OFF\n3 1\n",
                               "# comment\n\nOFF # comment\n# comment\n\n3 1 0 # comment\n",
                               "OFF\r\n3 1 0\r\n", "\xEF\xBB\xBFOFF\n3 1 0\n"}) {
        const Mesh mesh = read(header + kRows);
        EXPECT_EQ(mesh.positions.size(), 3u) << header;
        ASSERT_EQ(mesh.triangles.size(), 1u) << header;
        EXPECT_EQ(mesh.triangles[0], (Triangle{{0, 1, 2}})) << header;
    }
}

TEST(ReadOff, SkipsAttributes) {
    for (const char* header : {"COFF", "NOFF", "STOFF", "CNOFF", "STCNOFF"}) {
        const Mesh mesh =
            read(header + std::string("\n3 1 0\n0 0 0 1 1 1\n2 0 0 .5 .5 1 1\n0 3 0 0 0\n"
                                      "3 0 1 2 255 0 0\n"));
        EXPECT_EQ(mesh.positions[1], (Vec3{2, 0, 0})) << header;
        EXPECT_EQ(mesh.positions[2], (Vec3{0, 3, 0})) << header;
    }
}

TEST(ReadOff, TriangulatesPolygons) {
    const Mesh mesh = read(
        "OFF 5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .2 0\n4 0 1 2 3\n5 0 4 1 2 3 0.5 0.5 0.5\n");
    EXPECT_EQ(mesh.triangles.size(), 5u);
}

TEST(ReadOff, EmptyMeshesAreLegal) {
    EXPECT_TRUE(read("OFF\n0 0 0\n").positions.empty());
    EXPECT_TRUE(read("OFF 0 0").positions.empty());
}

TEST(ReadOff, RefusesMalformedFiles) {
    testing::expect_refused(
        {
            {"other word", "OBJ\n3 1 0\n" + kRows, ":1:", "expected OFF"},
            {"four dimensions", "4OFF\n3 1 0\n" + kRows, ":1:", "'4OFF' is not supported"},
            {"n dimensions", "nOFF\n3\n3 1 0\n" + kRows, ":1:", "'nOFF' is not supported"},
            {"binary", "OFF BINARY\n", ":1:", "binary OFF"},
            {"no counts", "OFF\n", ":2:", "number of vertices"},
            {"one count", "OFF\n3\n", ":2:", "number of faces"},
            {"negative count", "OFF\n-3 1 0\n", ":2:", "negative"},
            {"many counts", "OFF\n3 1 0 0\n" + kRows, ":2:", "unexpected '0'"},
            {"oversized", "OFF\n2147483648 1 0\n" + kRows, ":2:", "more than its size can hold"},
            {"oversized faces", "OFF\n3 4000000000 0\n" + kRows,
             ":2:", "more than its size can hold"},
            {"beyond 64 bits", "OFF\n99999999999999999999 99999999999999999999 0\n" + kRows,
             ":2:", "hold"},
            {"short vertex", "OFF\n3 1 0\n0 0\n1 0 0\n0 1 0\n3 0 1 2   \n", ":3:", "z coordinate"},
            {"long vertex", "OFF\n3 1 0\n0 0 0 1\n1 0 0\n0 1 0\n3 0 1 2\n",
             ":3:", "unexpected '1'"},
            {"nan", "OFF\n3 1 0\n0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n", ":3:", "finite"},
            {"above float", "OFF\n3 1 0\n0 0 1e39\n1 0 0\n0 1 0\n3 0 1 2\n", ":3:", "too large"},
            {"no faces", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n\n#        \n", ":8:", "0 of 1 faces"},
            {"no vertices", "OFF\n3 1 0\n\n#" + std::string(40, ' '), ":4:", "0 of 3 vertices"},
            {"index beyond", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
             ":6:", "face names vertex 3"},
            {"index negative", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
             ":6:", "face names vertex -1"},
            {"two corners", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1   \n",
             ":6:", "face with 2 corners"},
            {"short face", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4 0 1 2\n",
             ":6:", "found the end of the line"},
            {"rows behind", "OFF\n3 1 0\n" + kRows + "3 0 1 2\n", ":7:", "behind the last face"},
        },
        MeshFormat::off);
}

TEST(ReadOff, TruncationsAreSafe) {
    testing::expect_truncations_safe(
        "COFF\n4 2 0\n0 0 0 1\n1e1 0 0 1\n0 1 0 1\n0 0 1\n3 0 1 2 255\n4 0 1 2 3\n",
        MeshFormat::off);
}

}  // namespace
}  // namespace graze
