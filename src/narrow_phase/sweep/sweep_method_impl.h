// Method::sweep: the points that SweepSearch finds, as contacts.
#pragma once

#include "narrow_phase/sweep/sweep_contacts.h"
#include "narrow_phase/sweep/sweep_method.h"
#include "narrow_phase/sweep/sweep_search_impl.h"

namespace graze {

template <class Executor>
class SweepMethod final : public MethodOn<Executor> {
public:
    SweepMethod(Executor& executor, const DetectorOptions& options)
        : executor_(executor),
          has_faces_(options.sweep.has_faces),
          search_(executor, options.gap, options.sweep),
          swept_(executor.memory()) {}

    ShapeNeeds needs() const override {
        return {.field = true, .points = true, .faces = has_faces_};
    }
    bool looks_into_step() const override { return true; }

    void find(const PairStep& step, StepRooms& rooms, ContactList& found) override {
        search_.find(step, rooms, swept_);
        found_stage_ = rooms.watch(swept_.total());
        const std::int64_t room = swept_.points.size();
        found.contacts.resize(room);
        executor_.for_each("sweep: contacts", room,
                           MakeSweepContact{step, search_.sides(), swept_.points.data(),
                                            swept_.total(), found.contacts.data()},
                           64);
        found.offsets.resize(step.pair_room + 1);
        executor_.for_each("sweep: offsets of pairs", step.pair_room + 1,
                           OffsetOfSweptPair{swept_.offsets.data(), search_.sides_per_pair(),
                                             found.offsets.data()});
    }

    void report(const StepRooms& rooms, StepReport& report) const override {
        report.found_count = static_cast<std::int64_t>(rooms.total(found_stage_));
        search_.report(rooms, report);
    }

private:
    Executor& executor_;
    bool has_faces_;
    SweepSearch<Executor> search_;
    SweptPoints swept_;
    std::size_t found_stage_ = 0;
};

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_sweep_method(Executor& executor,
                                                      const DetectorOptions& options) {
    return std::make_unique<SweepMethod<Executor>>(executor, options);
}

}  // namespace graze
