// What write_glb writes has no error and no warning for Khronos' gltf-validator.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "graze/extract_surface.h"
#include "graze/recording.h"
#include "tests/recording/recording_cases.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using testing::TemporaryFolder;

// The script's exit code.
int validate_glb(const std::filesystem::path& file) {
    const std::string script = std::string(GRAZE_SOURCE_DIR) + "/scripts/validate-glb";
    const int status = std::system(("'" + script + "' '" + file.string() + "'").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

constexpr int kNoValidator = 77;

void expect_valid(const RecordingSetup& setup, std::uint32_t body_count, std::int64_t frames) {
    const TemporaryFolder folder;
    RecordingWriter writer(folder / "run.grec", setup);
    for (std::int64_t i = 0; i < frames; ++i) {
        const RecordingFrame frame = testing::made_up_frame(body_count, i);
        writer.add(frame.time, frame.states, frame.contacts);
    }
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const int exit_code = validate_glb(folder / "run.glb");
    if (exit_code == kNoValidator) GTEST_SKIP() << "no gltf-validator";
    EXPECT_EQ(exit_code, 0);
}

TEST(GlbValidator, AcceptsARun) {
    expect_valid(testing::made_up_setup(50), 50, 120);
}

TEST(GlbValidator, AcceptsCloth) {
    const TemporaryFolder folder;
    testing::record_cloth(folder / "run.grec", 9, 40);
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const int exit_code = validate_glb(folder / "run.glb");
    if (exit_code == kNoValidator) GTEST_SKIP() << "no gltf-validator";
    EXPECT_EQ(exit_code, 0);
}

TEST(GlbValidator, AcceptsAStillScene) {
    expect_valid(testing::made_up_setup(3), 3, 1);
}

TEST(GlbValidator, AcceptsNoBodies) {
    expect_valid({}, 0, 1);
}

// Surfaces with many vertices and sharp edges, one without triangles, names of all kinds.
TEST(GlbValidator, AcceptsAllKindsOfShapes) {
    RecordingSetup setup = testing::made_up_setup(4);
    setup.scene_name = "\xc3\xa9\n\"\\ \xff";
    setup.shapes = {
        {"", extract_surface(Field::box({1, 2, 3}))},
        {"nothing", {}},
        {"fine", extract_surface(Field::torus(1, 0.3f), {.resolution = 400})},
        {"flat", {{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}}, {{{0, 1, 2}}, {{0, 1, 3}}}}},
    };
    for (std::uint32_t i = 0; i < 4; ++i)
        setup.bodies[i].shape = i;
    expect_valid(setup, 4, 30);
}

TEST(GlbValidator, FindsWhatIsWrong) {
    const TemporaryFolder folder;
    testing::record_made_up(folder / "run.grec", 3, 10);
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const std::string bytes = testing::read_bytes(folder / "run.glb");
    // A warning and an error.
    for (const auto& [right, wrong] :
         {std::pair<std::string, std::string>{"LINEAR", "LINEAL"}, {"VEC4", "VEC3"}}) {
        const std::size_t offset = bytes.find("\"" + right + "\"");
        ASSERT_NE(offset, std::string::npos);
        std::string altered = bytes;
        altered.replace(offset + 1, right.size(), wrong);
        testing::write_bytes(folder / "wrong.glb", altered);
        const int exit_code = validate_glb(folder / "wrong.glb");
        if (exit_code == kNoValidator) GTEST_SKIP() << "no gltf-validator";
        EXPECT_EQ(exit_code, 1) << wrong;
    }
}

}  // namespace
}  // namespace graze
