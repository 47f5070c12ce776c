// Feeds arbitrary bytes to one mesh reader, named by GRAZE_FUZZ_FORMAT (obj, ply, stl or off). Only
// graze::Error may come out; what is read must be valid and survive writing and reading again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graze/mesh_io.h"
#include "io/meshes/mesh_writers.h"
#include "tests/fuzz/require.h"
#include "tests/io/string_sink.h"

namespace {

using graze::MeshEncoding;

constexpr graze::MeshFormat kFormat = graze::MeshFormat::GRAZE_FUZZ_FORMAT;

// Requires that a mesh is the same after it was written and read.
template <class T, class Read>
void check_round_trip(const graze::MeshT<T>& mesh, MeshEncoding encoding, const Read& read) {
    graze::testing::StringSink sink;
    graze::io::write_mesh(mesh, kFormat, encoding, "written", sink);
    const graze::MeshT<T> again = read(sink.content, kFormat, "written");
    graze::fuzz::require(again.positions == mesh.positions && again.triangles == mesh.triangles);
}

template <class T, class Read>
void check(std::string_view bytes, const Read& read) {
    graze::MeshT<T> mesh;
    try {
        mesh = read(bytes, kFormat, "fuzz");
    } catch (const graze::Error& error) {
        graze::fuzz::require_clear_message(error);
        return;
    }
    // From here on an Error is a mistake of the reader or the writer.
    validate(mesh);
    check_round_trip(mesh, MeshEncoding::ascii, read);
    const bool holds_floats_only = kFormat == graze::MeshFormat::stl && sizeof(T) == sizeof(double);
    if ((kFormat == graze::MeshFormat::ply || kFormat == graze::MeshFormat::stl) &&
        !holds_floats_only)
        check_round_trip(mesh, MeshEncoding::binary_little_endian, read);
    if (kFormat == graze::MeshFormat::ply)
        check_round_trip(mesh, MeshEncoding::binary_big_endian, read);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check<float>(bytes, graze::read_mesh);
    check<double>(bytes, graze::read_mesh_double);
    return 0;
}
