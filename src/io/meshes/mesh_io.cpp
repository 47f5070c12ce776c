#include "graze/mesh_io.h"

#include <new>
#include <string>

#include "graze/error.h"
#include "io/atomic_file.h"
#include "io/lower_extension.h"
#include "io/meshes/mesh_readers.h"
#include "io/meshes/mesh_writers.h"
#include "io/read_file.h"
#include "io/text_lines.h"

namespace graze {
namespace {

template <class T>
MeshT<T> read_any(std::string_view bytes, MeshFormat format, std::string_view name,
                  PolygonCut cut = PolygonCut::by_shape) {
    if (bytes.empty()) throw Error(std::string(name) + ": the file is empty");
    std::string room;
    switch (format) {
        case MeshFormat::obj:
            return io::read_obj<T>(io::with_newlines(bytes, room), name, cut);
        case MeshFormat::ply:
            return io::read_ply<T>(bytes, name, cut);
        case MeshFormat::stl:
            return io::read_stl<T>(bytes, name);
        case MeshFormat::off:
            return io::read_off<T>(io::with_newlines(bytes, room), name, cut);
    }
    throw Error(std::string(name) + ": unknown mesh format");
}

template <class T>
MeshT<T> load_any(const std::filesystem::path& path, PolygonCut cut = PolygonCut::by_shape) {
    const MeshFormat format = mesh_format(path);
    const io::FileBytes file = io::read_file(path);
    try {
        return read_any<T>(file.view(), format, path.string(), cut);
    } catch (const std::bad_alloc&) {
        throw Error(path.string() +
                    ": the mesh does not fit into memory; give one of fewer triangles");
    }
}

template <class T>
void save_any(const MeshT<T>& mesh, const std::filesystem::path& path, MeshEncoding encoding) {
    const MeshFormat format = mesh_format(path);
    try {
        validate(mesh);
    } catch (const Error& error) {
        throw Error(path.string() + ": cannot write: " + error.what());
    }
    io::AtomicFile file(path);
    io::write_mesh(mesh, format, encoding, path.string(), file);
    file.commit();
}

}  // namespace

MeshFormat mesh_format(const std::filesystem::path& path) {
    const std::string extension = io::lower_extension(path);
    if (extension == ".obj") return MeshFormat::obj;
    if (extension == ".ply") return MeshFormat::ply;
    if (extension == ".stl") return MeshFormat::stl;
    if (extension == ".off") return MeshFormat::off;
    throw Error(path.string() + ": unknown mesh format '" + path.extension().string() +
                "'; the extensions are .obj, .ply, .stl and .off");
}

Mesh load_mesh(const std::filesystem::path& path) {
    return load_any<float>(path);
}
MeshD load_mesh_double(const std::filesystem::path& path, PolygonCut polygon_cut) {
    return load_any<double>(path, polygon_cut);
}

Mesh read_mesh(std::string_view bytes, MeshFormat format, std::string_view name) {
    return read_any<float>(bytes, format, name);
}
MeshD read_mesh_double(std::string_view bytes, MeshFormat format, std::string_view name) {
    return read_any<double>(bytes, format, name);
}

void save_mesh(const Mesh& mesh, const std::filesystem::path& path, MeshEncoding encoding) {
    save_any(mesh, path, encoding);
}
void save_mesh(const MeshD& mesh, const std::filesystem::path& path, MeshEncoding encoding) {
    save_any(mesh, path, encoding);
}

}  // namespace graze
