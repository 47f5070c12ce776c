// A process that records is killed at any moment: whatever add() had returned for is in the file.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "graze/recording.h"
#include "tests/oracle/case_count.h"
#include "tests/recording/recording_cases.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

constexpr std::uint32_t kBodies = 30;

// Records until it is killed; one byte down the pipe for each frame that was added.
[[noreturn]] void record_forever(const std::filesystem::path& file, int progress) {
    try {
        RecordingWriter writer(file, testing::made_up_cloth_setup(kBodies));
        for (std::int64_t i = 0;; ++i) {
            const RecordingFrame frame = testing::made_up_cloth_frame(kBodies, i);
            writer.add(frame.time, frame.states, frame.contacts, frame.positions);
            const char done = 1;
            if (::write(progress, &done, 1) != 1) ::_exit(3);
        }
    } catch (...) {
        ::_exit(2);
    }
}

std::int64_t bytes_in(int pipe) {
    char bytes[65536];
    std::int64_t total = 0;
    for (;;) {
        const ssize_t got = ::read(pipe, bytes, sizeof bytes);
        if (got <= 0) return total;
        total += got;
    }
}

// How many frames were there at least, and what is in the file.
void kill_once(const std::filesystem::path& file, std::chrono::microseconds after) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::close(pipe[0]);
        record_forever(file, pipe[1]);
    }
    ::close(pipe[1]);
    // The first frame starts the clock.
    char first = 0;
    ASSERT_EQ(::read(pipe[0], &first, 1), 1);
    std::this_thread::sleep_for(after);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    const std::int64_t added = 1 + bytes_in(pipe[0]);
    ::close(pipe[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    const Recording recording(file);
    EXPECT_FALSE(recording.is_complete());
    EXPECT_FALSE(recording.why_incomplete().empty());
    // It may have been killed between the frame and the byte that tells of it.
    ASSERT_GE(recording.frame_count(), added);
    ASSERT_LE(recording.frame_count(), added + 1);
    for (std::int64_t i = 0; i < recording.frame_count(); ++i)
        ASSERT_TRUE(
            testing::is_recorded(recording.frame(i), testing::made_up_cloth_frame(kBodies, i)))
            << "frame " << i << " of " << recording.frame_count();
}

TEST(RecordingKilled, KeepsEveryFrameThatWasAdded) {
    const testing::TemporaryFolder folder;
    std::mt19937 moment(1);
    for (int round = 0; round < oracle::case_count(40); ++round) {
        kill_once(folder / "run.grec", std::chrono::microseconds(moment() % 20000));
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace graze
