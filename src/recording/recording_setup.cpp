#include "recording/recording_setup.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "graze/error.h"
#include "graze/names.h"
#include "recording/byte_planes.h"
#include "recording/recording_format.h"
#include "recording/recording_vertices.h"

namespace graze::recording {
namespace {

using Json = nlohmann::ordered_json;

BodyMotion motion_of(const std::string& name, std::uint32_t version) {
    const bool has_cloth = version >= kDeformingVersion;
    for (const EnumName<BodyMotion>& entry : names_of<BodyMotion>())
        if (name == entry.name && (has_cloth || entry.value != BodyMotion::cloth))
            return entry.value;
    throw Error(has_cloth ? "a body's motion is none of dynamic, fixed, kinematic and cloth"
                          : "a body's motion is none of dynamic, fixed and kinematic");
}

// The member of an object; throws where there is none of that kind.
const Json& member(const Json& object, const char* name, Json::value_t kind) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || found->type() != kind)
        throw Error("its member " + std::string(name) + " is missing or of another kind");
    return *found;
}
std::string text_member(const Json& object, const char* name) {
    return member(object, name, Json::value_t::string).get<std::string>();
}

RecordingSetup::BodyEntry body_from(const Json& json, std::uint32_t version) {
    RecordingSetup::BodyEntry body;
    body.name = text_member(json, "name");
    const auto shape = member(json, "shape", Json::value_t::number_unsigned).get<std::uint64_t>();
    if (shape > ~std::uint32_t{0}) throw Error("a body's shape is not there");
    body.shape = static_cast<std::uint32_t>(shape);
    body.motion = motion_of(text_member(json, "motion"), version);
    return body;
}

// Differences from one number to the next, with folded signs.
template <class Get>
void append_differences(std::string& raw, std::size_t count, const Get& get) {
    std::vector<std::uint32_t> column(count);
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t number = get(i);
        column[i] = fold_sign(number - before);
        before = number;
    }
    append_planes<std::uint32_t>(raw, column);
}
std::vector<std::uint32_t> take_differences(RawCursor& cursor, std::size_t count) {
    std::vector<std::uint32_t> column(count);
    cursor.planes<std::uint32_t>(column);
    std::uint32_t before = 0;
    for (std::uint32_t& number : column)
        before = number = before + unfold_sign(number);
    return column;
}

}  // namespace

std::string encode_setup(const RecordingSetup& setup) {
    Json shapes = Json::array(), bodies = Json::array();
    for (const auto& shape : setup.shapes)
        shapes.push_back({{"name", shape.name}});
    for (const auto& body : setup.bodies)
        bodies.push_back(
            {{"name", body.name}, {"shape", body.shape}, {"motion", name_of(body.motion)}});
    const Json json = {{"scene", setup.scene_name},
                       {"frame_time", setup.frame_time},
                       {"shapes", std::move(shapes)},
                       {"bodies", std::move(bodies)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RecordingSetup decode_setup(std::string_view raw, std::uint32_t version) {
    const Json json = Json::parse(raw, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) throw Error("it is no JSON");
    RecordingSetup setup;
    setup.scene_name = text_member(json, "scene");
    const auto time = json.find("frame_time");
    if (time == json.end() || !time->is_number()) throw Error("its member frame_time is missing");
    setup.frame_time = time->get<double>();
    for (const Json& shape : member(json, "shapes", Json::value_t::array))
        setup.shapes.push_back({text_member(shape, "name"), {}});
    for (const Json& body : member(json, "bodies", Json::value_t::array))
        setup.bodies.push_back(body_from(body, version));
    check(setup);
    return setup;
}

std::string encode_mesh(const Mesh& mesh) {
    if (mesh.positions.size() > ~std::uint32_t{0} || mesh.triangles.size() > ~std::uint32_t{0})
        throw Error("a recording: a mesh is too large; give the shape one with fewer triangles");
    std::string raw;
    append(raw, static_cast<std::uint32_t>(mesh.positions.size()));
    append(raw, static_cast<std::uint32_t>(mesh.triangles.size()));
    for (int axis = 0; axis < 3; ++axis)
        append_differences(raw, mesh.positions.size(), [&](std::size_t i) {
            return std::bit_cast<std::uint32_t>(mesh.positions[i][axis]);
        });
    for (int corner = 0; corner < 3; ++corner)
        append_differences(raw, mesh.triangles.size(),
                           [&](std::size_t i) { return mesh.triangles[i][corner]; });
    return raw;
}

Mesh decode_mesh(std::string_view raw) {
    RawCursor cursor(raw);
    const std::size_t vertex_count = cursor.next<std::uint32_t>();
    const std::size_t triangle_count = cursor.next<std::uint32_t>();
    if (12 * (std::uint64_t{vertex_count} + triangle_count) != cursor.bytes_left())
        throw Error("its numbers of vertices and triangles are not those it holds");
    Mesh mesh;
    mesh.positions.resize(vertex_count);
    mesh.triangles.resize(triangle_count);
    for (int axis = 0; axis < 3; ++axis) {
        const auto column = take_differences(cursor, vertex_count);
        for (std::size_t i = 0; i < vertex_count; ++i)
            mesh.positions[i][axis] = std::bit_cast<float>(column[i]);
    }
    for (int corner = 0; corner < 3; ++corner) {
        const auto column = take_differences(cursor, triangle_count);
        for (std::size_t i = 0; i < triangle_count; ++i)
            mesh.triangles[i].v[corner] = column[i];
    }
    validate(mesh);
    return mesh;
}

void check(const RecordingSetup& setup) {
    if (!std::isfinite(setup.frame_time) || setup.frame_time < 0)
        throw Error("the frame time must be a finite number of seconds, 0 or more");
    if (setup.bodies.size() > ~std::uint32_t{0}) throw Error("there are too many bodies");
    for (const auto& body : setup.bodies)
        if (body.shape >= setup.shapes.size())
            throw Error("a body has shape " + std::to_string(body.shape) + ", and there are " +
                        std::to_string(setup.shapes.size()));
    for (const auto& shape : setup.shapes)
        validate(shape.mesh);
    (void)deforming_vertex_counts(setup);
}

}  // namespace graze::recording
