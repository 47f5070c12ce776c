// Impacts of a step, and the steps of a folder of frames, as text, JSON and CSV.
// docs/commands/impacts.md describes them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deforming_request.h"

namespace graze::app {

// What every answer says of the search.
struct ImpactSettings {
    DeformingRequest request;
    std::string device;  // as Device::name says it
    std::int64_t vertex_count = 0, triangle_count = 0;
    bool has_floats = false;  // else the search was in doubles
};

struct StepImpacts {
    std::string file_t0, file_t1;
    ImpactSettings settings;
    bool is_earliest_only = false;    // then there are no impacts, only their first time
    std::span<const Impact> impacts;  // those of vertices and faces first
    std::span<const TriangleIntersection> crossed;  // at t0
    std::optional<double> earliest;
    DeformingReport report;
    double load_seconds = 0, detect_seconds = 0;

    std::int64_t vertex_face_count() const;
};

std::string to_text(const StepImpacts& step);
std::string to_json(const StepImpacts& step);
std::string to_csv(const StepImpacts& step);

struct IndexedPair {
    std::uint32_t a, b;  // a < b
};

// A frame of a folder and the step from it to the next.
struct TimelineRow {
    std::string file;
    std::vector<IndexedPair> intersecting;  // faces, at the frame, by (a, b)
    double intersect_seconds = 0;
    // The figures of the step; the last frame has none.
    std::int64_t vertex_face_count = 0, edge_edge_count = 0;
    std::optional<double> earliest;
    double detect_seconds = 0;
};

struct Timeline {
    std::string folder;
    ImpactSettings settings;
    bool is_earliest_only = false;  // then impacts were not counted
    std::vector<TimelineRow> rows;  // by frame
};

std::string to_text(const Timeline& timeline);
std::string to_json(const Timeline& timeline);
std::string to_csv(const Timeline& timeline);

}  // namespace graze::app
