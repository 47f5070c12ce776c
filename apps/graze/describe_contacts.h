// Two bodies and their contacts as text, JSON and CSV. docs/commands/collide.md describes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graze/sweep_tracks.h"

namespace graze::app {

struct CollidedBody {
    std::string file;
    Transform pose;                          // world from body, at the start of the step
    std::optional<Transform> end = {};       // at its end, where the body moves
    bool is_cached = false;                  // its field was loaded, not built
    float field_error = 0;                   // [m] in the world
    double open_seconds = 0;                 // to load the file and to have its field
    std::vector<std::string> findings = {};  // see FieldReport
};

struct Collision {
    CollidedBody a, b;
    std::span<const Contact> contacts;
    // Whether there is a track for each contact.
    bool has_tracks = false;
    std::vector<SweepTrack> tracks;
    Method method = Method::particles;
    DetectorOptions options;
    PointOptions points;  // of the method sweep
    Device device = Device::cpu();
    StepReport report;
    double detect_seconds = 0;

    // Says whether a body moves within the step.
    bool is_moving() const { return a.end || b.end; }
    // Says whether they touch, not only come within the gap.
    bool is_touching() const;
    // Returns the earliest contact, of those at the same time the deepest; null where there is
    // none.
    const Contact* first() const;
    // Returns the deepest contact, or the closest where none is deep; null where there is none.
    const Contact* deepest() const;
};

std::string to_text(const Collision& collision);
nlohmann::ordered_json to_json(const Collision& collision);
// Returns a header and a row for each contact.
std::string to_csv(const Collision& collision);

}  // namespace graze::app
