#include "page_fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base64.h"
#include "graze/error.h"
#include "packed_recording.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShapes = 12;
// Of all shapes of a page: some 200 kB of it.
constexpr double kSampleBudget = 110'000;
constexpr int kFinest = 48;
constexpr std::size_t kMostTriangles = 300'000;
// [of the longest side] How far the samples go beyond the solid.
constexpr float kMargin = 0.3f;

// Samples along the longest side.
int samples_along(std::size_t shape_count) {
    const double each = kSampleBudget / static_cast<double>(std::max<std::size_t>(shape_count, 1));
    return std::min(kFinest, static_cast<int>(std::cbrt(each)));
}

float longest_side(const Aabb& box) {
    const Vec3 size = extent(box);
    return std::max({size.x, size.y, size.z});
}

// 16 bits a sample, the largest distance as 32767.
Json in_json(const Field& field, const Aabb& solid, std::size_t shape, int count) {
    const Aabb box = inflate(solid, kMargin * longest_side(solid));
    const Vec3 size = extent(box);
    const float spacing = longest_side(box) / static_cast<float>(count - 1);
    int n[3];
    for (int axis = 0; axis < 3; ++axis)
        n[axis] = std::max(2, static_cast<int>(std::ceil(size[axis] / spacing)) + 1);
    std::vector<float> values;
    for (int z = 0; z < n[2]; ++z)
        for (int y = 0; y < n[1]; ++y)
            for (int x = 0; x < n[0]; ++x)
                values.push_back(
                    field.distance(box.min + Vec3{float(x), float(y), float(z)} * spacing));
    float largest = 1e-30f;
    for (const float value : values)
        largest = std::max(largest, std::fabs(value));
    std::string bytes;
    for (const float value : values) {
        const auto bits = static_cast<std::uint16_t>(
            static_cast<std::int16_t>(std::lround(value / largest * 32767)));
        bytes += static_cast<char>(bits & 255);
        bytes += static_cast<char>(bits >> 8);
    }
    return {{"shape", shape},          {"origin", {box.min.x, box.min.y, box.min.z}},
            {"spacing", spacing},      {"size", {n[0], n[1], n[2]}},
            {"unit", largest / 32767}, {"samples", base64(PackedRecording::deflate(bytes, 9))}};
}

}  // namespace

Json fields_of(const RecordingSetup& setup) {
    Json fields = Json::array();
    std::vector<bool> is_wanted(setup.shapes.size(), false);
    for (const auto& body : setup.bodies)
        if (body.motion != BodyMotion::cloth &&
            setup.shapes[body.shape].mesh.triangles.size() <= kMostTriangles)
            is_wanted[body.shape] = true;
    const auto shape_count =
        static_cast<std::size_t>(std::count(is_wanted.begin(), is_wanted.end(), true));
    if (shape_count > kMostShapes) return fields;
    const int count = samples_along(shape_count);
    for (std::size_t shape = 0; shape < setup.shapes.size(); ++shape) {
        const Mesh& mesh = setup.shapes[shape].mesh;
        if (!is_wanted[shape] || mesh.triangles.empty()) continue;
        FieldOptions options;
        options.resolution = 2 * count;
        options.padding = kMargin * static_cast<float>(options.resolution) + 2;
        options.measure_error = false;
        try {
            const Field field = build_field(mesh, options);
            fields.push_back(in_json(field, bounds(mesh), shape, count));
        } catch (const Error&) {
            // The page goes without a slice through this one.
        }
    }
    return fields;
}

}  // namespace graze::app
