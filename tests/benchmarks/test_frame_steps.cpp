// Tests which frames a benchmark takes from a folder.
#include "benchmarks/frame_steps.h"

#include <gmock/gmock.h>

#include "tests/temporary_folder.h"

namespace graze {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;
using testing::write_bytes;

std::vector<int> numbers_of(const TemporaryFolder& folder, int interval) {
    std::vector<int> result;
    for (const auto& [number, file] : frames_for_steps(folder.path(), interval)) {
        EXPECT_EQ(std::stoi(file.stem().string()), number);
        result.push_back(number);
    }
    return result;
}

TEST(FrameSteps, TakesStepsBetweenSuccessiveNumbers) {
    TemporaryFolder folder;
    for (const char* name : {"00000.ply", "00001.ply", "00002.ply", "00004.ply", "00009.ply",
                             "00010.ply", "00011.ply", "notes.txt", "mesh1.ply", ".ply"})
        write_bytes(folder / name, "");
    EXPECT_THAT(numbers_of(folder, 1), ElementsAre(0, 1, 2, 9, 10, 11));
    EXPECT_THAT(numbers_of(folder, 2), ElementsAre(0, 1, 10, 11));
    EXPECT_THAT(numbers_of(folder, 10), ElementsAre(0, 1, 10, 11));
    EXPECT_THAT(numbers_of(folder, 9), ElementsAre(0, 1, 9, 10));
}

TEST(FrameSteps, RefusesFoldersWithoutAStep) {
    TemporaryFolder folder;
    EXPECT_THROW(frames_for_steps(folder.path(), 1), Error);
    EXPECT_THROW(frames_for_steps(folder / "missing", 1), Error);
    write_bytes(folder / "00001.ply", "");
    write_bytes(folder / "00003.ply", "");
    EXPECT_THROW(frames_for_steps(folder.path(), 1), Error);
    write_bytes(folder / "00002.ply", "");
    EXPECT_THROW(frames_for_steps(folder.path(), 3), Error);  // 3 and 4 would be needed
    EXPECT_EQ(frames_for_steps(folder.path(), 1).size(), 3u);
}

TEST(DeformingArguments, AreReadOrRefused) {
    const DeformingArguments arguments = parse_deforming_arguments(
        {"--frames", "a", "b", "--every", "20", "--search", "two-level-grid", "--threads", "2"});
    EXPECT_THAT(arguments.frame_folders, ElementsAre("a", "b"));
    EXPECT_EQ(arguments.frame_interval, 20);
    EXPECT_EQ(arguments.frame_search, PairSearch::two_level_grid);
    EXPECT_EQ(arguments.thread_count, 2);
    EXPECT_THROW(parse_deforming_arguments({"--frames"}), Error);
    EXPECT_THROW(parse_deforming_arguments({"--every", "0"}), Error);
    EXPECT_THROW(parse_deforming_arguments({"--search", "grid"}), Error);
    EXPECT_THROW(parse_deforming_arguments({"--claim"}), Error);
}

}  // namespace
}  // namespace graze
