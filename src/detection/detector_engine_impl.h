// A detector's step, on either machine and for any method: boxes, pairs, contacts, what is kept of
// them.
//
// Where contacts are reduced, they may be many more in between than in the end. A method that says
// so (method_table.h) then gets pairs in slices, whose contacts are reduced before the next slice
// is searched. Pairs know nothing of each other, so that the answer is the same.
#pragma once

#include "broad_phase/body_boxes.h"
#include "contacts/reduce_contacts.h"
#include "detection/body_lists.h"
#include "detection/detector_engine.h"
#include "detection/method_table.h"
#include "narrow_phase/features/grow_list.h"
#include "parallel/fill.h"
#include "parallel/trace.h"

namespace graze {

// Where the contacts of a slice begin in the whole list.
struct AppendOffset {
    const std::uint64_t* from;
    std::uint64_t before;
    std::uint64_t* to;  // out

    GRAZE_HD void operator()(std::int64_t i) const { to[i] = before + from[i]; }
};

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
          most_pairs_(most_pairs<Executor>(method, options)),
          table_(executor_, method_->needs()),
          bodies_(executor_, host_visible),
          boxes_(executor_.memory()),
          pairs_{BodyPairs(executor_.memory()), BodyPairs(executor_.memory())},
          host_pairs_(host_visible),
          rooms_(host_visible),
          found_(executor_.memory()),
          kept_{ContactList(executor_.memory()), ContactList(executor_.memory())},
          reduce_workspace_(executor_.memory()),
          slice_rooms_(host_visible),
          slice_count_(executor_.memory()),
          slice_(executor_.memory()),
          spare_contacts_(executor_.memory()),
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
        Stages stages{};
        bool fits = false;
        while (!fits) {
            stages = issue(pairs);
            executor_.wait();
            fits = rooms_.settle();
            fill_report(stages);
        }
        if (stages.is_sliced) search_slices();
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
        bool is_sliced;  // the search is still to come, in slices
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
        stages.is_sliced = pair_room > most_pairs_;
        if (stages.is_sliced) {
            rooms_.read(executor_);
            return stages;
        }

        const bool is_reduced = graze::is_reduced(options_.reduction);
        ContactList& found = is_reduced ? found_ : result();
        method_->find(pair_step(0, pairs.count.data(), pair_room), rooms_, found);
        if (is_reduced) {
            reduce_contacts(executor_, options_.reduction, found, result(), reduce_workspace_);
        }
        stages.kept = rooms_.watch(result().total());
        rooms_.read(executor_);
        copy_ahead();
        return stages;
    }

    // The step of the pairs from one on.
    PairStep pair_step(std::int64_t first, const std::uint64_t* count, std::int64_t room) const {
        return {table_.lists(),  bodies_.shapes(),
                bodies_.poses(), bodies_.poses_t1(),
                boxes_.data(),   pairs_[current_].pairs.data() + first,
                count,           room,
                last_contacts(), bodies_.last_bodies()};
    }

    // Searches the pairs, whose number the report has, slice by slice. Waits after each.
    void search_slices() {
        const std::int64_t pair_count = report_.pair_count;
        const std::int64_t slice_count =
            max_of((pair_count - 1) / most_pairs_ + 1, std::int64_t{1});
        report_.contact_count = report_.found_count = 0;
        report_.figures.clear();
        result().offsets.resize(pair_count + 1);
        result().contacts.resize(0);
        slice_count_.resize(1);
        for (std::int64_t slice = 0; slice < slice_count; ++slice) {
            const std::int64_t first = pair_count * slice / slice_count;
            const std::int64_t end = pair_count * (slice + 1) / slice_count;
            search_slice(first, end - first);
        }
        copied_count_ = 0;
        take_trace();
    }

    void search_slice(std::int64_t first, std::int64_t count) {
        executor_.for_each(
            "slice: count", 1,
            Fill<std::uint64_t>{slice_count_.data(), static_cast<std::uint64_t>(count)});
        StepReport report;
        for (bool fits = false; !fits;) {
            slice_rooms_.begin();
            method_->find(pair_step(first, slice_count_.data(), count), slice_rooms_, found_);
            reduce_contacts(executor_, options_.reduction, found_, slice_, reduce_workspace_);
            const std::size_t kept = slice_rooms_.watch(slice_.total());
            slice_rooms_.read(executor_);
            executor_.wait();
            fits = slice_rooms_.settle();
            report.figures.clear();
            report.contact_count = static_cast<std::int64_t>(slice_rooms_.total(kept));
            method_->report(slice_rooms_, report);
            refuse_what_has_no_room(slice_rooms_);
        }
        append_slice(first, count, report.contact_count);
        report_.contact_count += report.contact_count;
        report_.found_count += report.found_count;
        report_.figures.resize(report.figures.size());
        for (std::size_t i = 0; i < report.figures.size(); ++i) {
            report_.figures[i].name = report.figures[i].name;
            report_.figures[i].value += report.figures[i].value;
        }
    }

    // Puts the contacts of a slice behind those of the slices before it.
    void append_slice(std::int64_t first, std::int64_t count, std::int64_t contact_count) {
        const std::int64_t before = report_.contact_count;
        grow_list(executor_, "slice: grow", before, before + contact_count, result().contacts,
                  spare_contacts_);
        executor_.copy("slice: append", slice_.contacts.data(), result().contacts.data() + before,
                       contact_count);
        executor_.for_each("slice: offsets", count + 1,
                           AppendOffset{slice_.offsets.data(), static_cast<std::uint64_t>(before),
                                        result().offsets.data() + first});
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
        if (!stages.is_sliced) {
            report_.contact_count = count_of(stages.kept);
            report_.figures.clear();
            method_->report(rooms_, report_);
        }
        refuse_what_has_no_room(rooms_);
        take_trace();
    }
    static void refuse_what_has_no_room(const StepRooms& rooms) {
        if (rooms.is_beyond_any_room()) {
            throw Error(
                "detector: a step needs room for more than 2^36 candidates; make the gap or the "
                "motion smaller, or give meshes of fewer triangles");
        }
    }
    void take_trace() {
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
    std::int64_t most_pairs_;  // at once
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
    // Where pairs come in slices.
    StepRooms slice_rooms_;
    Buffer<std::uint64_t> slice_count_;  // one: of pairs
    ContactList slice_;                  // what is kept of a slice
    Buffer<Contact> spare_contacts_;
    Buffer<Contact> host_contacts_;
    std::int64_t copied_count_ = 0;
};

}  // namespace graze
