#include <cstring>
#include <limits>

#include "tests/io/meshes/mesh_io_cases.h"

namespace graze {
namespace {

using testing::to_bytes;

Mesh read(std::string_view text) {
    return read_mesh(text, MeshFormat::ply, "file");
}

// Returns the bytes of one value, in either order.
template <class V>
std::string raw(V value, bool big_endian) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

const std::string kAsciiHeader =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
    "z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
const std::string kAsciiVertices = "0 0 0\n1 0 0\n0 1 0\n";

std::string binary_header(bool big_endian, const std::string& elements) {
    return std::string("ply\nformat ") +
           (big_endian ? "binary_big_endian" : "binary_little_endian") + " 1.0\n" + elements +
           "end_header\n";
}

// As old programs write it. A binary file is not touched: a byte in it may be 13.
TEST(ReadPly, LinesMayEndInCarriageReturnsAlone) {
    const std::string text =
        "ply\rformat ascii 1.0\relement vertex 3\rproperty float x\rproperty float y\r"
        "property float z\relement face 1\rproperty list uchar int vertex_indices\rend_header\r"
        "0 0 0\r1 0 0\r0 1 13\r3 0 1 2\r";
    const Mesh mesh = read(text);
    ASSERT_EQ(mesh.positions.size(), 3u);
    EXPECT_EQ(mesh.positions[2], (Vec3{0, 1, 13}));
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{{0, 1, 2}}}));
    std::string binary = binary_header(false,
                                       "element vertex 13\nproperty uchar x\nproperty uchar y\n"
                                       "property uchar z\n");
    const std::string points(39, '\r');
    ASSERT_EQ(read(binary + points).positions.size(), 13u);
    EXPECT_EQ(read(binary + points).positions[5], (Vec3{13, 13, 13}));
}

TEST(ReadPly, SkipsOtherPropertiesAndElementsInAscii) {
    const Mesh mesh = read(
        "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nobj_info x\r\nelement material 2\r\n"
        "property list uchar float weights\r\nproperty int id\r\nelement vertex 3\r\n"
        "property uchar red\r\nproperty double z\r\nproperty list int8 short tags\r\n"
        "property float32 x\r\nproperty int y\r\nelement edge 0\r\nproperty int a\r\n"
        "element face 1\r\nproperty uchar flags\r\nproperty list uchar uint vertex_index\r\n"
        "property list uchar float texcoord\r\nend_header\r\n2 0.5 0.5 7\r\n0 8\r\n"
        "255 3 0 1 2\r\n0 6 2 1 1 4 5\r\n\r\n0 9 1 5 7 8\r\n9 3 0 1 2 2 0.5 0.5\r\n");
    ASSERT_EQ(mesh.positions.size(), 3u);
    EXPECT_EQ(mesh.positions[0], (Vec3{1, 2, 3}));
    EXPECT_EQ(mesh.positions[1], (Vec3{4, 5, 6}));
    EXPECT_EQ(mesh.positions[2], (Vec3{7, 8, 9}));
    ASSERT_EQ(mesh.triangles.size(), 1u);
    EXPECT_EQ(mesh.triangles[0], (Triangle{{0, 1, 2}}));
}

TEST(ReadPly, SkipsOtherPropertiesAndElementsInBinary) {
    for (const bool big : {false, true}) {
        std::string bytes = binary_header(
            big,
            "element face 2\nproperty uchar flags\nproperty list ushort ushort vertex_indices\n"
            "element camera 2\nproperty float64 f\nproperty int8 i\nelement strange 1\n"
            "property list int double values\nelement vertex 4\nproperty double z\n"
            "property uchar red\nproperty list uchar short tags\nproperty short x\nproperty float "
            "y\n");
        bytes += raw<std::uint8_t>(1, big) + raw<std::uint16_t>(3, big);
        for (const std::uint16_t i : {2, 1, 0})
            bytes += raw(i, big);
        bytes += raw<std::uint8_t>(1, big) + raw<std::uint16_t>(4, big);
        for (const std::uint16_t i : {0, 1, 2, 3})
            bytes += raw(i, big);
        bytes += std::string(18, 'c') + raw<std::int32_t>(2, big) + std::string(16, 'd');
        for (int i = 0; i < 4; ++i) {
            bytes += raw<double>(i, big) + 'r' + raw<std::uint8_t>(1, big) + "ss";
            bytes += raw<std::int16_t>(static_cast<std::int16_t>(-i), big) + raw<float>(0.5f, big);
        }
        const Mesh mesh = read(bytes);
        ASSERT_EQ(mesh.positions.size(), 4u);
        EXPECT_EQ(mesh.positions[3], (Vec3{-3, 0.5f, 3}));
        ASSERT_EQ(mesh.triangles.size(), 3u);
        EXPECT_EQ(mesh.triangles[0], (Triangle{{2, 1, 0}}));
    }
}

TEST(ReadPly, MixesTrianglesAndPolygonsInThePlainLayout) {
    const std::string header = binary_header(
        false,
        "element vertex 5\nproperty float x\nproperty float y\nproperty float z\nproperty uchar a\n"
        "element face 4\nproperty list uchar int vertex_indices\n");
    std::string bytes = header;
    const float xy[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {-1, 0.5f}};
    for (const auto& p : xy)
        bytes += raw(p[0], false) + raw(p[1], false) + raw(0.0f, false) + 'a';
    for (const int corner_count : {3, 4, 3, 5}) {
        bytes += static_cast<char>(corner_count);
        for (std::int32_t i = 0; i < corner_count; ++i)
            bytes += raw(i, false);
    }
    const Mesh mesh = read(bytes);
    EXPECT_EQ(mesh.positions.size(), 5u);
    EXPECT_EQ(mesh.triangles.size(), 1u + 2u + 1u + 3u);
    EXPECT_EQ(mesh.triangles[3], (Triangle{{0, 1, 2}}));
}

TEST(ReadPly, UnrollsTriangleStrips) {
    const Mesh mesh = read(
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nelement tristrips 2\nproperty list int int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n1 1 0\n10 0 1 2 3 -1 3 3 2 1 0\n0\n");
    const std::vector<Triangle> expected = {{{0, 1, 2}}, {{2, 1, 3}}, {{2, 3, 1}}, {{2, 1, 0}}};
    EXPECT_EQ(mesh.triangles, expected);
}

TEST(ReadPly, EmptyMeshesAreLegal) {
    const std::string elements =
        "element vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement face 0\n"
        "property list uchar int vertex_indices\n";
    EXPECT_TRUE(read(binary_header(true, elements)).positions.empty());
    EXPECT_TRUE(read("ply\nformat ascii 1.0\n" + elements + "end_header").positions.empty());
}

TEST(ReadPly, RowsWithoutPropertiesTakeNoTime) {
    const std::string elements =
        "element nothing 99999999999999\nelement vertex 0\nproperty float x\nproperty float y\n"
        "property float z\n";
    EXPECT_TRUE(read(binary_header(false, elements)).positions.empty());
    EXPECT_TRUE(read("ply\nformat ascii 1.0\n" + elements + "end_header\n").positions.empty());
}

TEST(ReadPly, LongHeadersTakeLinearTime) {
    std::string header = "ply\nformat ascii 1.0\nelement vertex 0\n";
    for (int i = 0; i < 100000; ++i)
        header += "property int a\n";
    header += "property float x\nproperty float y\nproperty float z\n";
    for (int i = 0; i < 100000; ++i)
        header += "element a 0\n";
    EXPECT_TRUE(read(header + "end_header\n").positions.empty());
}

TEST(ReadPly, RefusesMalformedHeaders) {
    const std::string start = "ply\nformat ascii 1.0\n";
    const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
    const std::string end = "end_header\n";
    testing::expect_refused(
        {
            {"magic", "plx\n", ":1:", "'ply'"},
            {"no end", start, ":3:", "before 'end_header'"},
            {"no format", "ply\nelement vertex 0\n" + xyz + end, ":7:", "no 'format'"},
            {"two formats", start + "format ascii 1.0\n", ":3:", "second 'format'"},
            {"unknown format", "ply\nformat binary 1.0\n", ":2:", "unknown format"},
            {"unknown version", "ply\nformat ascii 2.0\n", ":2:", "only 1.0"},
            {"unknown statement", start + "vertex 3\n", ":3:", "unknown header statement 'vertex'"},
            {"no count", start + "element vertex\n", ":3:", "number of rows"},
            {"no name", start + "element\n", ":3:", "no name"},
            {"negative count", start + "element vertex -1\n", ":3:", "negative"},
            {"property first", start + "property float x\n", ":3:", "before the first element"},
            {"unknown type", start + "element vertex 1\nproperty real x\n", ":4:", "type 'real'"},
            {"unknown list type", start + "element face 1\nproperty list uchar long v\n",
             ":4:", "'long'"},
            {"real length", start + "element a 1\nproperty list float int v\n", ":4:", "integer"},
            {"unnamed property", start + "element vertex 1\nproperty float\n", ":4:", "no name"},
            {"x twice", start + "element vertex 1\nproperty float x\nproperty float x\n",
             ":5:", "second"},
            {"x list", start + "element vertex 1\nproperty list uchar float x\n",
             ":4:", "not be a list"},
            {"index scalar", start + "element face 1\nproperty int vertex_index\n",
             ":4:", "must be a list"},
            {"index real", start + "element face 1\nproperty list uchar float vertex_index\n",
             ":4:", "integers"},
            {"vertex twice", start + "element vertex 0\nelement vertex 0\n",
             ":4:", "second element"},
            {"no z", start + "element vertex 0\nproperty int x\nproperty int y\n" + end,
             ":3:", "x, y and z"},
            {"no indices", start + "element vertex 0\n" + xyz + "element face 0\n" + end,
             ":7:", "vertex_indices"},
            {"no vertex", start + end, ":4:", "no element 'vertex'"},
            {"trailing word", start + "element vertex 0 0\n", ":3:", "unexpected '0'"},
        },
        MeshFormat::ply);
}

TEST(ReadPly, RefusesMalformedAsciiRows) {
    const std::string h = kAsciiHeader;
    const std::string v = h + kAsciiVertices;
    testing::expect_refused(
        {
            {"too few rows", h + "0 0 0\n1 0 0 3 0 1 2\n", ":11:", "unexpected '3'"},
            {"no faces", v + "        \n", ":14:", "0 of 1 rows of element face"},
            {"short row", h + "0 0 0\n1 0\n0 1 0\n3 0 1 2\n", ":11:", "z coordinate"},
            {"nan", h + "0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n", ":10:", "finite"},
            {"above float", h + "0 0 0\n1 -1e40 0\n0 1 0\n3 0 1 2\n", ":11:", "too large"},
            {"index beyond", v + "3 0 1 3\n", ":13:", "face names vertex 3, but the file has 3"},
            {"index negative", v + "3 0 1 -1\n", ":13:", "face names vertex -1"},
            {"two corners", v + "2 0 1    \n", ":13:", "face with 2 corners"},
            {"negative length", v + "-3 0 1 2\n", ":13:", "negative"},
            {"short face", v + "4 0 1 2\n", ":13:", "found the end of the line"},
            {"huge length", v + "999999999999 0 1 2\n", ":13:", "found the end of the line"},
            {"long face", v + "3 0 1 2 0\n", ":13:", "unexpected '0'"},
            {"rows behind", v + "3 0 1 2\n\n3 0 1 2\n", ":15:", "behind the last row"},
        },
        MeshFormat::ply);
}

TEST(ReadPly, RefusesMalformedBinaryRows) {
    const Mesh mesh = testing::tetrahedron<float>();
    for (const MeshEncoding encoding :
         {MeshEncoding::binary_little_endian, MeshEncoding::binary_big_endian}) {
        const bool big = encoding == MeshEncoding::binary_big_endian;
        const std::string good = to_bytes(mesh, MeshFormat::ply, encoding);
        const std::size_t rows = good.find("end_header\n") + 11;
        const auto with = [&](std::size_t offset, const std::string& bytes) {
            std::string changed = good;
            return changed.replace(rows + offset, bytes.size(), bytes);
        };
        const auto byte = [&](std::size_t offset) {
            return "byte " + std::to_string(rows + offset) + ":";
        };
        const float nan = std::numeric_limits<float>::quiet_NaN();
        testing::expect_refused(
            {
                {"nan", with(16, raw(nan, big)), byte(12), "vertex 1 has a coordinate"},
                {"index beyond", with(49, raw<std::int32_t>(4, big)), byte(49), "names vertex 4"},
                {"index negative", with(66, raw<std::int32_t>(-2, big)), byte(66),
                 "names vertex -2"},
                {"two corners", with(61, "\x02"), byte(61), "face with 2 corners"},
                {"too many corners", with(61, "\xff"), byte(62), "ends inside a face"},
                {"cut short", good.substr(0, good.size() - 1), byte(48 + 39 + 1),
                 "ends inside a face"},
                {"cut in the vertices", good.substr(0, rows + 47), ":4:", "room for 3 at most"},
                {"bytes behind", good + "xyz", byte(100), "3 bytes behind"},
            },
            MeshFormat::ply);
        EXPECT_EQ(read(good + "\n").triangles, mesh.triangles);
    }
}

TEST(ReadPly, RefusesDoublesBeyondFloat) {
    MeshD mesh = testing::tetrahedron<double>();
    mesh.positions[2].y = 1e300;
    for (const MeshEncoding encoding : {MeshEncoding::ascii, MeshEncoding::binary_big_endian}) {
        const std::string bytes = to_bytes(mesh, MeshFormat::ply, encoding);
        EXPECT_NE(testing::read_error(bytes, MeshFormat::ply).find("precision"), std::string::npos);
        EXPECT_EQ(read_mesh_double(bytes, MeshFormat::ply, "file").positions, mesh.positions);
    }
}

TEST(ReadPly, TruncationsAreSafe) {
    const MeshD mesh = testing::tetrahedron<double>();
    for (const MeshEncoding encoding :
         {MeshEncoding::ascii, MeshEncoding::binary_little_endian, MeshEncoding::binary_big_endian})
        testing::expect_truncations_safe(to_bytes(mesh, MeshFormat::ply, encoding),
                                         MeshFormat::ply);
}

}  // namespace
}  // namespace graze
