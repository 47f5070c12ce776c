// Method::features: from pairs of rigid bodies to contacts of their features, in four stages, each
// of which counts, scans and fills, so that nothing overflows and the order is always the same:
//
//     pairs of bodies -> triangles of the one that has fewer, less blocks of them that are apart
//     from the other's box -> pairs of triangles whose boxes touch, by a walk through the tree of
//     the other -> pairs of features that cheap tests do not rule out (a mask of 16 bits for each
//     pair of triangles) -> contacts
//
// A pair of features is looked at in one pair of triangles only: each vertex and edge is owned by
// one triangle (elements.h). Boxes of triangles contain those of their features, so where two
// features come within the gap, that pair of triangles is there. All that rules something out is
// conservative: boxes are rounded outwards, may_meet.h and filter_mesh_triangles.h are certified.
//
// How two features are decided is the same as for deforming meshes (decide_impact.h), where the
// proofs are; a rigid body's vertices move straight from their positions at t0 to those at t1.
#pragma once

#include "narrow_phase/features/rigid_feature_pairs.h"
#include "narrow_phase/features/rigid_features.h"
#include "parallel/counted_stage.h"
#include "parallel/reductions.h"
#include "parallel/trace.h"

namespace graze {
namespace rigid_detail {

struct ExhaustedOf {
    const std::uint8_t* exhausts;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return exhausts[i]; }
};

struct StoreFeatureContact {
    const Contact* found;
    const std::uint64_t* counts;
    const std::uint64_t* offsets;
    std::uint64_t room;
    Contact* contacts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        if (counts[i] != 0 && offsets[i] < room) contacts[offsets[i]] = found[i];
    }
};

// Where the contacts of a pair of bodies begin, by way of all stages. What is beyond a stage's room
// is not there.
struct OffsetOfPair {
    const std::uint64_t* blocks;  // by pair of bodies
    const std::uint64_t* triangles;
    const std::uint64_t* triangle_pairs;
    const std::uint64_t* feature_pairs;
    const std::uint64_t* contacts;
    std::uint64_t block_room, triangle_room, triangle_pair_room, feature_pair_room;
    std::uint64_t* offsets;  // out, by pair of bodies

    GRAZE_HD void operator()(std::int64_t pair) const {
        const std::uint64_t block = min_of(blocks[pair], block_room);
        const std::uint64_t item = min_of(triangles[block], triangle_room);
        const std::uint64_t triangle_pair = min_of(triangle_pairs[item], triangle_pair_room);
        const std::uint64_t feature_pair = min_of(feature_pairs[triangle_pair], feature_pair_room);
        offsets[pair] = contacts[feature_pair];
    }
};

}  // namespace rigid_detail

template <class Executor>
class FeaturesMethod final : public MethodOn<Executor> {
public:
    FeaturesMethod(Executor& executor, const DetectorOptions& options)
        : executor_(executor),
          gap_(static_cast<double>(options.gap)),
          blocks_(executor.memory()),
          triangles_(executor.memory()),
          triangle_pairs_(executor.memory()),
          feature_pairs_(executor.memory()),
          contacts_(executor.memory()),
          listed_triangle_pairs_(executor.memory()),
          masks_(executor.memory()),
          listed_feature_pairs_(executor.memory()),
          decided_(executor.memory()),
          exhausts_(executor.memory()),
          exhausted_count_(executor.memory(), 1) {}

    ShapeNeeds needs() const override { return {.mesh = true}; }
    bool looks_into_step() const override { return true; }

    void find(const PairStep& step, StepRooms& rooms, ContactList& found) override {
        namespace rd = rigid_detail;
        const RigidPairs pairs{step, gap_};
        const std::int64_t triangle_pair_room = find_triangle_pairs(pairs, rooms);
        const std::int64_t feature_pair_room = mark_feature_pairs(pairs, triangle_pair_room, rooms);

        contacts_.resize(feature_pair_room);
        decided_.resize(feature_pair_room);
        exhausts_.resize(feature_pair_room);
        const rd::FeatureVerdicts verdicts{decided_.data(), contacts_.counts.data(),
                                           exhausts_.data()};
        executor_.for_each(
            "features: decide", feature_pair_room,
            rd::DecideFeaturePair{pairs, listed_triangle_pairs_.data(),
                                  listed_feature_pairs_.data(), feature_pairs_.total(), verdicts},
            8);
        executor_.reduce("features: exhausted", feature_pair_room,
                         rd::ExhaustedOf{exhausts_.data()}, AddValues{}, std::uint64_t{0},
                         exhausted_count_.data());
        stages_.exhausted = rooms.watch(exhausted_count_.data());
        contacts_.scan(executor_, "features: scan");
        const std::int64_t room = rooms.open(executor_, contacts_.total(), feature_pair_room / 4);
        stages_.contacts = rooms.last();
        found.contacts.resize(room);
        executor_.for_each("features: store contacts", feature_pair_room,
                           rd::StoreFeatureContact{
                               decided_.data(), contacts_.counts.data(), contacts_.offsets.data(),
                               static_cast<std::uint64_t>(room), found.contacts.data()});
        found.offsets.resize(step.pair_room + 1);
        executor_.for_each(
            "features: offsets of pairs", step.pair_room + 1,
            rd::OffsetOfPair{blocks_.offsets.data(), triangles_.offsets.data(),
                             triangle_pairs_.offsets.data(), feature_pairs_.offsets.data(),
                             contacts_.offsets.data(),
                             static_cast<std::uint64_t>(triangles_.counts.size()),
                             static_cast<std::uint64_t>(triangle_pairs_.counts.size()),
                             static_cast<std::uint64_t>(triangle_pair_room),
                             static_cast<std::uint64_t>(feature_pair_room), found.offsets.data()});
    }

    void report(const StepRooms& rooms, StepReport& report) const override {
        const auto figure = [&](const char* name, std::size_t stage) {
            report.figures.push_back({name, static_cast<double>(rooms.total(stage))});
        };
        report.found_count = static_cast<std::int64_t>(rooms.total(stages_.contacts));
        figure("triangle_pairs", stages_.triangle_pairs);
        figure("feature_pairs", stages_.feature_pairs);
        figure("exhausted", stages_.exhausted);
    }

private:
    // Returns the room for pairs of triangles.
    std::int64_t find_triangle_pairs(const RigidPairs& pairs, StepRooms& rooms) {
        namespace rd = rigid_detail;
        blocks_.resize(pairs.step.pair_room);
        executor_.for_each("features: count blocks", pairs.step.pair_room,
                           rd::CountBlocks{pairs, blocks_.counts.data()});
        blocks_.scan(executor_, "features: scan");
        const std::int64_t block_room = rooms.open(executor_, blocks_.total());
        triangles_.resize(block_room);
        executor_.for_each(
            "features: count triangles", block_room,
            rd::CountTriangles{pairs, blocks_.offsets.data(), triangles_.counts.data()});
        triangles_.scan(executor_, "features: scan");
        const std::int64_t triangle_room = rooms.open(executor_, triangles_.total());
        const rd::TriangleItems items{pairs, blocks_.offsets.data(), triangles_.offsets.data(),
                                      block_room};
        triangle_pairs_.resize(triangle_room);
        executor_.for_each("features: count pairs of triangles", triangle_room,
                           rd::CountTrianglePairs{items, triangle_pairs_.counts.data()}, 64);
        triangle_pairs_.scan(executor_, "features: scan");
        const std::int64_t room = rooms.open(executor_, triangle_pairs_.total(), triangle_room / 4);
        stages_.triangle_pairs = rooms.last();
        listed_triangle_pairs_.resize(room);
        executor_.for_each(
            "features: store pairs of triangles", triangle_room,
            rd::StoreTrianglePairs{items, triangle_pairs_.offsets.data(),
                                   static_cast<std::uint64_t>(room), listed_triangle_pairs_.data()},
            64);
        return room;
    }

    // Returns the room for pairs of features.
    std::int64_t mark_feature_pairs(const RigidPairs& pairs, std::int64_t triangle_pair_room,
                                    StepRooms& rooms) {
        namespace rd = rigid_detail;
        feature_pairs_.resize(triangle_pair_room);
        masks_.resize(triangle_pair_room);
        executor_.for_each(
            "features: mark", triangle_pair_room,
            rd::MarkFeaturePairs{pairs, listed_triangle_pairs_.data(), triangle_pairs_.total(),
                                 masks_.data(), feature_pairs_.counts.data()},
            64);
        feature_pairs_.scan(executor_, "features: scan");
        const std::int64_t room =
            rooms.open(executor_, feature_pairs_.total(), triangle_pair_room / 4);
        stages_.feature_pairs = rooms.last();
        listed_feature_pairs_.resize(room);
        executor_.for_each(
            "features: list", triangle_pair_room,
            rd::ListFeaturePairs{masks_.data(), feature_pairs_.offsets.data(),
                                 static_cast<std::uint64_t>(room), listed_feature_pairs_.data()});
        return room;
    }

    Executor& executor_;
    double gap_;  // [m]
    CountedStage blocks_, triangles_, triangle_pairs_, feature_pairs_, contacts_;
    Buffer<rigid_detail::TrianglePair> listed_triangle_pairs_;
    Buffer<std::uint16_t> masks_;
    Buffer<std::uint64_t> listed_feature_pairs_;
    Buffer<Contact> decided_;
    Buffer<std::uint8_t> exhausts_;
    Buffer<std::uint64_t> exhausted_count_;  // one
    struct Stages {
        std::size_t triangle_pairs, feature_pairs, exhausted, contacts;
    };
    Stages stages_{};
};

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_features_method(Executor& executor,
                                                         const DetectorOptions& options) {
    return std::make_unique<FeaturesMethod<Executor>>(executor, options);
}

}  // namespace graze
