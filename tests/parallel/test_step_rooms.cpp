// The rooms of a step grow to what is needed, shrink when that is little for long, and are exact on
// the host.
#include "parallel/step_rooms.h"

#include <gtest/gtest.h>

#include "parallel/cpu_executor.h"

namespace graze {
namespace {

// This works on the host as a device does: counts are known when the step is done.
struct LateExecutor {
    static constexpr bool kIsHost = false;
    template <class Work>
    void for_each(const char* /*name*/, std::int64_t count, const Work& work) {
        for (std::int64_t i = 0; i < count; ++i)
            work(i);
    }
};

class Step {
public:
    // The rooms that two stages got in the attempt that fitted, and how many attempts it took.
    struct Outcome {
        std::int64_t first, second;
        int attempt_count;
    };
    Outcome run(std::uint64_t first, std::uint64_t second) {
        const std::uint64_t counts[2] = {first, second};
        for (int attempt = 1;; ++attempt) {
            rooms.begin();
            const std::int64_t first_room = rooms.open(executor, counts, 10);
            const std::int64_t second_room = rooms.open(executor, counts + 1);
            rooms.read(executor);
            if (rooms.settle()) return {first_room, second_room, attempt};
            if (attempt > 5) throw Error("no end");
        }
    }

    LateExecutor executor;
    StepRooms rooms{host_memory()};
};

TEST(StepRooms, GrowUntilEverythingFits) {
    Step step;
    const auto first = step.run(1000, 40);
    EXPECT_EQ(first.attempt_count, 2);
    EXPECT_GE(first.first, 1000);
    EXPECT_GE(first.second, 40);
    EXPECT_EQ(step.rooms.total(0), 1000u);
    const auto steady = step.run(1100, 45);  // within the quarter more
    EXPECT_EQ(steady.attempt_count, 1);
    EXPECT_EQ(steady.first, first.first);
    EXPECT_EQ(step.run(9, 0).attempt_count, 1);
}

TEST(StepRooms, BeginWithTheGuess) {
    Step step;
    const auto outcome = step.run(10, 0);
    EXPECT_EQ(outcome.attempt_count, 1);
    EXPECT_EQ(outcome.first, 10);
    EXPECT_EQ(outcome.second, 0);
}

TEST(StepRooms, ShrinkWhenLittleIsNeededForLong) {
    Step step;
    const std::int64_t large = step.run(1'000'000, 0).first;
    std::int64_t room = large;
    int steps = 0;
    for (; room == large && steps < 100; ++steps)
        room = step.run(100, 0).first;
    EXPECT_LT(room, 1000);
    EXPECT_GT(steps, 8);  // not at once: a scene may calm down for a moment
    EXPECT_EQ(step.run(100, 0).attempt_count, 1);
}

// A count beyond any memory is an error of whoever counted; it must not be taken for a need.
TEST(StepRooms, AbsurdNumbersGetNoRoom) {
    Step step;
    const auto outcome = step.run(std::uint64_t{1} << 40, 7);
    EXPECT_LE(outcome.first, 10);
    EXPECT_GE(step.rooms.total(0), std::uint64_t{1} << 40);
    EXPECT_TRUE(step.rooms.is_beyond_any_room());
    step.run(5, 5);
    EXPECT_FALSE(step.rooms.is_beyond_any_room());
}

TEST(StepRooms, AreExactOnTheHost) {
    CpuExecutor executor;
    StepRooms rooms(host_memory());
    for (const std::uint64_t count : {1000u, 3u, 0u}) {
        rooms.begin();
        EXPECT_EQ(rooms.open(executor, &count, 50), static_cast<std::int64_t>(count));
        rooms.read(executor);
        EXPECT_TRUE(rooms.settle());
        EXPECT_EQ(rooms.total(rooms.last()), count);
    }
}

}  // namespace
}  // namespace graze
