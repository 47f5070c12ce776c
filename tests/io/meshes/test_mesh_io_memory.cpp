// Reading must not allocate more than a small multiple of the file's size, whatever it announces.
#include <utility>

#include "tests/count_allocations.h"
#include "tests/io/meshes/mesh_io_cases.h"

namespace graze {
namespace {

std::size_t peak_while_reading(const std::string& bytes, MeshFormat format) {
    const std::size_t before = allocated_now;
    allocated_peak = before;
    try {
        read_mesh_double(bytes, format, "file");
    } catch (const Error&) {
    }
    return allocated_peak - before;
}

TEST(MeshIoMemory, AnnouncedSizesDoNotAllocate) {
    const std::string xyz = "property char x\nproperty char y\nproperty char z\n";
    const std::string faces = "property list uchar uchar vertex_indices\nend_header\n";
    std::vector<std::pair<MeshFormat, std::string>> files;
    for (const char* encoding : {"ascii", "binary_little_endian", "binary_big_endian"})
        for (const char* count : {"2147483648", "4294967295", "999999999999999999"}) {
            const std::string start =
                std::string("ply\nformat ") + encoding + " 1.0\nelement vertex ";
            const std::string tail = std::string(150, '1');
            files.emplace_back(MeshFormat::ply, start + count + "\n" + xyz + "end_header\n" + tail);
            files.emplace_back(MeshFormat::ply,
                               start + "1\n" + xyz + "element face " + count + "\n" + faces + tail);
            files.emplace_back(MeshFormat::ply,
                               start + "1\n" + xyz + "element face 1\n" +
                                   "property list uint uint vertex_indices\nend_header\n" +
                                   "123\xff\xff\xff\xff" + tail);
        }
    files.emplace_back(MeshFormat::off, "OFF\n4294967295 4294967295 0\n0 0 0\n");
    files.emplace_back(MeshFormat::off, "OFF\n1 1 0\n0 0 0\n4294967295 0 0 0 0 0 0 0\n");
    files.emplace_back(MeshFormat::stl,
                       std::string(80, 'x') + "\xff\xff\xff\xff" + std::string(200, 'x'));
    for (const auto& [format, bytes] : files)
        EXPECT_LT(peak_while_reading(bytes, format), 8192u) << bytes.substr(0, 120);
}

TEST(MeshIoMemory, MemoryIsASmallMultipleOfTheFile) {
    std::string vertices, triangles = "v 0 0 0\n", polygon = triangles + "f", facets = "solid\n";
    for (int i = 0; i < 50000; ++i) {
        vertices += "v 0 0 0\n";
        triangles += "f 1 1 1\n";
        polygon += " 1";
        facets += "facet normal 0 0 0\nouter loop\nvertex " + std::to_string(i) +
                  " 0 0\nvertex 0 0 1\nvertex 0 1 1\nendloop\nendfacet\n";
    }
    facets += "endsolid\n";
    std::string hull =
        "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\n"
        "property char y\nproperty char z\nelement face 1000\n"
        "property list uchar uchar vertex_indices\nend_header\nxyz";
    for (int i = 0; i < 1000; ++i)
        hull += '\xff' + std::string(255, '\0');
    const std::pair<MeshFormat, const std::string&> files[] = {{MeshFormat::obj, vertices},
                                                               {MeshFormat::obj, triangles},
                                                               {MeshFormat::obj, polygon},
                                                               {MeshFormat::ply, hull},
                                                               {MeshFormat::stl, facets}};
    for (const auto& [format, bytes] : files) {
        const double ratio = static_cast<double>(peak_while_reading(bytes, format)) /
                             static_cast<double>(bytes.size());
        EXPECT_LT(ratio, 40.0) << bytes.substr(0, 60);
    }
}

}  // namespace
}  // namespace graze
