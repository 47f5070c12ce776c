// A detector's step, on either machine and for any method: boxes, pairs, contacts, what is kept of
// them.
#pragma once

#include "broad_phase/body_boxes.h"
#include "contacts/reduce_contacts.h"
#include "detection/body_lists.h"
#include "detection/detector_engine.h"
#include "detection/method_table.h"
#include "parallel/fill.h"
#include "parallel/trace.h"

namespace graze {

// Textures: ShapeTextures, or NoTextures on machines that have none.
template <class Executor, class Textures>
class DetectorEngineOn final : public DetectorEngine {
public:
    // host_visible: host memory that the executor copies from and to.
    template <class... ExecutorArguments>
    DetectorEngineOn(Method method, const DetectorOptions& options, Memory& host_visible,
                     ExecutorArguments... executor_arguments)
        : DetectorEngine(options),
          executor_(executor_arguments...),
          method_(make_method(method, executor_, options)),
          table_(executor_, method_->needs()),
          bodies_(executor_, host_visible),
          boxes_(executor_.memory()),
          pairs_{BodyPairs(executor_.memory()), BodyPairs(executor_.memory())},
          host_pairs_(host_visible),
          rooms_(host_visible),
          found_(executor_.memory()),
          kept_{ContactList(executor_.memory()), ContactList(executor_.memory())},
          reduce_workspace_(executor_.memory()),
          host_contacts_(host_visible) {}

    std::span<const Contact> detect(const Scene& scene,
                                    const std::span<const BodyPair>* pairs) override {
        // What a step that threw left at work is done before its memory is used again.
        if (!is_whole_) executor_.wait();
        has_last_ = is_whole_;
        is_whole_ = false;
        trace_.clear();
        bodies_.update(scene, method_->looks_into_step(), table_);
        if (method_->needs().rays) bodies_.follow(scene);
        current_ = 1 - current_;
        if (pairs) take(*pairs);
        // Each attempt learns at least the numbers of one stage more.
        bool fits = false;
        while (!fits) {
            const Stages stages = issue(pairs);
            executor_.wait();
            fits = rooms_.settle();
            fill_report(stages);
        }
        const std::span<const Contact> contacts = contacts_on_host();
        method_->keep();
        is_whole_ = true;
        return contacts;
    }

    void set_timing(bool is_on) override { executor_.set_trace(is_on ? &trace_ : nullptr); }
    ShapeNeeds needs() const override { return method_->needs(); }
    bool looks_into_step() const override { return method_->looks_into_step(); }

private:
    struct Stages {
        std::size_t pairs, kept;
    };

    ContactList& result() { return kept_[current_]; }

    void take(std::span<const BodyPair> given) {
        const auto count = static_cast<std::int64_t>(given.size());
        host_pairs_.resize(count);
        for (std::int64_t i = 0; i < count; ++i) {
            const BodyPair pair = given[static_cast<std::size_t>(i)];
            host_pairs_.data()[i] = {pair.body_a, pair.body_b};
        }
        BodyPairs& pairs = pairs_[current_];
        upload(executor_, "pairs: upload", host_pairs_, pairs.pairs);
        pairs.count.resize(1);
        executor_.for_each("pairs: count", 1,
                           Fill<std::uint64_t>{pairs.count.data(), given.size()});
    }

    // The whole step, without waiting.
    Stages issue(const std::span<const BodyPair>* given) {
        rooms_.begin();
        boxes_.resize(bodies_.count());
        executor_.for_each("bodies: boxes", bodies_.count(),
                           BodyBoxes{table_.bounds(), bodies_.shapes(), bodies_.poses(),
                                     bodies_.poses_t1(), options_.gap * 0.5f, boxes_.data()});
        BodyPairs& pairs = pairs_[current_];
        if (!given) {
            if constexpr (!Executor::kIsHost) pairs.pairs.resize(rooms_.next_room());
            find_body_pairs(executor_, boxes_.data(), bodies_.filters(), bodies_.count(), pairs);
        }
        Stages stages{};
        std::int64_t pair_room = pairs.pairs.size();
        if (given) {
            rooms_.watch(pairs.count.data());
        } else {
            pair_room = rooms_.open(executor_, pairs.count.data());
        }
        stages.pairs = rooms_.last();

        const bool is_reduced = graze::is_reduced(options_.reduction);
        ContactList& found = is_reduced ? found_ : result();
        method_->find({table_.lists(), bodies_.shapes(), bodies_.poses(), bodies_.poses_t1(),
                       boxes_.data(), pairs.pairs.data(), pairs.count.data(), pair_room,
                       last_contacts(), bodies_.last_bodies()},
                      rooms_, found);
        if (is_reduced) {
            reduce_contacts(executor_, options_.reduction, found, result(), reduce_workspace_);
        }
        stages.kept = rooms_.watch(result().total());
        rooms_.read(executor_);
        copy_ahead();
        return stages;
    }

    LastContacts last_contacts() const {
        if (!has_last_) return {};
        const ContactList& last = kept_[1 - current_];
        const BodyPairs& pairs = pairs_[1 - current_];
        return {last.contacts.data(), last.offsets.data(),
                pairs.pairs.data(),   pairs.count.data(),
                bodies_.last_poses(), static_cast<std::uint32_t>(bodies_.last_count())};
    }

    // As many contacts as there were last time, and some more, so that a steady step need not wait
    // for their number before it copies them.
    void copy_ahead() {
        if constexpr (!Executor::kIsHost) {
            const std::int64_t count =
                min_of(result().contacts.size(), report_.contact_count + report_.contact_count / 4);
            host_contacts_.resize(max_of(host_contacts_.capacity(), count));
            copied_count_ = count;
            executor_.copy_to_host("contacts: copy", result().contacts.data(),
                                   host_contacts_.data(), count);
        }
    }

    std::span<const Contact> contacts_on_host() {
        const std::int64_t count = report_.contact_count;
        if constexpr (Executor::kIsHost) {
            return {result().contacts.data(), static_cast<std::size_t>(count)};
        } else {
            if (count > copied_count_) {
                host_contacts_.resize(count);
                executor_.copy_to_host("contacts: copy", result().contacts.data(),
                                       host_contacts_.data(), count);
                executor_.wait();
            }
            return {host_contacts_.data(), static_cast<std::size_t>(count)};
        }
    }

    void fill_report(const Stages& stages) {
        report_.pair_count = count_of(stages.pairs);
        report_.contact_count = count_of(stages.kept);
        report_.figures.clear();
        method_->report(rooms_, report_);
        if (rooms_.is_beyond_any_room()) {
            throw Error(
                "detector: a step needs room for more than 2^36 candidates; make the gap or the "
                "motion smaller, or give meshes of fewer triangles");
        }
        report_.stages.clear();
        for (const TraceEntry& entry : trace_.entries())
            report_.stages.push_back({entry.name, entry.seconds});
    }
    std::int64_t count_of(std::size_t stage) const {
        return static_cast<std::int64_t>(rooms_.total(stage));
    }

    Executor executor_;
    Trace trace_;
    std::unique_ptr<MethodOn<Executor>> method_;
    ShapeTable<Executor, Textures> table_;
    BodyLists<Executor> bodies_;
    Buffer<Aabb> boxes_;
    // Of this step and of the last, as the poses.
    int current_ = 0;
    bool has_last_ = false;
    bool is_whole_ = false;  // the last step came to its end
    BodyPairs pairs_[2];
    Buffer<IndexPair> host_pairs_;
    StepRooms rooms_;
    ContactList found_;    // where not all are kept
    ContactList kept_[2];  // what the user gets
    ReduceWorkspace reduce_workspace_;
    Buffer<Contact> host_contacts_;
    std::int64_t copied_count_ = 0;
};

}  // namespace graze
