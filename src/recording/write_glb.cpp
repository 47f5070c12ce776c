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
#include "recording/glb_morphs.h"
#include "recording/recording_vertices.h"
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

// Adds a mesh; it is null where there is no triangle, which glTF cannot say.
Json add_mesh(GlbBuffer& buffer, const RecordingSetup::ShapeEntry& shape, std::size_t material) {
    const ShadedMesh mesh = shade(shape.mesh);
    if (mesh.triangles.empty()) return nullptr;
    const Aabb box = box_of_points(mesh.positions);
    const std::size_t count = mesh.positions.size();
    const auto add_vertices = [&](const std::vector<Vec3>& values, Json bounds) {
        const std::size_t view = buffer.add_view<Vec3>(values, GlbBuffer::kVertices);
        return buffer.add_accessor(view, 0, GlbBuffer::kFloat, "VEC3", count, std::move(bounds));
    };
    const std::size_t positions =
        add_vertices(mesh.positions, {{"min", json_of(box.min)}, {"max", json_of(box.max)}});
    const std::size_t normals = add_vertices(mesh.normals, nullptr);
    const std::size_t indices = buffer.add_indices(mesh.triangles, count);
    const Json primitive = {{"attributes", {{"POSITION", positions}, {"NORMAL", normals}}},
                            {"indices", indices},
                            {"material", material}};
    return {{"name", shape.name}, {"primitives", Json::array({primitive})}};
}

// Every body as it is in the first frame, below a root that turns z up into y up.
Json nodes_of(const RecordingSetup& setup, const BodyTracks& tracks,
              const std::vector<Json>& mesh_of_body) {
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
        if (!mesh_of_body[i].is_null()) node["mesh"] = mesh_of_body[i];
        nodes.push_back(std::move(node));
    }
    return nodes;
}

struct GlbMeshes {
    Json meshes = Json::array(), materials = Json::array();
    std::vector<Json> of_body;  // index in meshes, or null

    // Adds a mesh that is not null, and returns its index.
    std::size_t add(Json mesh, Json material) {
        meshes.push_back(std::move(mesh));
        materials.push_back(std::move(material));
        return meshes.size() - 1;
    }
};

// A shape whose bodies all deform is in no picture by itself.
std::vector<char> shapes_shown(const RecordingSetup& setup) {
    std::vector<char> is_rigid(setup.shapes.size(), 0), is_used(setup.shapes.size(), 0);
    for (const auto& body : setup.bodies) {
        is_used[body.shape] = 1;
        if (!recording::is_deforming(body)) is_rigid[body.shape] = 1;
    }
    for (std::size_t i = 0; i < is_used.size(); ++i)
        is_rigid[i] = is_rigid[i] || !is_used[i];
    return is_rigid;
}

// The meshes of rigid bodies, one for each shape.
GlbMeshes add_meshes(GlbBuffer& buffer, const RecordingSetup& setup) {
    GlbMeshes result;
    const std::vector<char> is_shown = shapes_shown(setup);
    std::vector<Json> of_shape(setup.shapes.size(), nullptr);
    for (std::size_t i = 0; i < setup.shapes.size(); ++i) {
        if (!is_shown[i]) continue;
        const std::size_t index = result.meshes.size();
        Json mesh = add_mesh(buffer, setup.shapes[i], index);
        if (!mesh.is_null())
            of_shape[i] = result.add(std::move(mesh), material_of(index, setup.shapes[i].name));
    }
    for (const auto& body : setup.bodies)
        result.of_body.push_back(recording::is_deforming(body) ? nullptr : of_shape[body.shape]);
    return result;
}

// The meshes of bodies that deform, seen from both sides, and their animation.
void add_morphs(GlbMorphs& morphs, const RecordingSetup& setup, GlbMeshes& result,
                GlbAnimation& animation, std::size_t first_node) {
    for (std::uint32_t i = 0; i < setup.bodies.size(); ++i) {
        const std::size_t index = result.meshes.size();
        Json mesh = morphs.mesh_of(i, index);
        if (mesh.is_null()) continue;
        Json material = material_of(index, setup.bodies[i].name);
        material["doubleSided"] = true;
        result.of_body[i] = result.add(std::move(mesh), std::move(material));
        morphs.animate(animation, i, first_node + i);
    }
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
    const BodyTracks tracks = find_tracks(recording.setup(), first_pass);
    if (GlbAnimation::bytes_for(tracks) > std::numeric_limits<std::uint32_t>::max())
        throw Error(file.string() + ": the motion takes " +
                    std::to_string(GlbAnimation::bytes_for(tracks)) +
                    " bytes, and a .glb ends at 4 GiB; record fewer frames");
    const RecordingSetup& setup = recording.setup();
    GlbBuffer buffer;
    GlbMeshes meshes = add_meshes(buffer, setup);
    constexpr std::size_t kFirstNode = 1;
    GlbAnimation animation(buffer, tracks, kFirstNode);
    GlbMorphs morphs(buffer, setup, tracks);
    SeenFrames second_pass(recording, progress, 0.5, 1);
    while (second_pass.next()) {
        animation.put(second_pass.index(), second_pass.poses());
        morphs.put(second_pass.index(), second_pass.frame());
    }
    add_morphs(morphs, setup, meshes, animation, kFirstNode);

    const Json scene = {{"name", setup.scene_name}, {"nodes", Json::array({0})}};
    Json json = {{"asset", {{"version", "2.0"}, {"generator", std::string("graze ") + version()}}},
                 {"scene", 0},
                 {"scenes", Json::array({scene})},
                 {"nodes", nodes_of(setup, tracks, meshes.of_body)}};
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
