// Measures on graze what the paper of the two-level grid claims (Fan et al. 2011), as one table:
//
// - Deferred update: the hierarchy comes from the last step's cells, not from another assignment.
// - Bottom to top: elements get their cells without iteration, not by walking over the top cells
//   and those below twice, to count and to store.
// - Feature storage: pairs of features are counted first and stored once each, not in 15 entries
//   for every pair of triangles.
// - Shares: the stages of a continuous step take these shares of it, in the paper on cloth-ball.
//
// All are measured with the two-level grid. Include element_leaf_units.h beside this in host
// sources, element_slot_units.h in CUDA sources.
#pragma once

#include <cstdio>
#include <string>

#include "benchmarks/deforming_steps.h"
#include "benchmarks/stream_element_pairs.h"
#include "benchmarks/top_down_assignment.h"
#include "broad_phase/element_pairs_impl.h"
#include "narrow_phase/features/elements.h"
#include "parallel/reductions.h"
#include "parallel/trace.h"
#include "parallel/upload.h"

namespace graze {

// A row of the table, for one sequence.
struct Claim {
    const char* text;
    const char* paper;  // the paper's figure
    std::string ours;
};
using Claims = std::vector<Claim>;

namespace claims_detail {

constexpr int kStepCount = 11;
constexpr double kBytesPerFeaturePair = sizeof(std::uint64_t);  // two indices in one key
constexpr double kMostFeaturePairs = 15;                        // that two triangles can have

inline std::string text_of(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof(text), format, value);
    return text;
}
inline std::string percent(double fraction) {
    return text_of("%.1f%%", 100 * fraction);
}
inline std::string size_of(double bytes) {
    return bytes < 1e6 ? text_of("%.1f kB", bytes * 1e-3) : text_of("%.1f MB", bytes * 1e-6);
}

inline void expect_equal(std::int64_t a, std::int64_t b, const char* what) {
    if (a != b)
        throw Error(std::string("the claims' two methods differ in their count of ") + what + ": " +
                    std::to_string(a) + " and " + std::to_string(b));
}

// ---- deferred update

// The times of a step from boxes to pairs. [ms] The boxes are those of two successive steps, in
// turns, so that the hierarchy of the last step is never quite that of this one.
template <class Executor>
struct UpdateTimes {
    UpdateTimes(Executor& executor, const DeformingSequence& sequence)
        : deferred_(executor.memory()), full_(executor.memory()) {
        std::vector<Vec3> t2;
        for (std::size_t i = 0; i < sequence.t0.size(); ++i)
            t2.push_back(sequence.t1[i] + (sequence.t1[i] - sequence.t0[i]));
        const Buffer<Aabb> boxes[2] = {
            upload(executor, swept_boxes(sequence.t0, sequence.t1, sequence.triangles)),
            upload(executor, swept_boxes(sequence.t1, t2, sequence.triangles))};
        full_.grid.always_updates = true;
        find(executor, boxes, deferred_);
        find(executor, boxes, full_);
        for (int i = 0; i < kStepCount; ++i) {
            deferred_times_.time([&] { find(executor, boxes, deferred_); });
            full_times_.time([&] { find(executor, boxes, full_); });
        }
        expect_equal(deferred_.pair_count, full_.pair_count, "pairs");
    }

    double deferred() const { return deferred_times_.median().wall / 2; }
    double full() const { return full_times_.median().wall / 2; }

private:
    static void find(Executor& executor, const Buffer<Aabb> (&boxes)[2], ElementPairs& pairs) {
        for (const Buffer<Aabb>& step : boxes)
            find_element_pairs(executor, step.data(), step.size(), PairSearch::two_level_grid,
                               pairs);
        executor.wait();
    }

    ElementPairs deferred_, full_;
    CallTimes deferred_times_, full_times_;
};

// ---- assignment

// Returns the time of the assignment's stages in a step. [ms]
template <class Executor>
double time_bottom_to_top(Executor& executor, const Buffer<Aabb>& boxes, Propagation propagation,
                          ElementPairs& pairs) {
    pairs.grid.propagation = propagation;
    const auto build = [&] {
        build_element_search(executor, boxes.data(), boxes.size(), PairSearch::two_level_grid,
                             pairs);
    };
    build();  // makes room
    executor.wait();
    const StageTimes stages = trace_calls(executor, kStepCount, build);
    double sum = 0;
    for (const char* name :
         {"grid: map boxes", "grid: offsets of items", "grid: assign", "grid: keep", "grid: gather",
          "grid: clear marks", "grid: mark heads", "grid: propagate"})
        sum += stages.of(name);
    return sum;
}

// Returns the time of the other assignment, to the cells that a grid was built with. [ms]
template <class Executor>
double time_top_to_bottom(Executor& executor, const Buffer<Aabb>& boxes, const ElementGrid& grid) {
    TopDownAssignment assignment(executor.memory());
    const auto assign = [&] {
        assign_top_down(executor, element_grid_detail::view_of(grid), boxes.data(), boxes.size(),
                        assignment);
    };
    assign();  // makes room
    executor.wait();
    const StageTimes stages = trace_calls(executor, kStepCount, assign);
    expect_equal(assignment.cells.size(), grid.totals.entry_count, "elements in cells");
    return stages.of_all("top down: ");
}

// ---- feature storage

struct CountFeaturePairs {
    const Element* elements;
    const IndexPair* pairs;
    struct Count {
        std::uint64_t count = 0;
        GRAZE_INLINE void vertex_face(std::uint32_t, std::uint32_t, const Element&) { ++count; }
        GRAZE_INLINE void edge_edge(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                                    std::uint32_t, std::uint32_t) {
            ++count;
        }
    };
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const {
        const IndexPair pair = pairs[i];
        Count report;
        visit_feature_pairs(elements[pair.a], pair.a, elements[pair.b], pair.b, report);
        return report.count;
    }
};

// Counts the pairs of features that belong to the pairs of elements given, each once, whatever
// their bounds.
template <class Executor>
double count_feature_pairs(Executor& executor, const DeformingSequence& sequence,
                           const Buffer<IndexPair>& pairs) {
    const auto elements = upload(executor, make_elements(sequence.topology()).elements);
    auto total = executor.template make_buffer<std::uint64_t>(1);
    executor.reduce("count feature pairs", pairs.size(),
                    CountFeaturePairs{elements.data(), pairs.data()}, AddValues{}, std::uint64_t{0},
                    total.data());
    return static_cast<double>(executor.read(total.data()));
}

// ---- shares of the stages

// Returns the time of finding the pairs where they are not stored but carried on at once, as on the
// host, where that is no stage of its own. [ms]
template <class Executor>
double time_streaming([[maybe_unused]] Executor& executor,
                      [[maybe_unused]] const ElementPairs& pairs) {
    if constexpr (Executor::kIsHost) {
        return time_calls(1, kStepCount, [&] { stream_element_pairs(executor, pairs); })
            .median()
            .wall;
    }
    return 0;
}

// streaming [ms] is the time above. The paper's shares of vertex-face (25.7%) and edge-edge pairs
// (28.2%), for lists and tests, are one share here.
inline void add_shares(const StageTimes& stages, double streaming, bool is_host, Claims& claims) {
    double sorting = 0;
    for (const char* name :
         {"features: number", "features: sort", "features: gather", "features: grow"})
        sorting += stages.of(name);
    const double features = stages.of_all("features: ") - sorting;
    // Copying positions in and results out is no stage of the paper's.
    const double copies = stages.of("deforming: positions") + stages.of("deforming: result");
    const double bounds = stages.of_all("deforming: ") - copies;
    const double pairs = stages.of_all("element pairs: ") + stages.of_all("pairs: ");
    double grid = 0;  // with the tree over the elements that are too large for its cells
    for (const char* beginning : {"boxes: ", "grid: ", "bvh: "})
        grid += stages.of_all(beginning);
    // On the host each pair is carried through to its end, in a stage without a name.
    const double rest =
        stages.whole() - streaming - bounds - grid - pairs - features - sorting - copies;
    const double filter = stages.of("features: filter"), decide = stages.of("features: decide");
    const auto add = [&](const char* text, const char* paper, double milliseconds) {
        claims.push_back({text, paper, percent(milliseconds / stages.whole())});
    };
    add("share: bounds", "5.6%", bounds);
    add("share: grid", "19.3%", grid);
    add("share: triangle pairs", "21.2%", pairs + streaming);
    add("share: features and tests", "53.9%", features + (is_host ? rest : 0));
    if (!is_host) {
        add("    lists of feature pairs", "", features - filter - decide);
        add("    filter", "", filter);
        add("    tests", "", decide);
    }
    add("share: sorting", "", sorting);
    if (is_host) return;
    add("share: copies", "", copies);
    add("share: the rest, waiting", "", rest);
}

template <class Executor>
void add_update(Executor& executor, const DeformingSequence& sequence, double whole,
                Claims& claims) {
    const UpdateTimes<Executor> update(executor, sequence);
    const double saved = update.full() - update.deferred();
    claims.push_back({"pairs, deferred update", "", text_of("%.2f ms", update.deferred())});
    claims.push_back({"pairs, full update", "", text_of("%.2f ms", update.full())});
    claims.push_back({"saved by deferring, of the pairs", "", percent(saved / update.full())});
    claims.push_back({"saved by deferring, of a step", "30%", percent(saved / (whole + saved))});
}

template <class Executor>
void add_assignment(Executor& executor, const Buffer<Aabb>& boxes, ElementPairs& pairs,
                    Claims& claims) {
    const double by_scan = time_bottom_to_top(executor, boxes, Propagation::scan, pairs);
    const double by_search = time_bottom_to_top(executor, boxes, Propagation::search, pairs);
    const double two_passes = time_top_to_bottom(executor, boxes, pairs.grid);
    claims.push_back({"assignment, two passes", "", text_of("%.3f ms", two_passes)});
    claims.push_back({"assignment, bottom to top", "", text_of("%.3f ms", by_search)});
    claims.push_back({"times as fast as two passes", "6", text_of("%.2f", two_passes / by_search)});
    claims.push_back({"the same, items by scan", "6", text_of("%.2f", two_passes / by_scan)});
}

// `report` is that of a continuous step.
template <class Executor>
void add_storage(Executor& executor, const DeformingSequence& sequence, const ElementPairs& pairs,
                 const DeformingReport& report, Claims& claims) {
    const double reserved = kMostFeaturePairs * static_cast<double>(pairs.pair_count);
    const double once = count_feature_pairs(executor, sequence, pairs.pairs);
    const double left = static_cast<double>(report.vertex_face_count + report.edge_edge_count);
    claims.push_back(
        {"features, 15 a pair of triangles", "", size_of(reserved * kBytesPerFeaturePair)});
    claims.push_back({"features, each pair once", "", size_of(once * kBytesPerFeaturePair)});
    claims.push_back({"features that bounds leave", "", size_of(left * kBytesPerFeaturePair)});
    claims.push_back({"saved by each once", "89%", percent(1 - once / reserved)});
    claims.push_back({"saved by bounds too", "", percent(1 - left / reserved)});
}

template <class Machine>
Claims measure(const DeformingSequence& sequence) {
    Claims claims;
    auto executor = Machine::executor();
    using Steps = DeformingSteps<Machine>;
    Steps steps(sequence, PairSearch::two_level_grid, 0);
    const double whole = time_calls(2, kStepCount, [&] { steps.run_continuous(); }).median().wall;
    claims.push_back({"continuous step", "", text_of("%.2f ms", whole)});
    add_update(executor, sequence, whole, claims);

    const auto boxes = upload(executor, swept_boxes(sequence.t0, sequence.t1, sequence.triangles));
    ElementPairs pairs(executor.memory());
    add_assignment(executor, boxes, pairs, claims);
    find_element_pairs(executor, boxes.data(), boxes.size(), PairSearch::two_level_grid, pairs);
    add_storage(executor, sequence, pairs, steps.report(), claims);
    add_shares(steps.time_stages(&Steps::run_continuous, kStepCount),
               time_streaming(executor, pairs), Machine::Executor::kIsHost, claims);
    return claims;
}

}  // namespace claims_detail

template <class Machine>
void print_claims(const std::vector<DeformingSequence>& sequences) {
    std::vector<Claims> columns;
    std::printf("%-34s %8s", "", "paper");
    for (const DeformingSequence& sequence : sequences) {
        columns.push_back(claims_detail::measure<Machine>(sequence));
        std::printf(" %14s", sequence.name.c_str());
    }
    std::printf("\n");
    for (std::size_t row = 0; !columns.empty() && row < columns[0].size(); ++row) {
        std::printf("%-34s %8s", columns[0][row].text, columns[0][row].paper);
        for (const Claims& column : columns)
            std::printf(" %14s", column[row].ours.c_str());
        std::printf("\n");
    }
}

}  // namespace graze
