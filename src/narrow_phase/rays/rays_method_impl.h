// Method::rays, after Lehericey, Gouranton and Arnaldi, "New Iterative Ray-Traced Collision
// Detection Algorithm for GPU Architectures" and "Ray-Traced Collision Detection: Interpenetration
// Control and Multi-GPU Performance" (2013), which begin with Hermann et al., "Ray-Traced Collision
// Detection for Deformable Bodies" (2008).
//
// Each vertex in the intersection of two bodies' boxes casts a ray against its normal, into its own
// body. Where it meets the other body from inside before it leaves its own, the vertex is a
// contact. A ray that did so, or that meets the other body in the opposite direction within a short
// distance, is followed in the next steps from the triangle that it met to that triangle's
// neighbours, as long as the pair moves little.
//
// All pairs of a step are one batch, of both orders, in stages that count, scan and fill:
//
//     pairs -> blocks of 32 vertices of either body -> vertices in the region that do not sleep, a
//     ray each -> rays that follow from the last step are walked -> all others, close together, are
//     cast -> vertices far outside are put to sleep -> contacts
//
// Where graze differs: no thread is spent on a vertex outside the region; a vertex that enters the
// region, or whose walk does not arrive, is cast anew at once; the rays of a vertex end where they
// leave or meet its own body, which is known beforehand for each vertex; with a ray that is cast
// goes the distance of its vertex from the other surface, and until the pair has moved as far, a
// vertex outside needs no ray and one inside stays inside; thresholds are chosen for each pair by
// its size and speed; a body inside another is found.
#pragma once

#include "narrow_phase/rays/end_at_own_body.h"
#include "narrow_phase/rays/ray_contacts.h"
#include "narrow_phase/rays/rays_method.h"
#include "parallel/reductions.h"
#include "parallel/trace.h"

namespace graze {

// The fastest way to find first hits on an executor's machine: a class like CastWithoutStack.
template <class Executor>
struct FastestCaster;

// What a step leaves for the next one, in the executor's memory.
struct RayStates {
    explicit RayStates(Memory& memory)
        : pairs(memory),
          pair_count(memory, 1),
          block_offsets(memory),
          masks(memory),
          ray_offsets(memory),
          outcomes(memory),
          sleeping(memory) {}

    LastRays view() const {
        return {pairs.data(),       pair_count.data(), block_offsets.data(), masks.data(),
                ray_offsets.data(), outcomes.data(),   sleeping.data()};
    }

    Buffer<RayPairState> pairs;
    Buffer<std::uint64_t> pair_count;  // one
    Buffer<std::uint64_t> block_offsets;
    Buffer<std::uint32_t> masks;
    Buffer<std::uint64_t> ray_offsets;
    Buffer<RayOutcome> outcomes;
    Buffer<SleepingRays> sleeping;
};

template <class Executor>
class RaysMethod final : public MethodOn<Executor> {
public:
    RaysMethod(Executor& executor, const DetectorOptions& options)
        : executor_(executor),
          gap_(options.gap),
          options_(options.rays),
          states_{RayStates(executor.memory()), RayStates(executor.memory())},
          plans_(executor.memory()),
          block_counts_(executor.memory()),
          block_sides_(executor.memory()),
          ray_counts_(executor.memory()),
          items_(executor.memory()),
          to_cast_(executor.memory()),
          to_cast_count_(executor.memory(), 1),
          sleeping_count_(executor.memory(), 1),
          contact_counts_(executor.memory()),
          contact_offsets_(executor.memory()),
          contained_counts_(executor.memory()),
          contained_offsets_(executor.memory()),
          contained_(executor.memory()) {}

    ShapeNeeds needs() const override {
        return {.rays = true, .winding = options_.confirms_inside};
    }
    bool looks_into_step() const override { return false; }

    void find(const PairStep& step, StepRooms& rooms, ContactList& found) override {
        const RayItems items = list_rays(step, rooms);
        find_hits(items, rooms);
        put_to_sleep(items, rooms);
        store_contacts(items, rooms, found);
    }
    void keep() override {
        current_ = 1 - current_;
        has_last_ = options_.is_iterative;
    }

    void report(const StepRooms& rooms, StepReport& report) const override {
        const auto figure = [&](const char* name, std::size_t stage) {
            report.figures.push_back({name, static_cast<double>(rooms.total(stage))});
        };
        report.found_count = static_cast<std::int64_t>(rooms.total(stages_.contacts));
        figure("rays", stages_.rays);
        figure("sleeping_rays", stages_.sleeping);
        figure("cast_rays", stages_.cast_rays);
        figure("contained", stages_.contained);
    }

private:
    bool is_cautious() const { return options_.is_iterative && options_.is_cautious; }
    RayStates& state() { return states_[current_]; }
    LastRays last() const { return has_last_ ? states_[1 - current_].view() : LastRays{}; }

    RayItems list_rays(const PairStep& step, StepRooms& rooms) {
        RayStates& state = this->state();
        const std::int64_t side_count = 2 * step.pair_room;
        plans_.resize(step.pair_room);
        state.pairs.resize(step.pair_room);
        block_counts_.resize(side_count);
        state.block_offsets.resize(side_count + 1);
        executor_.for_each(
            "rays: count pairs", 1,
            KeepPairCount{step.pair_count, static_cast<std::uint64_t>(step.pair_room),
                          state.pair_count.data()});
        executor_.for_each("rays: plan pairs", step.pair_room,
                           PlanRayPair{step,
                                       last(),
                                       {options_, gap_},
                                       plans_.data(),
                                       state.pairs.data(),
                                       block_counts_.data()},
                           16);
        executor_.exclusive_scan("rays: scan", block_counts_.data(), state.block_offsets.data(),
                                 side_count);
        const std::int64_t block_room =
            rooms.open(executor_, state.block_offsets.data() + side_count);
        state.masks.resize(block_room);
        state.ray_offsets.resize(block_room + 1);
        state.sleeping.resize(block_room);
        block_sides_.resize(block_room);
        ray_counts_.resize(block_room);
        RayItems items{step,
                       plans_.data(),
                       state.block_offsets.data(),
                       block_sides_.data(),
                       state.masks.data(),
                       state.ray_offsets.data(),
                       nullptr,
                       static_cast<std::uint64_t>(block_room),
                       0};
        const MarkRayBlock mark{items,
                                last(),
                                side_count,
                                block_sides_.data(),
                                state.masks.data(),
                                state.sleeping.data(),
                                ray_counts_.data()};
        // On the host, sides that are at hand save looking for the side of each block.
        if (Executor::kIsHost && side_count > 0) {
            executor_.for_each("rays: mark vertices", side_count, MarkRaySide{mark}, 8);
        } else {
            executor_.for_each("rays: mark vertices", block_room, mark, 64);
        }
        executor_.exclusive_scan("rays: scan", ray_counts_.data(), state.ray_offsets.data(),
                                 block_room);
        const std::int64_t ray_room =
            rooms.open(executor_, state.ray_offsets.data() + block_room, 8 * block_room);
        stages_.rays = rooms.last();
        items_.resize(ray_room);
        items.items = items_.data();
        items.ray_room = static_cast<std::uint64_t>(ray_room);
        executor_.for_each(
            "rays: list", block_room,
            ListRays{state.masks.data(), state.ray_offsets.data(), items.ray_room, items_.data()});
        return items;
    }

    void find_hits(const RayItems& items, StepRooms& rooms) {
        RayStates& state = this->state();
        const std::int64_t ray_room = items_.size();
        state.outcomes.resize(ray_room);
        to_cast_.resize(ray_room);
        executor_.for_each(
            "rays: walk", ray_room,
            FollowRay{items, last(), options_.max_iterations, is_cautious(),
                      options_.waits && !is_cautious(), options_.predicts, state.outcomes.data()},
            256);
        executor_.compact("rays: list those to cast", ray_room,
                          IsRayToCast{items, state.outcomes.data()}, to_cast_.data(),
                          to_cast_count_.data());
        const std::int64_t cast_room = rooms.open(executor_, to_cast_count_.data(), ray_room);
        stages_.cast_rays = rooms.last();
        switch (options_.cast) {
            case RayCast::tree:
                return cast<FastestCaster<Executor>>(items, cast_room);
            case RayCast::stackless:
                return cast<CastWithoutStack>(items, cast_room);
            case RayCast::every_triangle:
                return cast<CastAtEveryTriangle>(items, cast_room);
        }
    }
    template <class Caster>
    void cast(const RayItems& items, std::int64_t cast_room) {
        executor_.for_each("rays: cast", min_of(cast_room, to_cast_.size()),
                           CastRayAnew<Caster>{items, to_cast_.data(), to_cast_count_.data(),
                                               is_cautious(), gap_, state().outcomes.data()},
                           64);
        if (!items.step.shapes.deform) return;
        executor_.for_each("rays: end at own body", min_of(cast_room, to_cast_.size()),
                           EndAtOwnBody<Caster>{items, to_cast_.data(), to_cast_count_.data(),
                                                is_cautious(), state().outcomes.data()},
                           64);
    }

    void put_to_sleep(const RayItems& items, StepRooms& rooms) {
        RayStates& state = this->state();
        if (is_cautious()) {
            executor_.for_each("rays: put to sleep", state.sleeping.size(),
                               PutRaysToSleep{items, state.outcomes.data(), state.sleeping.data()},
                               256);
        }
        executor_.reduce("rays: count sleeping", state.sleeping.size(),
                         CountSleeping{state.sleeping.data()}, AddValues{}, std::uint64_t{0},
                         sleeping_count_.data());
        stages_.sleeping = rooms.watch(sleeping_count_.data());
    }

    void store_contacts(const RayItems& items, StepRooms& rooms, ContactList& found) {
        const RayOutcome* outcomes = state().outcomes.data();
        const std::int64_t ray_room = items_.size();
        const std::int64_t side_count = 2 * items.step.pair_room;
        contact_counts_.resize(ray_room);
        contact_offsets_.resize(ray_room + 1);
        executor_.for_each(
            "rays: count contacts", ray_room,
            CountRayContacts<FastestCaster<Executor>>{
                items, outcomes, gap_, options_.confirms_inside, contact_counts_.data()},
            256);
        executor_.exclusive_scan("rays: scan", contact_counts_.data(), contact_offsets_.data(),
                                 ray_room);
        contained_counts_.resize(side_count);
        contained_offsets_.resize(side_count + 1);
        contained_.resize(side_count);
        executor_.for_each("rays: find contained", side_count,
                           FindContained<FastestCaster<Executor>>{
                               items, contact_offsets_.data(), options_.confirms_inside,
                               contained_counts_.data(), contained_.data()},
                           64);
        executor_.exclusive_scan("rays: scan", contained_counts_.data(), contained_offsets_.data(),
                                 side_count);
        stages_.contained = rooms.watch(contained_offsets_.data() + side_count);

        const RayContactOffsets offsets{items, contact_offsets_.data(), contained_offsets_.data()};
        found.offsets.resize(items.step.pair_room + 1);
        executor_.for_each("rays: offsets of pairs", items.step.pair_room + 1,
                           OffsetOfRayPair{offsets, found.offsets.data()});
        const std::int64_t room = rooms.open(executor_, found.total(), ray_room / 8);
        stages_.contacts = rooms.last();
        found.contacts.resize(room);
        const auto limit = static_cast<std::uint64_t>(room);
        executor_.for_each("rays: store contacts", ray_room,
                           StoreRayContact{offsets, contact_counts_.data(), outcomes,
                                           options_.response, limit, found.contacts.data()},
                           256);
        executor_.for_each("rays: store contained", side_count,
                           StoreContained{offsets, contained_counts_.data(), contained_.data(),
                                          limit, found.contacts.data()});
    }

    Executor& executor_;
    float gap_;  // [m]
    RaysOptions options_;
    int current_ = 0;
    bool has_last_ = false;
    RayStates states_[2];  // of this step and of the last
    Buffer<RayPlan> plans_;
    Buffer<std::uint64_t> block_counts_;
    Buffer<std::uint32_t> block_sides_;
    Buffer<std::uint64_t> ray_counts_;
    Buffer<RayItem> items_;
    Buffer<std::uint64_t> to_cast_, to_cast_count_, sleeping_count_;
    Buffer<std::uint64_t> contact_counts_, contact_offsets_;
    Buffer<std::uint64_t> contained_counts_, contained_offsets_;
    Buffer<Contact> contained_;  // by side
    struct Stages {
        std::size_t rays, cast_rays, sleeping, contained, contacts;
    };
    Stages stages_{};
};

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_rays_method(Executor& executor,
                                                     const DetectorOptions& options) {
    return std::make_unique<RaysMethod<Executor>>(executor, options);
}

}  // namespace graze
