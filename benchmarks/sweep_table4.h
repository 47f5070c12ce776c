// Table 4 of the paper on points against fields: a body falls on a fixed copy of itself, and the
// time of the search between the two is summed up over all steps, point by point and by the tree.
// Both searches are of the two bodies alone, at the poses that the simulation went through; that
// of the ground is in neither.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "benchmarks/call_times.h"
#include "benchmarks/sweep_models.h"
#include "detection/body_lists.h"
#include "field/field_program.h"
#include "field/segments/level_times.h"
#include "graze/penalty_simulation.h"
#include "narrow_phase/sweep/sweep_search.h"
#include "parallel/cpu_executor.h"
#include "parallel/fill.h"

namespace graze {

struct Table4Options {
    // The linear search is timed in every so-many-th step, and the time multiplied.
    int linear_stride = 1;
    int step_count = 0;  // 0: as many as the paper has frames
    std::string model;   // only this one; all where it is empty
};

// Both roles of two bodies, each point by itself along its straight path. [s]; adds the points that
// come inside to hit_count.
inline double linear_seconds_of_step(CpuExecutor& executor, const SceneDescription& scene,
                                     const BodyState (&t0)[2], const BodyState (&t1)[2],
                                     const std::uint32_t (&bodies)[2], std::int64_t& hit_count) {
    double milliseconds = 0;
    for (int side = 0; side < 2; ++side) {
        const Shape& points = scene.shapes[scene.bodies[bodies[side]].shape].shape;
        const Shape& other = scene.shapes[scene.bodies[bodies[1 - side]].shape].shape;
        const std::vector<Vec3>& positions = points.points().positions;
        const FieldView field = view_of(other.field());
        const Transform from = inverse(t0[1 - side].pose) * t0[side].pose;
        const Transform to = inverse(t1[1 - side].pose) * t1[side].pose;
        std::vector<float> times(positions.size());
        const CallTime time = time_call([&] {
            executor.for_each(
                "linear", static_cast<std::int64_t>(positions.size()), [&](std::int64_t i) {
                    times[i] = first_time_inside(field, transform_point(from, positions[i]),
                                                 transform_point(to, positions[i]), 0);
                });
        });
        milliseconds += time.cpu;
        hit_count += std::count_if(times.begin(), times.end(), [](float t) { return t <= 1; });
    }
    return milliseconds * 1e-3;
}

// Two bodies of a scene, whose points and fields are searched by the tree.
class DropSearch {
public:
    DropSearch(CpuExecutor& executor, const Shape& a, const Shape& b)
        : executor_(executor),
          table_(executor, {.field = true, .points = true}),
          bodies_(executor, executor.memory()),
          pairs_(executor.memory()),
          pair_count_(executor.memory(), 1),
          rooms_(executor.memory()),
          search_(executor, 0, {.motion = SweepMotion::straight}),
          found_(executor.memory()) {
        scene_.add(a);
        scene_.add(b);
        upload(executor_, "upload pairs", std::vector<IndexPair>{{0, 1}}, pairs_);
        executor_.for_each("count pairs", 1, Fill<std::uint64_t>{pair_count_.data(), 1});
    }

    // [s] of the search of a step.
    double seconds_of_step(const BodyState (&t0)[2], const BodyState (&t1)[2]) {
        for (std::uint32_t i = 0; i < 2; ++i)
            scene_.set_motion(i, t0[i].pose, t1[i].pose);
        bodies_.update(scene_, true, table_);
        const CallTime time = time_call([&] {
            do {
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
            } while (!rooms_.settle());
        });
        return time.cpu * 1e-3;
    }
    std::int64_t hit_count() const { return static_cast<std::int64_t>(*found_.total()); }

private:
    CpuExecutor& executor_;
    Scene scene_;
    ShapeTable<CpuExecutor, NoTextures> table_;
    BodyLists<CpuExecutor> bodies_;
    Buffer<IndexPair> pairs_;
    Buffer<std::uint64_t> pair_count_;
    StepRooms rooms_;
    SweepSearch<CpuExecutor> search_;
    SweptPoints found_;
};

inline void print_table_4_row(const PaperModel& paper, const Table4Options& options) {
    const std::filesystem::path file =
        std::filesystem::path(GRAZE_SOURCE_DIR) / "scenes" / paper.scene;
    SceneLoadOptions load;
    load.device = Device::cpu(1);
    const auto simulation = make_penalty_simulation(load_scene(file, load));
    const SceneDescription& scene = simulation->scene();
    // Body 0 is the ground.
    const std::uint32_t bodies[2] = {1, 2};
    const int step_count = options.step_count > 0 ? options.step_count : paper.frame_count;
    CpuExecutor executor(1);
    DropSearch drop(executor, scene.shapes[scene.bodies[1].shape].shape,
                    scene.shapes[scene.bodies[2].shape].shape);
    double tree = 0, linear = 0;
    std::int64_t timed_count = 0, linear_hits = 0, tree_hits = 0, touching_steps = 0;
    for (int step = 0; step < step_count; ++step) {
        const BodyState t0[2] = {simulation->states()[1], simulation->states()[2]};
        simulation->step();
        const BodyState t1[2] = {simulation->states()[1], simulation->states()[2]};
        tree += drop.seconds_of_step(t0, t1);
        touching_steps += drop.hit_count() > 0 ? 1 : 0;
        if (step % options.linear_stride != 0) continue;
        linear += linear_seconds_of_step(executor, scene, t0, t1, bodies, linear_hits);
        tree_hits += drop.hit_count();
        ++timed_count;
    }
    linear *= static_cast<double>(step_count) / static_cast<double>(timed_count);
    const std::size_t point_count =
        scene.shapes[scene.bodies[bodies[1]].shape].shape.points().positions.size();
    std::printf("%-10s %7zu %6d | %9.2f %9.4f %7.1fx | %7.1f %6.1f %6.1fx | %6lld %9lld %9lld\n",
                paper.name, point_count, step_count, linear, tree, linear / tree, paper.drop_linear,
                paper.drop_tree, paper.drop_linear / paper.drop_tree,
                static_cast<long long>(touching_steps), static_cast<long long>(linear_hits),
                static_cast<long long>(tree_hits));
    std::fflush(stdout);
}

inline void print_table_4(const Table4Options& options) {
    std::printf(
        "table 4: a body falls on a fixed copy, one thread; the search between the two [s of the "
        "processor]; steps "
        "with hits, and points that came inside, in the steps where both were searched\n");
    std::printf("%-10s %7s %6s | %9s %9s %8s | %7s %6s %7s | %6s %9s %9s\n", "", "points", "frames",
                "linear", "tree", "", "paper", "tree", "", "touch", "linear", "tree");
    for (const PaperModel& paper : kPaperModels) {
        if (options.model.empty() || options.model == paper.name) print_table_4_row(paper, options);
    }
}

}  // namespace graze
