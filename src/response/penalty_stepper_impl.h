// A step of the solver penalty, on either machine, after Xu and Barbic (2014), section 4:
//
//     bodies move by the forces of the last step -> boxes of what they sweep -> pairs -> points
//     that come inside -> impulses of these -> forces for the next step
//
// A run issues all its steps at once. On a GPU only the device knows how many pairs and points
// there are; each stage has a room that stays the same during the run, and the largest counts of
// all its steps are read at the end. Where one was larger than its room, the run is done again,
// with more room, from the state in which it began.
#pragma once

#include <chrono>
#include <cmath>

#include "detection/shape_table.h"
#include "response/penalty_linear_search.h"
#include "response/penalty_motion.h"
#include "response/penalty_response.h"
#include "response/penalty_stepper.h"

namespace graze {

template <class Executor>
class PenaltyStepperOn final : public PenaltyStepper {
public:
    // host_visible: host memory that the executor copies from and to.
    template <class... ExecutorArguments>
    PenaltyStepperOn(const std::vector<PenaltyBody>& bodies, const PenaltySettings& settings,
                     Memory& host_visible, ExecutorArguments... executor_arguments)
        : executor_(executor_arguments...),
          settings_(settings),
          count_(static_cast<std::int64_t>(bodies.size())),
          table_(executor_, {.field = true, .points = true}),
          search_(executor_, settings.law.level, settings.sweep),
          linear_search_(executor_, settings.law.level),
          response_(executor_, {settings.law, settings.is_continuous, settings.sweep}),
          shape_of_body_(executor_.memory()),
          filters_(executor_.memory()),
          properties_(executor_.memory()),
          states_{Buffer<RigidState>(executor_.memory(), count_),
                  Buffer<RigidState>(executor_.memory(), count_)},
          saved_states_(executor_.memory(), count_),
          forces_(executor_.memory(), count_),
          saved_forces_(executor_.memory(), count_),
          poses_t0_(executor_.memory(), count_),
          poses_t1_(executor_.memory(), count_),
          boxes_(executor_.memory(), count_),
          pairs_(executor_.memory()),
          swept_(executor_.memory()),
          lost_count_(executor_.memory(), 1),
          contacts_(executor_.memory()),
          rooms_(host_visible),
          host_states_(host_visible, count_),
          host_forces_(host_visible, count_),
          host_deepest_(host_visible, 1),
          host_contacts_(host_visible) {
        upload_bodies(bodies);
    }

    void run(std::int64_t step_count) override {
        clear_report();
        while (step_count > 0)
            step_count -= run_batch(min_of(step_count, batch_));
        has_contacts_ = false;
    }

    std::span<const RigidState> states() const override {
        return {host_states_.data(), static_cast<std::size_t>(count_)};
    }
    std::span<const BodyForce> forces() const override {
        return {host_forces_.data(), static_cast<std::size_t>(count_)};
    }

    std::span<const Contact> contacts() override {
        if (!has_contacts_) make_contacts();
        has_contacts_ = true;
        return {host_contacts_.data(), static_cast<std::size_t>(host_contacts_.size())};
    }

    void set_motion(std::uint32_t body, const Vec3d& velocity,
                    const Vec3d& angular_velocity) override {
        RigidState& state = host_states_.data()[body];
        state.velocity = velocity;
        state.angular_velocity = angular_velocity;
        executor_.copy_from_host("bodies: upload", &state, states_[current_].data() + body, 1);
        executor_.wait();
    }

private:
    // Steps that are issued before the host looks whether they had room: twice as many each time,
    // up to this.
    static constexpr std::int64_t kMostAtOnce = 256;
    using Clock = std::chrono::steady_clock;

    void upload_bodies(const std::vector<PenaltyBody>& bodies) {
        std::vector<std::uint32_t> shapes;
        std::vector<BodyFilter> filters;
        std::vector<RigidProperties> properties;
        shapes.reserve(bodies.size());
        filters.reserve(bodies.size());
        properties.reserve(bodies.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            shapes.push_back(table_.index_of(bodies[i].shape));
            filters.push_back(bodies[i].filter);
            properties.push_back(bodies[i].properties);
            host_states_.data()[i] = bodies[i].state;
            host_forces_.data()[i] = {{0, 0, 0}, {0, 0, 0}};
        }
        table_.finish();
        upload(executor_, "bodies: upload", shapes, shape_of_body_);
        upload(executor_, "bodies: upload", filters, filters_);
        upload(executor_, "bodies: upload", properties, properties_);
        upload(executor_, "bodies: upload", host_states_, states_[0]);
        upload(executor_, "bodies: upload", host_forces_, forces_);
        executor_.wait();
    }

    // Returns how many steps were done: fewer than asked for where there was not room enough.
    std::int64_t run_batch(std::int64_t step_count) {
        // On the host every room is exact, and nothing is ever done again.
        if constexpr (!Executor::kIsHost) {
            executor_.copy("bodies: save", states_[current_].data(), saved_states_.data(), count_);
            executor_.copy("bodies: save", forces_.data(), saved_forces_.data(), count_);
        }
        const std::int64_t begin = step_;
        for (;;) {
            for (std::int64_t i = 0; i < step_count; ++i)
                issue_step(i > 0);
            read_back();
            executor_.wait();
            // On the host the rooms are those of the last step, and each was exact.
            if (rooms_.settle() || Executor::kIsHost) break;
            ++report_.repeat_count;
            step_ = begin;
            step_count = batch_ = max_of(step_count / 4, std::int64_t{1});
            executor_.copy("bodies: restore", saved_states_.data(), states_[current_].data(),
                           count_);
            executor_.copy("bodies: restore", saved_forces_.data(), forces_.data(), count_);
        }
        if (rooms_.is_beyond_any_room())
            throw Error("penalty: a step has more than 2^36 points to look at; give fewer bodies");
        report_.pair_count =
            max_of(report_.pair_count, static_cast<std::int64_t>(rooms_.total(pair_stage_)));
        report_.point_count =
            max_of(report_.point_count, static_cast<std::int64_t>(rooms_.total(point_stage_)));
        report_.lost_count = static_cast<std::int64_t>(rooms_.total(lost_stage_));
        report_.deepest = *host_deepest_.data();
        batch_ = min_of(2 * batch_, kMostAtOnce);
        return step_count;
    }

    void issue_step(bool keeps_larger_counts) {
        namespace pd = penalty_detail;
        Clock::time_point mark = Clock::now();
        RigidState* states_t0 = states_[current_].data();
        RigidState* states_t1 = states_[1 - current_].data();
        const double time = static_cast<double>(step_) * settings_.step.duration;
        rooms_.begin();
        executor_.for_each("bodies: move", count_,
                           pd::MoveBody{properties_.data(), forces_.data(), settings_.step, time,
                                        states_t0, states_t1, poses_t0_.data(), poses_t1_.data()},
                           64);
        add_time(report_.move_seconds, mark);

        // The discrete method looks at the step's end only.
        const bool is_continuous = settings_.is_continuous;
        const Transform* begins = is_continuous ? poses_t0_.data() : poses_t1_.data();
        const Transform* ends = is_continuous ? poses_t1_.data() : nullptr;
        executor_.for_each("bodies: boxes", count_,
                           pd::BoxOfPresent{{table_.bounds(), shape_of_body_.data(), begins, ends,
                                             settings_.law.level * 0.5f, boxes_.data()},
                                            states_t1},
                           64);
        if constexpr (!Executor::kIsHost) pairs_.pairs.resize(rooms_.next_room());
        find_body_pairs(executor_, boxes_.data(), filters_.data(), count_, pairs_);
        const std::int64_t pair_room = rooms_.open(executor_, pairs_.count.data());
        pair_stage_ = rooms_.last();
        add_time(report_.pair_seconds, mark);

        step_view_ = {{table_.lists(), shape_of_body_.data(), begins, ends, boxes_.data(),
                       pairs_.pairs.data(), pairs_.count.data(), pair_room, LastContacts{}},
                      states_t0,
                      states_t1,
                      properties_.data(),
                      count_,
                      static_cast<float>(settings_.step.duration)};
        if (settings_.is_linear) {
            linear_search_.find(step_view_.pairs, rooms_, swept_);
        } else {
            search_.find(step_view_.pairs, rooms_, swept_);
        }
        point_stage_ = rooms_.watch(swept_.total());
        add_time(report_.search_seconds, mark);

        response_.respond(step_view_, swept_, forces_.data());
        executor_.reduce("bodies: lost", count_, pd::IsLost{states_t1}, AddValues{},
                         std::uint64_t{0}, lost_count_.data());
        lost_stage_ = rooms_.watch(lost_count_.data());
        rooms_.read(executor_, keeps_larger_counts);
        add_time(report_.force_seconds, mark);
        current_ = 1 - current_;
        ++step_;
    }

    void read_back() {
        executor_.copy_to_host("bodies: read", states_[current_].data(), host_states_.data(),
                               count_);
        executor_.copy_to_host("bodies: read", forces_.data(), host_forces_.data(), count_);
        executor_.copy_to_host("bodies: read", response_.deepest(), host_deepest_.data(), 1);
    }

    void make_contacts() {
        namespace pd = penalty_detail;
        const std::int64_t count =
            step_ == 0 ? 0 : static_cast<std::int64_t>(executor_.read(swept_.total()));
        contacts_.resize(count);
        host_contacts_.resize(count);
        executor_.for_each(
            "contacts: make", count,
            pd::ContactOfPoint{step_view_, response_.sides(), settings_.is_continuous,
                               settings_.law.level, swept_.points.data(), contacts_.data()},
            64);
        executor_.copy_to_host("contacts: read", contacts_.data(), host_contacts_.data(), count);
        executor_.wait();
    }

    void clear_report() {
        report_.pair_count = report_.point_count = 0;
        report_.move_seconds = report_.pair_seconds = report_.search_seconds = 0;
        report_.force_seconds = 0;
    }
    static void add_time(double& seconds, Clock::time_point& mark) {
        if constexpr (Executor::kIsHost) {
            const Clock::time_point now = Clock::now();
            seconds += std::chrono::duration<double>(now - mark).count();
            mark = now;
        }
    }

    Executor executor_;
    PenaltySettings settings_;
    std::int64_t count_;
    std::int64_t step_ = 0;
    std::int64_t batch_ = 1;  // steps of the next batch at most
    ShapeTable<Executor, NoTextures> table_;
    SweepSearch<Executor> search_;
    LinearPointSearch<Executor> linear_search_;
    PenaltyResponse<Executor> response_;

    // By body, in the executor's memory.
    Buffer<std::uint32_t> shape_of_body_;
    Buffer<BodyFilter> filters_;
    Buffer<RigidProperties> properties_;
    Buffer<RigidState> states_[2];  // now, and where the step takes it
    Buffer<RigidState> saved_states_;
    Buffer<BodyForce> forces_, saved_forces_;  // for the next step
    Buffer<Transform> poses_t0_, poses_t1_;
    Buffer<Aabb> boxes_;
    int current_ = 0;

    BodyPairs pairs_;
    SweptPoints swept_;
    Buffer<std::uint64_t> lost_count_;
    PenaltyStep step_view_{};  // the last step
    Buffer<Contact> contacts_;
    StepRooms rooms_;
    std::size_t pair_stage_ = 0, point_stage_ = 0, lost_stage_ = 0;

    Buffer<RigidState> host_states_;
    Buffer<BodyForce> host_forces_;
    Buffer<float> host_deepest_;
    Buffer<Contact> host_contacts_;
    bool has_contacts_ = false;
};

}  // namespace graze
