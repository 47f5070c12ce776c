// Impacts of a step, and the steps of a folder of frames, as text, JSON and CSV.
// docs/commands/impacts.md describes them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deforming_request.h"
#include "graze/write_file.h"

namespace graze::app {

// What every answer says of the search.
struct ImpactSettings {
    DeformingRequest request;
    std::string device;  // as Device::name says it
    std::int64_t vertex_count = 0, triangle_count = 0;
    bool has_floats = false;  // else the search was in doubles
};

// The impacts of a step, in their order, piece by piece: there may be more than memory holds. None
// where that was the end.
using NextImpacts = std::function<std::span<const Impact>()>;

// The few impacts that come first; of equal times, those that come first in the order.
class FirstImpacts {
public:
    static constexpr std::size_t kMost = 5;
    void add(std::span<const Impact> piece);
    std::span<const Impact> all() const { return impacts_; }

private:
    std::vector<Impact> impacts_;
};

struct StepImpacts {
    std::string file_t0, file_t1;
    ImpactSettings settings;
    bool is_earliest_only = false;  // then impacts were not counted, only their first time is known
    ImpactTotals totals;
    std::span<const TriangleIntersection> crossed;  // at t0
    std::optional<double> earliest;                 // of both
    DeformingReport report;
    double load_seconds = 0, detect_seconds = 0;
    FirstImpacts first;  // for the text

    std::int64_t impact_count() const { return totals.vertex_face_count + totals.edge_edge_count; }
};

std::string to_text(const StepImpacts& step);
void write_json(const StepImpacts& step, const NextImpacts& next, const WriteBytes& write);
void write_csv(const StepImpacts& step, const NextImpacts& next, const WriteBytes& write);

struct IndexedPair {
    std::uint32_t a, b;  // a < b
};

// A frame of a folder and the step from it to the next.
struct TimelineRow {
    std::string file;
    std::vector<IndexedPair> intersecting;  // faces, at the frame, by (a, b)
    double intersect_seconds = 0;
    // The figures of the step; the last frame has none.
    ImpactTotals totals;
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
void write_json(const Timeline& timeline, const WriteBytes& write);
void write_csv(const Timeline& timeline, const WriteBytes& write);

}  // namespace graze::app
