// StepRooms: how much room the stages of a step get, where only the device knows how much they
// need.
//
// A stage that writes a varying number of elements would have the host wait for their count.
// Instead it gets the room that sufficed so far and writes no more than fits, and its true count
// stays on the device. At the end of the step the host reads all counts in one go; where one was
// larger than its room, rooms grow and the step runs again. A steady step therefore waits once and
// allocates nothing. On the host a count is known as soon as it is there, and every room is exact.
#pragma once

#include <array>
#include <cstdint>

#include "graze/vec3.h"
#include "parallel/buffer.h"

namespace graze {
namespace detail {

constexpr std::size_t kMaxStepStages = 32;

struct ReadCount {
    const std::uint64_t* counts[kMaxStepStages];  // by stage, in the executor's memory
    std::uint64_t* totals;
    bool keeps_larger;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (!keeps_larger || *counts[i] > totals[i]) totals[i] = *counts[i];
    }
};

}  // namespace detail

class StepRooms {
public:
    // A stage that asks for more than this is in error: it gets no room and never grows.
    static constexpr std::int64_t kMostRoom = std::int64_t{1} << 36;

    // host_visible is host memory that the executor writes to.
    explicit StepRooms(Memory& host_visible) : totals_(host_visible, kMaxStages) {}

    // Begins an attempt. The calls that follow come in the same order in each.
    void begin() { stage_count_ = 0; }

    // On the device, the room that open() will give next, for a stage that needs it before its
    // count is computed.
    std::int64_t next_room() const { return rooms_[stage_count_]; }

    // The room of the next stage. Its count is in the executor's memory once what was issued so far
    // is done, and stays there until read(). guess is the room to begin with.
    template <class Executor>
    std::int64_t open(Executor& executor, const std::uint64_t* count, std::int64_t guess = 0) {
        const std::size_t stage = watch(count);
        has_room_[stage] = true;
        if constexpr (Executor::kIsHost) {
            const std::uint64_t needed = executor.read(count);
            rooms_[stage] = needed > kMostRoom ? 0 : static_cast<std::int64_t>(needed);
        } else {
            rooms_[stage] = max_of(rooms_[stage], min_of(guess, kMaxGuess));
        }
        return rooms_[stage];
    }
    // Has a count read that needs no room; returns the index by which total() tells it.
    std::size_t watch(const std::uint64_t* count) {
        if (stage_count_ == kMaxStages) throw Error("a step has too many stages");
        read_.counts[stage_count_] = count;
        has_room_[stage_count_] = false;
        return stage_count_++;
    }
    // The stage that was opened last, and the one to be opened next.
    std::size_t last() const { return stage_count_ - 1; }
    std::size_t next() const { return stage_count_; }

    // Issues the reading of all counts. settle() and total() are for when the executor has waited.
    // Where several steps are issued before that, all but the first keep the larger counts.
    template <class Executor>
    void read(Executor& executor, bool keeps_larger = false) {
        read_.totals = totals_.data();
        read_.keeps_larger = keeps_larger;
        executor.for_each("step: counts", static_cast<std::int64_t>(stage_count_), read_);
    }
    // True where everything fitted; else there is more room now, a quarter more than was asked for.
    // Room that is far too large for many steps in a row is given up, since stages launch threads
    // for all of it.
    bool settle() {
        bool fits = true;
        for (std::size_t stage = 0; stage < stage_count_; ++stage) {
            const std::uint64_t needed = total(stage);
            if (has_room_[stage]) shrink(stage, static_cast<std::int64_t>(min_of(needed, kMost)));
            if (!has_room_[stage] || needed > kMostRoom ||
                needed <= static_cast<std::uint64_t>(rooms_[stage])) {
                continue;
            }
            rooms_[stage] = static_cast<std::int64_t>(needed + needed / 4);
            fits = false;
        }
        return fits;
    }
    // True where a stage of the last attempt asked for more than any room: what it wrote is not
    // complete, and never will be.
    bool is_beyond_any_room() const {
        for (std::size_t stage = 0; stage < stage_count_; ++stage) {
            if (has_room_[stage] && total(stage) > kMost) return true;
        }
        return false;
    }
    std::uint64_t total(std::size_t stage) const { return totals_.data()[stage]; }

private:
    static constexpr std::uint64_t kMost = static_cast<std::uint64_t>(kMostRoom);
    static constexpr int kPatience = 16;  // steps

    void shrink(std::size_t stage, std::int64_t needed) {
        const bool is_large = rooms_[stage] > 4 * needed + 1024;
        idle_steps_[stage] = is_large ? idle_steps_[stage] + 1 : 0;
        if (idle_steps_[stage] < kPatience) return;
        rooms_[stage] = needed + needed / 4;
        idle_steps_[stage] = 0;
    }

    static constexpr std::size_t kMaxStages = detail::kMaxStepStages;
    static constexpr std::int64_t kMaxGuess = std::int64_t{1} << 20;

    std::size_t stage_count_ = 0;
    std::array<std::int64_t, kMaxStages> rooms_{};
    std::array<bool, kMaxStages> has_room_{};
    std::array<int, kMaxStages> idle_steps_{};
    detail::ReadCount read_{};
    Buffer<std::uint64_t> totals_;
};

}  // namespace graze
