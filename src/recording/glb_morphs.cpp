#include "recording/glb_morphs.h"

#include <algorithm>
#include <limits>

#include "recording/recording_vertices.h"

namespace graze {
namespace {

using Json = GlbBuffer::Json;

constexpr std::uint64_t kTargetBytes = 24;  // a vertex: how its position and its normal differ

Json as_json(const Vec3& v) {
    return Json::array({v.x, v.y, v.z});
}

// A unit normal for each vertex: the mean of the faces around it by their areas. It points up where
// there is none.
std::vector<Vec3> smooth_normals(std::span<const Vec3> positions,
                                 const std::vector<Triangle>& triangles) {
    std::vector<Vec3d> sums(positions.size(), Vec3d{0, 0, 0});
    for (const Triangle& t : triangles) {
        const auto a = static_cast<Vec3d>(positions[t[0]]);
        const Vec3d normal =
            cross(static_cast<Vec3d>(positions[t[1]]) - a, static_cast<Vec3d>(positions[t[2]]) - a);
        for (const std::uint32_t vertex : t.v)
            sums[vertex] += normal;
    }
    std::vector<Vec3> normals;
    normals.reserve(sums.size());
    for (const Vec3d& sum : sums) {
        const auto normal = static_cast<Vec3>(normalized(sum));
        normals.push_back(length_sq(normal) > 0.5f ? normal : Vec3{0, 0, 1});
    }
    return normals;
}

}  // namespace

std::vector<std::int64_t> GlbMorphs::key_frames(std::int64_t frame_count,
                                                std::uint64_t target_bytes) {
    const std::uint64_t fitting = kMostBytes / std::max<std::uint64_t>(target_bytes, 1);
    const auto most = static_cast<std::int64_t>(
        std::clamp<std::uint64_t>(fitting, 1, std::uint64_t{kMostTargets}));
    const std::int64_t count = std::min(frame_count - 1, most);
    std::vector<std::int64_t> frames = {0};
    for (std::int64_t i = 1; i <= count; ++i)
        frames.push_back((2 * i * (frame_count - 1) + count) / (2 * count));
    return frames;
}

GlbMorphs::GlbMorphs(GlbBuffer& buffer, const RecordingSetup& setup, const BodyTracks& tracks)
    : buffer_(buffer), setup_(setup), tracks_(tracks), morphs_(setup.bodies.size()) {
    std::uint64_t target_bytes = 0;
    for (std::size_t i = 0; i < morphs_.size(); ++i) {
        if (!recording::is_deforming(setup.bodies[i])) continue;
        const Mesh& mesh = setup.shapes[setup.bodies[i].shape].mesh;
        std::copy_if(
            mesh.triangles.begin(), mesh.triangles.end(), std::back_inserter(morphs_[i].triangles),
            [](const Triangle& t) { return t[0] != t[1] && t[1] != t[2] && t[2] != t[0]; });
        if (tracks.bodies[i].deforms) target_bytes += kTargetBytes * mesh.positions.size();
    }
    key_frames_ = key_frames(static_cast<std::int64_t>(tracks.times.size()), target_bytes);
}

std::size_t GlbMorphs::add_vertices(std::span<const Vec3> values, bool has_bounds) {
    Json bounds = nullptr;
    if (has_bounds) {
        Aabb box = Aabb::empty();
        for (const Vec3& value : values)
            box = merge(box, value);
        bounds = {{"min", as_json(box.min)}, {"max", as_json(box.max)}};
    }
    const std::size_t view = buffer_.add_view<Vec3>(values, GlbBuffer::kVertices);
    return buffer_.add_accessor(view, 0, GlbBuffer::kFloat, "VEC3", values.size(),
                                std::move(bounds));
}

void GlbMorphs::put_first(Morph& morph, std::span<const Vec3> positions) {
    morph.positions.assign(positions.begin(), positions.end());
    morph.normals = smooth_normals(positions, morph.triangles);
    morph.position_accessor = add_vertices(morph.positions, true);
    morph.normal_accessor = add_vertices(morph.normals, false);
    morph.index_accessor = buffer_.add_indices(morph.triangles, positions.size());
}

void GlbMorphs::put_target(Morph& morph, std::span<const Vec3> positions) {
    std::vector<Vec3> normals = smooth_normals(positions, morph.triangles);
    std::vector<Vec3> offsets(positions.begin(), positions.end());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        offsets[i] -= morph.positions[i];
        normals[i] -= morph.normals[i];
    }
    const std::size_t position = add_vertices(offsets, true);
    morph.targets.push_back({{"POSITION", position}, {"NORMAL", add_vertices(normals, false)}});
}

void GlbMorphs::put(std::int64_t index, const RecordingFrame& frame) {
    if (!std::binary_search(key_frames_.begin(), key_frames_.end(), index)) return;
    for (std::uint32_t i = 0; i < morphs_.size(); ++i) {
        if (morphs_[i].triangles.empty()) continue;
        const std::span<const Vec3> positions = positions_of(setup_, frame, i);
        if (index == 0)
            put_first(morphs_[i], positions);
        else if (tracks_.bodies[i].deforms)
            put_target(morphs_[i], positions);
    }
}

Json GlbMorphs::mesh_of(std::uint32_t body, std::size_t material) const {
    const Morph& morph = morphs_[body];
    if (morph.triangles.empty()) return nullptr;
    Json primitive = {
        {"attributes", {{"POSITION", morph.position_accessor}, {"NORMAL", morph.normal_accessor}}},
        {"indices", morph.index_accessor},
        {"material", material}};
    if (!morph.targets.empty()) primitive["targets"] = morph.targets;
    return {{"name", setup_.bodies[body].name}, {"primitives", Json::array({primitive})}};
}

// At a key frame its target alone counts; at the first one none does.
std::size_t GlbMorphs::weights_accessor() {
    if (weights_) return *weights_;
    const std::size_t target_count = key_frames_.size() - 1;
    std::vector<float> weights(key_frames_.size() * target_count, 0);
    for (std::size_t target = 0; target < target_count; ++target)
        weights[(target + 1) * target_count + target] = 1;
    const std::size_t view = buffer_.add_view<float>(weights, GlbBuffer::kAny);
    weights_ = buffer_.add_accessor(view, 0, GlbBuffer::kFloat, "SCALAR", weights.size());
    return *weights_;
}

void GlbMorphs::animate(GlbAnimation& animation, std::uint32_t body, std::size_t node) {
    if (!morphs_[body].targets.empty())
        animation.add_weights(node, key_frames_, weights_accessor());
}

}  // namespace graze
