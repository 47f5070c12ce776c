#include <cmath>
#include <limits>
#include <string>

#include "graze/error.h"
#include "io/meshes/mesh_output.h"
#include "io/meshes/mesh_writers.h"

namespace graze::io {
namespace {

[[noreturn]] void fail(std::string_view name, const std::string& cause) {
    throw Error(std::string(name) + ": cannot write: " + cause);
}

template <class T>
void write_obj(const MeshT<T>& mesh, MeshOutput& out) {
    out.text("# graze\n");
    for (const Vec3T<T>& p : mesh.positions)
        out.text("v").number(p.x).number(p.y).number(p.z).text("\n");
    for (const Triangle& t : mesh.triangles)
        out.text("f")
            .number(std::uint64_t{t[0]} + 1)
            .number(std::uint64_t{t[1]} + 1)
            .number(std::uint64_t{t[2]} + 1)
            .text("\n");
}

// The rows of ascii OFF and PLY are alike.
template <class T>
void write_ascii_rows(const MeshT<T>& mesh, MeshOutput& out) {
    for (const Vec3T<T>& p : mesh.positions)
        out.number(p.x).number(p.y).number(p.z).text("\n");
    for (const Triangle& t : mesh.triangles)
        out.text("3").number(t[0]).number(t[1]).number(t[2]).text("\n");
}

template <class T>
void write_off(const MeshT<T>& mesh, MeshOutput& out) {
    out.text("OFF").number(mesh.positions.size()).number(mesh.triangles.size()).text(" 0\n");
    write_ascii_rows(mesh, out);
}

template <class T>
void write_ply_header(const MeshT<T>& mesh, MeshEncoding encoding, MeshOutput& out) {
    const std::string real = sizeof(T) == sizeof(float) ? "float" : "double";
    // Most readers expect int; uint is needed only beyond its range.
    const bool fits_int = mesh.positions.size() <= std::size_t{std::numeric_limits<int>::max()};
    out.text("ply\nformat ")
        .text(encoding == MeshEncoding::ascii                  ? "ascii"
              : encoding == MeshEncoding::binary_little_endian ? "binary_little_endian"
                                                               : "binary_big_endian")
        .text(" 1.0\ncomment graze\nelement vertex")
        .number(mesh.positions.size())
        .text("\n");
    for (const char* axis : {"x", "y", "z"})
        out.text("property " + real + " " + axis + "\n");
    out.text("element face").number(mesh.triangles.size()).text("\nproperty list uchar ");
    out.text(fits_int ? "int" : "uint").text(" vertex_indices\nend_header\n");
}

template <class T>
void write_ply_binary(const MeshT<T>& mesh, std::endian order, MeshOutput& out) {
    for (const Vec3T<T>& p : mesh.positions)
        out.binary(p.x, order).binary(p.y, order).binary(p.z, order);
    for (const Triangle& t : mesh.triangles)
        out.binary(std::uint8_t{3}, order)
            .binary(t[0], order)
            .binary(t[1], order)
            .binary(t[2], order);
}

template <class T>
void write_ply(const MeshT<T>& mesh, MeshEncoding encoding, MeshOutput& out) {
    write_ply_header(mesh, encoding, out);
    if (encoding == MeshEncoding::ascii)
        write_ascii_rows(mesh, out);
    else
        write_ply_binary(
            mesh,
            encoding == MeshEncoding::binary_little_endian ? std::endian::little : std::endian::big,
            out);
}

// The normal is zero where the triangle has no area, as STL readers expect.
template <class T>
Vec3 facet_normal(const MeshT<T>& mesh, const Triangle& t) {
    const Vec3d a(mesh.positions[t[0]]);
    const Vec3d b(mesh.positions[t[1]]);
    const Vec3d c(mesh.positions[t[2]]);
    const Vec3d normal = normalized(cross(b - a, c - a));
    return is_finite(normal) ? Vec3(normal) : Vec3{0, 0, 0};
}

template <class T>
void write_stl_ascii(const MeshT<T>& mesh, MeshOutput& out) {
    out.text("solid graze\n");
    for (const Triangle& t : mesh.triangles) {
        const Vec3 n = facet_normal(mesh, t);
        out.text("facet normal").number(n.x).number(n.y).number(n.z).text("\nouter loop\n");
        for (const std::uint32_t corner : t.v) {
            const Vec3T<T>& p = mesh.positions[corner];
            out.text("vertex").number(p.x).number(p.y).number(p.z).text("\n");
        }
        out.text("endloop\nendfacet\n");
    }
    out.text("endsolid graze\n");
}

template <class T>
void write_stl_binary(const MeshT<T>& mesh, std::string_view name, MeshOutput& out) {
    constexpr std::endian kOrder = std::endian::little;
    // The header must not begin with "solid", by which many readers recognise ascii files.
    std::string header = "graze binary STL";
    header.resize(80);
    out.text(header).binary(static_cast<std::uint32_t>(mesh.triangles.size()), kOrder);
    const auto vector = [&](const Vec3& v) {
        out.binary(v.x, kOrder).binary(v.y, kOrder).binary(v.z, kOrder);
    };
    for (const Triangle& t : mesh.triangles) {
        vector(facet_normal(mesh, t));
        for (const std::uint32_t corner : t.v) {
            const Vec3 position(mesh.positions[corner]);
            if (!is_finite(position))
                fail(name, "vertex " + std::to_string(corner) +
                               " is too large for the floats of binary STL; save it as PLY");
            vector(position);
        }
        out.binary(std::uint16_t{0}, kOrder);
    }
}

}  // namespace

template <class T>
void write_mesh(const MeshT<T>& mesh, MeshFormat format, MeshEncoding encoding,
                std::string_view name, ByteSink& sink) {
    const bool ascii = encoding == MeshEncoding::ascii;
    if (!ascii && (format == MeshFormat::obj || format == MeshFormat::off))
        fail(name, "OBJ and OFF files are ascii only; for binary ones save as .ply or .stl");
    if (encoding == MeshEncoding::binary_big_endian && format == MeshFormat::stl)
        fail(name, "binary STL is little-endian only; big-endian files exist as .ply");
    MeshOutput out(sink);
    switch (format) {
        case MeshFormat::obj:
            write_obj(mesh, out);
            break;
        case MeshFormat::ply:
            write_ply(mesh, encoding, out);
            break;
        case MeshFormat::stl:
            ascii ? write_stl_ascii(mesh, out) : write_stl_binary(mesh, name, out);
            break;
        case MeshFormat::off:
            write_off(mesh, out);
            break;
    }
    out.flush();
}

template void write_mesh<float>(const Mesh&, MeshFormat, MeshEncoding, std::string_view, ByteSink&);
template void write_mesh<double>(const MeshD&, MeshFormat, MeshEncoding, std::string_view,
                                 ByteSink&);

}  // namespace graze::io
