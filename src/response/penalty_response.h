// PenaltyResponse: from the points that touch in a step to what acts on each body.
#pragma once

#include "parallel/reductions.h"
#include "response/penalty_sides.h"

namespace graze {

struct PenaltyRules {
    PenaltyLaw law;
    bool is_continuous;
    SweepOptions sweep;
};

template <class Executor>
class PenaltyResponse {
public:
    PenaltyResponse(Executor& executor, const PenaltyRules& rules)
        : executor_(executor),
          rules_(rules),
          sides_(executor.memory()),
          impulses_(executor.memory()),
          blocks_(executor.memory()),
          sums_(executor.memory()),
          bodies_(executor.memory()),
          sorted_bodies_(executor.memory()),
          entries_(executor.memory()),
          sorted_entries_(executor.memory()),
          deepest_(executor.memory(), 1) {}

    // Computes the force on each body, averaged over the step. Does not wait. Points beyond the
    // room of `swept` are left out; its owner knows then that the step is to be done again.
    void respond(const PenaltyStep& step, const SweptPoints& swept, BodyForce* forces) {
        namespace pd = penalty_detail;
        const std::int64_t side_room = 2 * step.pairs.pair_room;
        const std::int64_t room = swept.points.size();
        const std::uint64_t* total = swept.total();
        sides_.resize(side_room);
        executor_.for_each("penalty: sides", side_room,
                           pd::PrepareSide{step, rules_.sweep.motion == SweepMotion::rigid,
                                           rules_.sweep.tolerance, sides_.data()},
                           64);
        impulses_.resize(room);
        executor_.for_each(
            "penalty: integrate", room,
            pd::ImpulseOfPoint{step.pairs.shapes, step.pairs.shape_of_body, step.pairs.pairs,
                               sides_.data(), rules_.law, rules_.is_continuous, swept.points.data(),
                               total, impulses_.data()},
            8);
        blocks_.resize(room);
        executor_.for_each("penalty: sum blocks", room,
                           pd::SumBlockOfPoints{swept.points.data(), swept.offsets.data(), total,
                                                static_cast<std::uint64_t>(room), impulses_.data(),
                                                blocks_.data()},
                           1024);
        sums_.resize(side_room);
        executor_.for_each(
            "penalty: sum sides", side_room,
            pd::SumSide{step.pairs.pair_count, swept.offsets.data(),
                        static_cast<std::uint64_t>(room), blocks_.data(), sums_.data()});
        executor_.reduce("penalty: deepest", side_room, pd::DepthOfSide{sums_.data()},
                         LargerValue{}, 0.0f, deepest_.data());
        sum_bodies(step, side_room, forces);
    }

    const PenaltySide* sides() const { return sides_.data(); }
    const float* deepest() const { return deepest_.data(); }  // [m] of all points

private:
    void sum_bodies(const PenaltyStep& step, std::int64_t entry_count, BodyForce* forces) {
        namespace pd = penalty_detail;
        const auto body_count = static_cast<std::uint32_t>(step.body_count);
        bodies_.resize(entry_count);
        sorted_bodies_.resize(entry_count);
        entries_.resize(entry_count);
        sorted_entries_.resize(entry_count);
        executor_.for_each("penalty: entries", entry_count,
                           pd::BodyOfEntry{step.pairs.pairs, step.pairs.pair_count, body_count,
                                           bodies_.data(), entries_.data()});
        int bits = 1;
        while ((body_count >> bits) != 0)
            ++bits;
        executor_.sort_by_key("penalty: sort entries", bodies_.data(), sorted_bodies_.data(),
                              entries_.data(), sorted_entries_.data(), entry_count, bits);
        executor_.for_each(
            "penalty: sum bodies", step.body_count,
            pd::SumBody{sorted_bodies_.data(), sorted_entries_.data(), entry_count, sums_.data(),
                        step.bodies, static_cast<double>(step.duration), forces},
            64);
    }

    Executor& executor_;
    PenaltyRules rules_;
    Buffer<PenaltySide> sides_;
    Buffer<PointImpulse> impulses_;  // by swept point
    Buffer<SideSum> blocks_, sums_;
    Buffer<std::uint32_t> bodies_, sorted_bodies_, entries_, sorted_entries_;
    Buffer<float> deepest_;
};

}  // namespace graze
