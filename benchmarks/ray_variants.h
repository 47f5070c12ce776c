// The ways in which Method::rays is measured, by name.
#pragma once

#include <string_view>
#include <vector>

#include "graze/detector.h"
#include "graze/error.h"

namespace graze {

struct RayVariant {
    const char* name;
    void (*set)(RaysOptions& options);
};

// Much as the paper: a threshold that is the same for all pairs, no caution. Its objects are 1 m
// large, as ours are; it does not say what its threshold is, and with the default of 1 cm a pair is
// cast anew about every tenth step.
inline void set_as_paper(RaysOptions& options) {
    options.is_cautious = false;
    options.adapts = false;
}
// The paper's own: besides, no ray is cast by itself.
inline void set_as_paper_strictly(RaysOptions& options) {
    set_as_paper(options);
    options.waits = true;
}

// Rays as the paper counts them: from every vertex of both bodies of each pair, not only from those
// in the intersection of boxes. Contacts are the same, since only vertices in there are any.
inline void set_all_vertices(RaysOptions& options) {
    options.distance_extension = 1000;  // [m] farther than any body reaches
}

inline const std::vector<RayVariant>& ray_variants() {
    static const std::vector<RayVariant> variants{
        {"standard", [](RaysOptions& o) { o.is_iterative = false; }},
        {"iterative", [](RaysOptions&) {}},
        {"iterative without prediction", [](RaysOptions& o) { o.predicts = false; }},
        {"iterative without caution", [](RaysOptions& o) { o.is_cautious = false; }},
        {"as the paper", [](RaysOptions& o) { set_as_paper(o); }},
        {"as the paper, without prediction",
         [](RaysOptions& o) {
             set_as_paper(o);
             o.predicts = false;
         }},
        {"strictly as the paper", [](RaysOptions& o) { set_as_paper_strictly(o); }},
        {"strictly as the paper, without prediction",
         [](RaysOptions& o) {
             set_as_paper_strictly(o);
             o.predicts = false;
         }},
        {"standard, stackless",
         [](RaysOptions& o) {
             o.is_iterative = false;
             o.cast = RayCast::stackless;
         }},
        {"iterative, stackless", [](RaysOptions& o) { o.cast = RayCast::stackless; }},
        {"standard, all vertices",
         [](RaysOptions& o) {
             // A threshold of 0 casts all rays anew in every step.
             set_as_paper(o);
             o.predicts = false;
             o.displacement_threshold = 0;
             set_all_vertices(o);
         }},
        {"iterative, all vertices", [](RaysOptions& o) { set_all_vertices(o); }},
        {"as the paper, all vertices",
         [](RaysOptions& o) {
             set_as_paper(o);
             set_all_vertices(o);
         }},
        {"standard, every triangle",
         [](RaysOptions& o) {
             o.is_iterative = false;
             o.cast = RayCast::every_triangle;
         }},
        {"standard, confirms inside",
         [](RaysOptions& o) {
             o.is_iterative = false;
             o.confirms_inside = true;
         }},
        {"iterative, confirms inside", [](RaysOptions& o) { o.confirms_inside = true; }},
    };
    return variants;
}

inline DetectorOptions ray_options(std::string_view variant, float gap = 0) {
    DetectorOptions options;
    options.gap = gap;
    for (const RayVariant& each : ray_variants()) {
        if (each.name != variant) continue;
        each.set(options.rays);
        return options;
    }
    std::string names;
    for (const RayVariant& each : ray_variants())
        names += std::string(names.empty() ? "" : ", ") + "'" + each.name + "'";
    throw Error("no variant is called '" + std::string(variant) + "'; there are: " + names);
}

}  // namespace graze
