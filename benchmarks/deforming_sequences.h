// The deforming sequences that benchmarks run on, and finer versions of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graze/deforming.h"
#include "graze/mesh_io.h"
#include "tests/narrow_phase/features/sequence_boxes.h"

namespace graze {

struct DeformingSequence {
    std::string name;
    std::vector<Vec3> t0, t1;  // [m]
    std::vector<Triangle> triangles;

    DeformingTopology topology() const {
        DeformingTopology result;
        result.vertex_count = static_cast<std::int64_t>(t0.size());
        result.triangles = triangles;
        return result;
    }
};

// Loads two successive frames of each sequence in the data folder; none where it is absent.
// `wanted` is the name of one sequence, or empty for all.
inline std::vector<DeformingSequence> load_sequences(const std::string& wanted = {}) {
    std::vector<DeformingSequence> result;
    for (const SequenceFrames& frames : kSequences) {
        const std::filesystem::path folder = sequence_folder() / frames.name / "frames";
        if (!wanted.empty() && wanted != frames.name) continue;
        if (!std::filesystem::exists(folder / frames.frame_t0)) continue;
        Mesh t0 = load_mesh(folder / frames.frame_t0), t1 = load_mesh(folder / frames.frame_t1);
        result.push_back({frames.name, std::move(t0.positions), std::move(t1.positions),
                          std::move(t0.triangles)});
    }
    return result;
}

// Returns the files of the first frames of all sequences.
inline std::vector<std::string> first_frames() {
    std::vector<std::string> result;
    for (const SequenceFrames& frames : kSequences)
        result.push_back((sequence_folder() / frames.name / "frames" / frames.frame_t0).string());
    return result;
}

// Cuts every triangle into four at the middles of its edges.
inline DeformingSequence subdivided(const DeformingSequence& coarse) {
    DeformingSequence fine = coarse;
    fine.name = coarse.name + " x4";
    fine.triangles.clear();
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
        const auto next = static_cast<std::uint32_t>(fine.t0.size());
        const auto [entry, is_new] = middles.insert({{std::min(a, b), std::max(a, b)}, next});
        if (is_new) {
            fine.t0.push_back((coarse.t0[a] + coarse.t0[b]) * 0.5f);
            fine.t1.push_back((coarse.t1[a] + coarse.t1[b]) * 0.5f);
        }
        return entry->second;
    };
    for (const Triangle& t : coarse.triangles) {
        const std::uint32_t ab = middle(t[0], t[1]), bc = middle(t[1], t[2]),
                            ca = middle(t[2], t[0]);
        for (const Triangle& quarter :
             {Triangle{{t[0], ab, ca}}, {{ab, t[1], bc}}, {{ca, bc, t[2]}}, {{ab, bc, ca}}})
            fine.triangles.push_back(quarter);
    }
    return fine;
}

}  // namespace graze
