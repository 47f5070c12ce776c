#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/box_of_points.h"
#include "graze/error.h"
#include "graze/recording.h"
#include "graze/version.h"
#include "io/atomic_file.h"
#include "recording/byte_planes.h"
#include "recording/glb_animation.h"
#include "recording/glb_buffer.h"
#include "recording/shaded_mesh.h"

namespace graze {
namespace {

using Json = GlbBuffer::Json;

constexpr std::uint32_t kGlbMagic = 0x46546C67, kGlbVersion = 2;
constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

// Hues one golden section after the other: any few of them are far apart. Linear, as glTF has it.
std::array<double, 4> colour_of(std::size_t shape) {
    const double hue = std::fmod(0.58 + 0.618034 * static_cast<double>(shape), 1.0) * 6;
    std::array<double, 4> colour{0, 0, 0, 1};
    for (int i = 0; i < 3; ++i) {
        const double from_peak = std::fabs(std::fmod(hue + 6 - 2 * i, 6.0) - 3);  // 3: at it
        const double strength = std::clamp(from_peak - 1, 0.0, 1.0);
        const double srgb = 0.38 + 0.44 * strength;
        // Rounded, so that the last bits of a library's pow do not show.
        colour[static_cast<std::size_t>(i)] = std::round(1e4 * std::pow(srgb, 2.2)) / 1e4;
    }
    return colour;
}

Json material_of(std::size_t shape, const std::string& name) {
    return {
        {"name", name},
        {"pbrMetallicRoughness",
         {{"baseColorFactor", colour_of(shape)}, {"metallicFactor", 0}, {"roughnessFactor", 0.6}}}};
}

Json json_of(const Vec3& v) {
    return Json::array({v.x, v.y, v.z});
}

// Null where there is no triangle, which glTF cannot say.
Json add_mesh(GlbBuffer& buffer, const RecordingSetup::ShapeEntry& shape, std::size_t material) {
    const ShadedMesh mesh = shade(shape.mesh);
    if (mesh.triangles.empty()) return nullptr;
    const Aabb box = box_of_points(mesh.positions);
    const std::size_t count = mesh.positions.size(), index_count = 3 * mesh.triangles.size();
    const auto add_vertices = [&](const std::vector<Vec3>& values, Json bounds) {
        const std::size_t view = buffer.add_view<Vec3>(values, GlbBuffer::kVertices);
        return buffer.add_accessor(view, 0, GlbBuffer::kFloat, "VEC3", count, std::move(bounds));
    };
    const std::size_t positions =
        add_vertices(mesh.positions, {{"min", json_of(box.min)}, {"max", json_of(box.max)}});
    const std::size_t normals = add_vertices(mesh.normals, nullptr);
    std::size_t indices = 0;
    if (count <= std::numeric_limits<std::uint16_t>::max()) {
        std::vector<std::uint16_t> shorts;
        shorts.reserve(index_count);
        for (const Triangle& triangle : mesh.triangles)
            for (const std::uint32_t vertex : triangle.v)
                shorts.push_back(static_cast<std::uint16_t>(vertex));
        const std::size_t view = buffer.add_view<std::uint16_t>(shorts, GlbBuffer::kIndices);
        indices = buffer.add_accessor(view, 0, GlbBuffer::kU16, "SCALAR", index_count);
    } else {
        const std::size_t view = buffer.add_view<Triangle>(mesh.triangles, GlbBuffer::kIndices);
        indices = buffer.add_accessor(view, 0, GlbBuffer::kU32, "SCALAR", index_count);
    }
    const Json primitive = {{"attributes", {{"POSITION", positions}, {"NORMAL", normals}}},
                            {"indices", indices},
                            {"material", material}};
    return {{"name", shape.name}, {"primitives", Json::array({primitive})}};
}

// Every body as it is in the first frame, below a root that turns z up into y up.
Json nodes_of(const RecordingSetup& setup, const BodyTracks& tracks,
              const std::vector<Json>& mesh_of_shape) {
    Json nodes = Json::array();
    Json root = {{"name", setup.scene_name},
                 {"rotation", Json::array({-std::sqrt(0.5f), 0.0f, 0.0f, std::sqrt(0.5f)})}};
    for (std::size_t i = 0; i < setup.bodies.size(); ++i)
        root["children"].push_back(i + 1);
    nodes.push_back(std::move(root));
    for (std::size_t i = 0; i < setup.bodies.size(); ++i) {
        const auto& [translation, q, scale] = tracks.bodies[i].start;
        Json node = {{"name", setup.bodies[i].name},
                     {"translation", json_of(translation)},
                     {"rotation", Json::array({q.x, q.y, q.z, q.w})},
                     {"scale", Json::array({scale, scale, scale})}};
        const Json& mesh = mesh_of_shape[setup.bodies[i].shape];
        if (!mesh.is_null()) node["mesh"] = mesh;
        nodes.push_back(std::move(node));
    }
    return nodes;
}

struct GlbMeshes {
    Json meshes = Json::array(), materials = Json::array();
    std::vector<Json> of_shape;  // index in meshes, or null
};
GlbMeshes add_meshes(GlbBuffer& buffer, const RecordingSetup& setup) {
    GlbMeshes result;
    for (const auto& shape : setup.shapes) {
        const std::size_t index = result.meshes.size();
        Json mesh = add_mesh(buffer, shape, index);
        result.of_shape.push_back(mesh.is_null() ? Json(nullptr) : Json(index));
        if (mesh.is_null()) continue;
        result.meshes.push_back(std::move(mesh));
        result.materials.push_back(material_of(index, shape.name));
    }
    return result;
}

void write_chunks(const Json& json, std::string bytes, const std::filesystem::path& file) {
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    const std::uint64_t total = 12 + 8 + text.size() + (bytes.empty() ? 0 : 8 + bytes.size());
    if (total > std::numeric_limits<std::uint32_t>::max())
        throw Error(file.string() + ": " + std::to_string(total) +
                    " bytes do not fit into a .glb, which ends at 4 GiB; record fewer frames");
    std::string head;
    const auto put = [&](std::uint64_t number) {
        recording::append(head, static_cast<std::uint32_t>(number));
    };
    for (const std::uint64_t number : {std::uint64_t{kGlbMagic}, std::uint64_t{kGlbVersion}, total,
                                       std::uint64_t{text.size()}, std::uint64_t{kJsonChunk}})
        put(number);
    io::AtomicFile output(file);
    output.write(head);
    output.write(text);
    if (!bytes.empty()) {
        head.clear();
        put(bytes.size());
        put(kBinaryChunk);
        output.write(head);
        output.write(bytes);
    }
    output.commit();
}

}  // namespace

void write_glb(const Recording& recording, const std::filesystem::path& file,
               const Progress& progress) {
    if (recording.frame_count() == 0)
        throw Error(file.string() + ": the recording has no frame to write");
    SeenFrames first_pass(recording, progress, 0, 0.5);
    const BodyTracks tracks = find_tracks(first_pass);
    if (GlbAnimation::bytes_for(tracks) > std::numeric_limits<std::uint32_t>::max())
        throw Error(file.string() + ": the motion takes " +
                    std::to_string(GlbAnimation::bytes_for(tracks)) +
                    " bytes, and a .glb ends at 4 GiB; record fewer frames");
    const RecordingSetup& setup = recording.setup();
    GlbBuffer buffer;
    GlbMeshes meshes = add_meshes(buffer, setup);
    GlbAnimation animation(buffer, tracks, 1);
    SeenFrames second_pass(recording, progress, 0.5, 1);
    while (second_pass.next())
        animation.put(second_pass.index(), second_pass.poses());

    const Json scene = {{"name", setup.scene_name}, {"nodes", Json::array({0})}};
    Json json = {{"asset", {{"version", "2.0"}, {"generator", std::string("graze ") + version()}}},
                 {"scene", 0},
                 {"scenes", Json::array({scene})},
                 {"nodes", nodes_of(setup, tracks, meshes.of_shape)}};
    const auto add = [&](const char* name, Json& array) {
        if (!array.empty()) json[name] = std::move(array);
    };
    add("meshes", meshes.meshes);
    add("materials", meshes.materials);
    if (Json moves = animation.json(setup.scene_name); !moves.is_null())
        json["animations"].push_back(std::move(moves));
    add("accessors", buffer.accessors());
    add("bufferViews", buffer.views());
    if (buffer.size() > 0) json["buffers"].push_back({{"byteLength", (buffer.size() + 3) / 4 * 4}});
    write_chunks(json, buffer.take_bytes(), file);
    if (progress) progress(1);
}

}  // namespace graze
