// SweepSearch: from pairs of bodies to the points that come within the gap, for all sides of all
// pairs in one batch:
//
//     sides -> the maps of their spans -> spheres, level by level of the trees -> points -> points
//     that are inside at some time
//
// This is the nested tree of Xu and Barbic (2014), section 3.3. Beyond it: all pairs go down their
// trees together, a level at a time; a child's search begins when its parent can be inside first;
// what leaves a sphere out is proven for the interpolated field (swept_side.h); paths are curved.
//
// Each level counts, scans and fills, so that nothing overflows. Children follow each other in the
// order of their parents, hence everything is by side and in the order of the tree, on both
// machines. All leaves of a tree are in its last level; the roots of trees that have fewer levels
// than the deepest wait, so that all trees reach their points together.
#pragma once

#include <vector>

#include "core/segment_of.h"
#include "narrow_phase/sweep/face_parts.h"
#include "narrow_phase/sweep/first_times.h"
#include "narrow_phase/sweep/sweep_search.h"
#include "parallel/counted_stage.h"
#include "parallel/reductions.h"
#include "parallel/trace.h"

namespace graze {
namespace sweep_detail {

// A sphere, or a point or face, that is to be looked at.
struct SweepItem {
    std::uint32_t side;
    std::uint32_t index;  // of the node, or in the order of the tree
    float begin;          // not inside before
};

struct MakeSides {
    PairStep step;
    SweepSettings settings;
    SweptSide* sides;           // out
    std::uint64_t* map_counts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        const SweptSide side = make_swept_side(step, settings, i);
        sides[i] = side;
        map_counts[i] = side.span_count == 0 ? 0 : static_cast<std::uint64_t>(side.span_count) + 1;
    }
};

struct MakeMaps {
    SweptSide* sides;
    std::int64_t side_count;
    const std::uint64_t* offsets;  // by side, and the total
    AffineMap* maps;               // out

    GRAZE_HD void operator()(std::int64_t i) const {
        const auto item = static_cast<std::uint64_t>(i);
        if (item >= offsets[side_count]) return;
        const SweptSide& side = sides[segment_of(offsets, side_count, item)];
        const auto k = static_cast<float>(i - static_cast<std::int64_t>(offsets[&side - sides]));
        maps[i] = map_at(side.motion, k / static_cast<float>(side.span_count));
    }
};

// Tells sides where their maps are; those whose maps have no room yet are not searched.
struct AttachMaps {
    SweptSide* sides;
    const std::uint64_t* offsets;  // by side
    const AffineMap* maps;
    std::uint64_t room;

    GRAZE_HD void operator()(std::int64_t i) const {
        sides[i].maps = maps + offsets[i];
        if (offsets[i + 1] > room) sides[i].span_count = 0;
    }
};

// The items of a level; the first level's are the roots of all sides.
struct SweepLevel {
    const SweptSide* sides;
    const SweepItem* items;      // null: the roots
    const std::uint64_t* count;  // null: one for each side
    int level_count;             // from here to the points, of the deepest tree

    GRAZE_INLINE bool has(std::int64_t i) const {
        return !count || static_cast<std::uint64_t>(i) < *count;
    }
    GRAZE_INLINE SweepItem item(std::int64_t i) const {
        return items ? items[i] : SweepItem{static_cast<std::uint32_t>(i), 0, 0};
    }
    // A root whose tree has fewer levels than are to come.
    GRAZE_INLINE bool waits(const SweptSide& side, const SweepItem& item) const {
        return item.index == 0 && side.tree.level_count < level_count;
    }
};

// Counts what each item becomes: its children, or points, or itself where it waits.
struct TestSpheres {
    SweepLevel level;
    std::uint64_t* counts;  // out
    float* begins;          // out: when it can be inside first

    GRAZE_HD void operator()(std::int64_t i) const {
        counts[i] = 0;
        if (!level.has(i)) return;
        const SweepItem item = level.item(i);
        const SweptSide& side = level.sides[item.side];
        if (side.span_count == 0) return;
        if (level.waits(side, item)) {
            counts[i] = 1;
            begins[i] = 0;
            return;
        }
        const SphereNode& node = side.tree.nodes[item.index];
        const float begin = first_time_of_sphere(side, node.centre, node.radius, item.begin);
        begins[i] = begin;
        counts[i] = begin <= 1 ? node.count : 0;
    }
};

struct ListChildren {
    SweepLevel level;
    const std::uint64_t* counts;
    const std::uint64_t* offsets;
    const float* begins;
    std::uint64_t room;
    SweepItem* children;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint64_t count = counts[i], first = offsets[i];
        if (count == 0 || first >= room) return;
        const SweepItem item = level.item(i);
        const SweptSide& side = level.sides[item.side];
        const std::uint32_t first_child =
            level.waits(side, item) ? 0 : side.tree.nodes[item.index].first;
        // All of the room is written, as the next level reads all of it.
        for (std::uint32_t k = 0; k < count && first + k < room; ++k)
            children[first + k] = {item.side, first_child + k, begins[i]};
    }
};

// Where no faces are searched, their part is not in the way of the points'.
template <bool kHasFaces>
struct TestPoints {
    const SweptSide* sides;
    const SweepItem* items;
    const std::uint64_t* count;
    std::uint64_t* counts;  // out: 1 where it is inside at some time
    SweptPoint* found;      // out

    GRAZE_HD void operator()(std::int64_t i) const {
        counts[i] = 0;
        if (static_cast<std::uint64_t>(i) >= *count) return;
        const SweepItem item = items[i];
        const SweptSide& side = sides[item.side];
        SweptPoint point{item.side, item.index, kNever, {0, 0, 0}};
        if (kHasFaces && side.face_corners) {
            const FaceHit hit = first_time_of_face(side, item.index, item.begin);
            point.time = hit.time;
            point.position = hit.position;
        } else {
            point.position = side.tree.points[item.index];
            point.time = first_time_of_point(side, point.position, side.level, item.begin);
        }
        found[i] = point;
        counts[i] = point.time <= 1 ? 1 : 0;
    }
};

// Tests all items. Where there are no faces, sweep_points_lanes.h has the host's own, and
// sweep_points_warps.h a GPU's, for which cursor is a number in the executor's memory.
template <class Executor, bool kHasFaces>
void test_points(Executor& executor, std::int64_t room, const TestPoints<kHasFaces>& work,
                 std::uint64_t* /*cursor*/) {
    static_assert(kHasFaces, "include sweep_points_lanes.h or sweep_points_warps.h");
    executor.for_each("sweep: points and faces", room, work, 32);
}

struct StoreSweptPoints {
    const SweptPoint* tested;
    const std::uint64_t* counts;
    const std::uint64_t* offsets;
    std::uint64_t room;
    SweptPoint* points;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        if (counts[i] != 0 && offsets[i] < room) points[offsets[i]] = tested[i];
    }
};

// Where the points of a side begin: before the first one of this or a later side.
struct OffsetsOfSides {
    const SweepItem* items;      // that were tested
    const std::uint64_t* count;  // of them
    const std::uint64_t* found;  // by item: how many were found before it
    std::uint64_t room;          // for items
    std::uint64_t* offsets;      // out

    GRAZE_HD void operator()(std::int64_t side) const {
        std::uint64_t low = 0, beyond = min_of(*count, room);
        while (low < beyond) {
            const std::uint64_t middle = (low + beyond) / 2;
            if (items[middle].side < static_cast<std::uint64_t>(side)) {
                low = middle + 1;
            } else {
                beyond = middle;
            }
        }
        offsets[side] = found[low];
    }
};

// 1 for the root of a side, less the levels in which it is listed and waits, modulo 2^64: with the
// items of all levels this adds up to the spheres that are looked at.
struct LooksAtRoot {
    const SweptSide* sides;
    int level_count;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const {
        if (sides[i].span_count == 0) return 0;
        return static_cast<std::uint64_t>(1 - (level_count - sides[i].tree.level_count));
    }
};

struct LacksPoints {
    PairStep step;
    GRAZE_HD std::uint64_t operator()(std::int64_t pair) const {
        if (static_cast<std::uint64_t>(pair) >= *step.pair_count) return 0;
        const auto has_none = [this](std::uint32_t body) {
            return step.shapes.points[step.shape_of_body[body]].tree.level_count == 0;
        };
        return has_none(step.pairs[pair].a) && has_none(step.pairs[pair].b) ? 1 : 0;
    }
};

// The deepest trees: of 2^30 points, eight below each node.
constexpr int kMaxSweepLevels = 12;

}  // namespace sweep_detail

template <class Executor>
class SweepSearch<Executor>::Parts {
public:
    Parts(Executor& executor, float gap, const SweepOptions& options)
        : settings{gap,
                   options.motion,
                   options.roles,
                   options.tolerance,
                   options.face_tolerance,
                   options.has_faces},
          executor_(executor),
          sides_(executor.memory()),
          map_stage_(executor.memory()),
          maps_(executor.memory()),
          point_stage_(executor.memory()),
          tested_(executor.memory()),
          root_count_(executor.memory(), 1),
          lack_count_(executor.memory(), 1),
          cursor_(executor.memory(), 1) {
        levels_.reserve(sweep_detail::kMaxSweepLevels);
        for (int level = 0; level < sweep_detail::kMaxSweepLevels; ++level)
            levels_.emplace_back(executor.memory());
    }

    void find(const PairStep& step, StepRooms& rooms, SweptPoints& found) {
        namespace sd = sweep_detail;
        const std::int64_t side_count = step.pair_room * settings.sides_per_pair();
        make_sides(step, side_count, rooms);

        const int level_count = min_of(step.shapes.point_levels, sd::kMaxSweepLevels);
        stages_ = {};
        sd::SweepLevel level{sides_.data(), nullptr, nullptr, level_count};
        std::int64_t room = side_count;
        const std::int64_t guess = 1024 + 4 * side_count;
        for (int l = 0; l < level_count; ++l, --level.level_count) {
            Level& next = levels_[static_cast<std::size_t>(l)];
            next.stage.resize(room);
            next.begins.resize(room);
            executor_.for_each("sweep: spheres", room,
                               sd::TestSpheres{level, next.stage.counts.data(), next.begins.data()},
                               32);
            next.stage.scan(executor_, "sweep: scan");
            const std::int64_t child_room = rooms.open(executor_, next.stage.total(), guess);
            stages_.totals[l] = rooms.last();
            next.children.resize(child_room);
            executor_.for_each(
                "sweep: children", room,
                sd::ListChildren{level, next.stage.counts.data(), next.stage.offsets.data(),
                                 next.begins.data(), static_cast<std::uint64_t>(child_room),
                                 next.children.data()});
            level.items = next.children.data();
            level.count = next.stage.total();
            room = child_room;
        }
        stages_.level_count = level_count;
        test_all_points(level, level_count == 0 ? 0 : room, side_count, rooms, found);
        count_figures(step, side_count, level_count, rooms);
    }

    void report(const StepRooms& rooms, StepReport& report) const {
        // What each level but the last leads to is spheres, what the last leads to is points.
        std::uint64_t nodes = rooms.total(stages_.roots);
        for (int l = 0; l + 1 < stages_.level_count; ++l)
            nodes += rooms.total(stages_.totals[l]);
        const std::uint64_t points =
            stages_.level_count == 0 ? 0 : rooms.total(stages_.totals[stages_.level_count - 1]);
        report.figures.push_back({"sweep_nodes", static_cast<double>(nodes)});
        report.figures.push_back({"sweep_points", static_cast<double>(points)});
        report.figures.push_back(
            {"without_points", static_cast<double>(rooms.total(stages_.lacks))});
    }

    const SweepSettings settings;
    const SweptSide* sides() const { return sides_.data(); }

private:
    struct Level {
        explicit Level(Memory& memory) : stage(memory), begins(memory), children(memory) {}
        CountedStage stage;
        Buffer<float> begins;
        Buffer<sweep_detail::SweepItem> children;
    };

    void make_sides(const PairStep& step, std::int64_t side_count, StepRooms& rooms) {
        namespace sd = sweep_detail;
        sides_.resize(side_count);
        map_stage_.resize(side_count);
        executor_.for_each("sweep: sides", side_count,
                           sd::MakeSides{step, settings, sides_.data(), map_stage_.counts.data()},
                           32);
        map_stage_.scan(executor_, "sweep: scan");
        const std::int64_t room = rooms.open(executor_, map_stage_.total(), 4 * side_count);
        maps_.resize(room);
        executor_.for_each(
            "sweep: maps", room,
            sd::MakeMaps{sides_.data(), side_count, map_stage_.offsets.data(), maps_.data()}, 64);
        executor_.for_each("sweep: attach maps", side_count,
                           sd::AttachMaps{sides_.data(), map_stage_.offsets.data(), maps_.data(),
                                          static_cast<std::uint64_t>(room)});
    }

    void test_all_points(const sweep_detail::SweepLevel& level, std::int64_t room,
                         std::int64_t side_count, StepRooms& rooms, SweptPoints& found) {
        namespace sd = sweep_detail;
        point_stage_.resize(room);
        tested_.resize(room);
        if (settings.has_faces) {
            test_points(executor_, room,
                        sd::TestPoints<true>{level.sides, level.items, level.count,
                                             point_stage_.counts.data(), tested_.data()},
                        cursor_.data());
        } else {
            test_points(executor_, room,
                        sd::TestPoints<false>{level.sides, level.items, level.count,
                                              point_stage_.counts.data(), tested_.data()},
                        cursor_.data());
        }
        point_stage_.scan(executor_, "sweep: scan");
        const std::int64_t found_room = rooms.open(executor_, point_stage_.total(), room / 4);
        found.points.resize(found_room);
        executor_.for_each(
            "sweep: store points", room,
            sd::StoreSweptPoints{tested_.data(), point_stage_.counts.data(),
                                 point_stage_.offsets.data(),
                                 static_cast<std::uint64_t>(found_room), found.points.data()});
        found.offsets.resize(side_count + 1);
        executor_.for_each(
            "sweep: offsets of sides", side_count + 1,
            sd::OffsetsOfSides{level.items, level.count ? level.count : point_stage_.total(),
                               point_stage_.offsets.data(), static_cast<std::uint64_t>(room),
                               found.offsets.data()});
    }

    void count_figures(const PairStep& step, std::int64_t side_count, int level_count,
                       StepRooms& rooms) {
        namespace sd = sweep_detail;
        executor_.reduce("sweep: roots", side_count, sd::LooksAtRoot{sides_.data(), level_count},
                         AddValues{}, std::uint64_t{0}, root_count_.data());
        executor_.reduce("sweep: pairs without points", step.pair_room, sd::LacksPoints{step},
                         AddValues{}, std::uint64_t{0}, lack_count_.data());
        stages_.roots = rooms.watch(root_count_.data());
        stages_.lacks = rooms.watch(lack_count_.data());
    }

    Executor& executor_;
    Buffer<SweptSide> sides_;
    CountedStage map_stage_;
    Buffer<AffineMap> maps_;
    std::vector<Level> levels_;
    CountedStage point_stage_;
    Buffer<SweptPoint> tested_;
    Buffer<std::uint64_t> root_count_, lack_count_, cursor_;  // one each
    struct Stages {
        int level_count;
        std::size_t totals[sweep_detail::kMaxSweepLevels];
        std::size_t roots, lacks;
    };
    Stages stages_{};
};

template <class Executor>
SweepSearch<Executor>::SweepSearch(Executor& executor, float gap, const SweepOptions& options)
    : parts_(std::make_unique<Parts>(executor, gap, options)) {}
template <class Executor>
SweepSearch<Executor>::~SweepSearch() = default;
template <class Executor>
void SweepSearch<Executor>::find(const PairStep& step, StepRooms& rooms, SweptPoints& found) {
    parts_->find(step, rooms, found);
}
template <class Executor>
const SweptSide* SweepSearch<Executor>::sides() const {
    return parts_->sides();
}
template <class Executor>
int SweepSearch<Executor>::sides_per_pair() const {
    return parts_->settings.sides_per_pair();
}
template <class Executor>
void SweepSearch<Executor>::report(const StepRooms& rooms, StepReport& report) const {
    parts_->report(rooms, report);
}

}  // namespace graze
