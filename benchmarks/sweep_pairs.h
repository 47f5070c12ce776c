// SweepPairs: a body in many random motions against a fixed copy of itself, all in one batch of
// SweepSearch, on either machine; and the same point by point.
#pragma once

#include <vector>

#include "benchmarks/sweep_models.h"
#include "benchmarks/sweep_poses.h"
#include "detection/body_lists.h"
#include "field/segments/level_times.h"
#include "narrow_phase/sweep/sweep_search.h"
#include "parallel/fill.h"

namespace graze {

// Pair p is of body 0, whose field is asked, and of body p + 1, which has the points and moves.
template <class Executor>
class SweepPairs {
public:
    // host_visible: host memory that the executor copies from and to.
    SweepPairs(Executor& executor, Memory& host_visible, const SweepModel& model,
               const std::vector<PosePair>& poses)
        : executor_(executor),
          table_(executor, {.field = true, .points = true}),
          bodies_(executor, host_visible),
          pairs_(executor.memory()),
          pair_count_(executor.memory(), 1),
          rooms_(host_visible),
          search_(executor, 0, {.motion = SweepMotion::straight, .roles = SweepRoles::points_of_b}),
          found_(executor.memory()) {
        Scene scene;
        scene.add(model.shape);
        std::vector<IndexPair> pairs;
        pairs.reserve(poses.size());
        for (const PosePair& pose : poses) {
            const std::uint32_t body = scene.add(model.shape, pose.t0);
            scene.set_motion(body, pose.t0, pose.t1);
            pairs.push_back({0, body});
        }
        bodies_.update(scene, true, table_);
        upload(executor_, "upload pairs", pairs, pairs_);
        executor_.for_each("count pairs", 1, Fill<std::uint64_t>{pair_count_.data(), pairs.size()});
        executor_.wait();
    }

    // Issues one attempt.
    void issue() {
        rooms_.begin();
        search_.find({table_.lists(),
                      bodies_.shapes(),
                      bodies_.poses(),
                      bodies_.poses_t1(),
                      nullptr,
                      pairs_.data(),
                      pair_count_.data(),
                      pairs_.size(),
                      {}},
                     rooms_, found_);
        rooms_.read(executor_);
    }
    // Searches until all rooms suffice.
    void settle() {
        do {
            issue();
            executor_.wait();
        } while (!rooms_.settle());
    }

    const SweptPoints& found() const { return found_; }
    std::int64_t hit_count() const { return executor_.read(found_.total()); }
    StepReport report() const {
        StepReport report;
        search_.report(rooms_, report);
        return report;
    }
    // The side of pair p, in the executor's memory.
    const SweptSide* side(std::int64_t p) const { return search_.sides() + 2 * p + 1; }
    std::int64_t side_index(std::int64_t p) const { return 2 * p + 1; }

private:
    Executor& executor_;
    ShapeTable<Executor, NoTextures> table_;
    BodyLists<Executor> bodies_;
    Buffer<IndexPair> pairs_;
    Buffer<std::uint64_t> pair_count_;
    StepRooms rooms_;
    SweepSearch<Executor> search_;
    SweptPoints found_;
};

// The time when a point of a side is first inside, by its whole path and nothing else.
struct FirstTimeOfPoint {
    const SweptSide& side;
    float* times;  // out, in the order of the tree

    void operator()(std::int64_t i) const {
        const Vec3 point = side.tree.points[i];
        times[i] =
            first_time_inside(side.field, side.maps[0](point), side.maps[1](point), side.level);
    }
};

}  // namespace graze
