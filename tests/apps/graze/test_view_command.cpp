// graze view, and the pages that other commands write: what they carry is what was found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze/recording.h"
#include "tests/apps/graze/page_parts.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/sample_meshes.h"
#include "tests/recording/recording_cases.h"

namespace graze {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::PageParts;
using ::testing::StartsWith;

class View : public ProgramTest {
protected:
    // The run that a page carries.
    Recording carried(const std::string& page, std::uint32_t version = 1) const {
        testing::write_as_recording(PageParts(read(page)).raw, version, folder_ / "carried.grec");
        return Recording(folder_ / "carried.grec");
    }
    json about(const std::string& page) const { return PageParts(read(page)).about; }
    void expect_no_file(const std::string& name) const {
        EXPECT_FALSE(std::filesystem::exists(folder_ / name)) << name;
    }
};

TEST_F(View, WritesThePageBesideTheRecording) {
    testing::record_made_up(folder_ / "run.grec", 4, 20);
    const Outcome outcome = graze("view run.grec --no-open");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, AllOf(StartsWith("run.html: "), HasSubstr("open it in a browser")));
    EXPECT_EQ(carried("run.html").frame_count(), 20);
    ASSERT_EQ(graze("view . --no-open -o other.html").exit_code, 0);
    EXPECT_EQ(read("other.html"), read("run.html"));
}

TEST_F(View, SaysWhatIsWrong) {
    testing::record_made_up(folder_ / "run.grec", 4, 20);
    testing::record_made_up(folder_ / "cut.grec", 4, 20, /*finishes=*/false);
    EXPECT_THAT(graze("view cut.grec --no-open").err, HasSubstr("not complete"));
    EXPECT_THAT(about("cut.html")["why_incomplete"], HasSubstr("no end mark"));
    EXPECT_EQ(graze("view nothing.grec --no-open").exit_code, 1);
    EXPECT_EQ(graze("view nothing.grec --serve --no-open").exit_code, 1);
    EXPECT_EQ(graze("view run.grec --port 80").exit_code, 2);
    EXPECT_THAT(graze("view run.grec -o run.txt --no-open").err, HasSubstr("end it in .html"));
    EXPECT_THAT(graze("export run.grec -o run.html --contacts").err,
                HasSubstr("leave out --contacts"));
}

// What is larger than a page takes easily is rounded, within the bounds that the page states.
TEST_F(View, RoundsLargeRecordingsWithinWhatItStates) {
    constexpr std::uint32_t kBodies = 300;
    constexpr std::int64_t kFrames = 400;
    {
        // Rotations that tremble are what takes most.
        RecordingWriter writer(folder_ / "run.grec", testing::made_up_setup(kBodies));
        std::mt19937 bits(1);
        for (std::int64_t i = 0; i < kFrames; ++i) {
            RecordingFrame frame = testing::made_up_frame(kBodies, i);
            for (BodyState& state : frame.states)
                state.pose.translation += Vec3{testing::any_number(bits), testing::any_number(bits),
                                               testing::any_number(bits)} *
                                          1e-3f;
            for (int k = 0; k < 200; ++k)
                frame.contacts.push_back({0,
                                          1,
                                          kNoFeature,
                                          kNoFeature,
                                          {0, 0, 1},
                                          -0.1f + 0.001f * static_cast<float>(k),
                                          {0, 0, 1},
                                          0});
            writer.add(frame.time, frame.states, frame.contacts);
        }
        writer.finish();
    }
    ASSERT_EQ(graze("view run.grec --no-open").exit_code, 0);
    const json rounding = about("run.html").at("rounding");
    const auto length_bound = rounding["length"].get<float>(), turn = rounding["turn"].get<float>();
    const auto most = rounding["contacts_per_frame"].get<std::size_t>();
    EXPECT_LT(length_bound, 0.01f);
    EXPECT_LE(turn, 1.0f / 512);
    const Recording exact(folder_ / "run.grec"), page = carried("run.html");
    ASSERT_EQ(page.frame_count(), kFrames);
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < kFrames; ++i) {
        const RecordingFrame a = exact.frame(i), b = page.frame(i);
        ASSERT_EQ(a.time, b.time);
        for (std::uint32_t body = 0; body < kBodies; ++body) {
            const Transform &p = a.states[body].pose, &q = b.states[body].pose;
            for (int axis = 0; axis < 3; ++axis)
                ASSERT_LE(std::fabs(p.translation[axis] - q.translation[axis]), length_bound);
            // Either sign is the same rotation.
            const Quat &r = p.rotation, &s = q.rotation;
            const float sign = r.w * s.w + r.x * s.x + r.y * s.y + r.z * s.z < 0 ? -1.0f : 1.0f;
            const float off = std::max({std::fabs(r.w - sign * s.w), std::fabs(r.x - sign * s.x),
                                        std::fabs(r.y - sign * s.y), std::fabs(r.z - sign * s.z)});
            ASSERT_LE(off, turn);
            ASSERT_EQ(p.scale, q.scale);
            ASSERT_EQ(a.states[body].is_present, b.states[body].is_present);
            different += p.translation.x != q.translation.x;
        }
        // The deepest are those that stay.
        ASSERT_EQ(rounding["contact_counts"][static_cast<std::size_t>(i)], a.contacts.size());
        ASSERT_EQ(b.contacts.size(), std::min(most, a.contacts.size()));
        const auto deepest = [](const RecordingFrame& frame) {
            float least = 1;
            for (const Contact& contact : frame.contacts)
                least = std::min(least, contact.distance);
            return least;
        };
        ASSERT_NEAR(deepest(a), deepest(b), 1e-5f);
    }
    EXPECT_GT(different, 0);
    EXPECT_LT(std::filesystem::file_size(folder_ / "run.html"), 3'500'000u);

    // Every bit where that is asked for.
    ASSERT_EQ(graze("view run.grec --no-open --exact -o exact.html").exit_code, 0);
    EXPECT_FALSE(about("exact.html").contains("rounding"));
    const Recording all = carried("exact.html");
    EXPECT_EQ(all.frame(kFrames - 1).states[7].pose.translation,
              exact.frame(kFrames - 1).states[7].pose.translation);
}

TEST_F(View, PagesOfClothHaveItsVertices) {
    testing::record_cloth(folder_ / "run.grec", 4, 10);
    ASSERT_EQ(graze("view run.grec --no-open").exit_code, 0);
    const Recording page = carried("run.html", 2);
    for (std::int64_t i = 0; i < 10; ++i)
        EXPECT_TRUE(testing::is_recorded(page.frame(i), testing::made_up_cloth_frame(4, i)));
}

TEST_F(View, ServesTheRunUntilItIsInterrupted) {
    testing::record_made_up(folder_ / "run.grec", 4, 100);
    // Asks like a browser, and like one whom a foreign name led here.
    write("ask.py", R"(
import json, re, signal, subprocess, sys, time, urllib.error, urllib.request, zlib
server = subprocess.Popen([sys.argv[1], "view", "run.grec", "--serve", "--no-open"], stdout=subprocess.PIPE, text=True)
address = re.search(r"http://[0-9.:]+/", server.stdout.readline())[0]
page = urllib.request.urlopen(address).read().decode()
about = json.loads(page.split('id="about">')[1].split("</script>")[0])
raw = b""
for block in range(len(about["served_blocks"])):
    raw += zlib.decompress(urllib.request.urlopen(address + f"block/{block}").read(), -15)
open("raw", "wb").write(raw)
def status(path, **headers):
    try:
        return urllib.request.urlopen(urllib.request.Request(address + path, headers=headers)).status
    except urllib.error.HTTPError as error:
        return error.code
print(sum(about["served_blocks"]), status("block/99"), status("../run.grec"), status("", Host="elsewhere.org"))
server.send_signal(signal.SIGINT)
print(server.wait(timeout=20))
)");
    const Outcome outcome = shell("/usr/bin/python3 ask.py '" + program_ + "' >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "100 404 404 403\n0\n");
    testing::write_as_recording(read("raw"), 1, folder_ / "served.grec");
    const Recording served(folder_ / "served.grec");
    ASSERT_EQ(served.frame_count(), 100);
    for (const std::int64_t i : {0, 50, 99})
        EXPECT_TRUE(testing::is_recorded(served.frame(i), testing::made_up_frame(4, i)));
}

TEST_F(View, CollideWritesAPageOfItsContacts) {
    save_mesh(sample::cube(), folder_ / "cube.obj");
    const Outcome outcome =
        graze("collide cube.obj cube.obj -r 24 --pose-b '1.6 0.3 0.2' --page page.html --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    const Recording page = carried("page.html");
    ASSERT_EQ(page.frame_count(), 1);
    const RecordingFrame frame = page.frame(0);
    ASSERT_EQ(frame.contacts.size(), report["contacts"].size());
    ASSERT_GT(frame.contacts.size(), 0u);
    for (std::size_t i = 0; i < frame.contacts.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(frame.contacts[i].position[axis],
                        report["contacts"][i]["position"][static_cast<std::size_t>(axis)], 1e-4);
    EXPECT_EQ(frame.states[1].pose.translation, (Vec3{1.6f, 0.3f, 0.2f}));
    // Both fields, to slice: the cube's middle is a metre from its sides.
    const json fields = about("page.html")["fields"];
    ASSERT_EQ(fields.size(), 2u);
    const json& field = fields[0];
    const int n[3] = {field["size"][0], field["size"][1], field["size"][2]};
    const std::string bytes =
        testing::inflated(testing::decode_base64(field["samples"]),
                          std::size_t{2} * static_cast<std::size_t>(n[0]) *
                              static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]));
    const auto sample = [&](int x, int y, int z) {
        std::int16_t bits = 0;
        std::memcpy(&bits, bytes.data() + 2 * (x + n[0] * (y + n[1] * z)), 2);
        return field["unit"].get<float>() * static_cast<float>(bits);
    };
    const auto spacing = field["spacing"].get<float>();
    const auto origin = field["origin"][0].get<float>();
    EXPECT_NEAR(sample(n[0] / 2, n[1] / 2, n[2] / 2), -1, 2 * spacing);
    EXPECT_NEAR(sample(0, n[1] / 2, n[2] / 2), -1 - origin, 0.05);
}

TEST_F(View, SweepWritesAPageThatPlaysTheStep) {
    save_mesh(sample::cube(), folder_ / "cube.obj");
    ASSERT_EQ(graze("sweep cube.obj --from-pose '0.1 0.2 5  1 0 0 0  0.5' --to-pose "
                    "'0.1 0.2 -5  0 0 0 1' --against cube.obj -r 24 --page page.html")
                  .exit_code,
              0);
    const Recording page = carried("page.html");
    ASSERT_EQ(page.frame_count(), 61);
    EXPECT_EQ(page.frame(0).states[0].pose.translation, (Vec3{0.1f, 0.2f, 5}));
    EXPECT_NEAR(page.frame(30).states[0].pose.translation.z, 0, 1e-5);
    EXPECT_NEAR(page.frame(30).states[0].pose.rotation.w, std::sqrt(0.5), 1e-5);
    EXPECT_NEAR(page.frame(60).states[0].pose.translation.z, -5, 1e-5);
    const json told = about("page.html");
    EXPECT_EQ(told["is_step"], true);
    // Points are told in the frame of the body that they belong to: corners of the cube.
    ASSERT_GT(told["tracked"].size(), 0u);
    for (const json& point : told["tracked"])
        for (const std::size_t axis : {1u, 2u, 3u})
            EXPECT_NEAR(std::fabs(point[axis].get<double>()), 1, 1e-3);
}

TEST_F(View, APageSaysWhatItHasNotAllOf) {
    save_mesh(make_sphere(1, 5), folder_ / "fine.obj");
    save_mesh(sample::cube(), folder_ / "cube.obj");
    ASSERT_EQ(graze("sweep fine.obj --from-pose '0 0 3' --to-pose '0 0 1' --against cube.obj "
                    "--page page.html")
                  .exit_code,
              0);
    const json told = about("page.html");
    ASSERT_EQ(told["tracked"].size(), 2000u);
    EXPECT_THAT(told["left_out"].get<std::string>(),
                ::testing::MatchesRegex("2,000 of [2-9],[0-9]+ paths are shown"));
    ASSERT_EQ(graze("sweep fine.obj --from-pose '0 0 3' --to-pose '0 0 1.999' --against cube.obj "
                    "--page page.html")
                  .exit_code,
              0);
    EXPECT_TRUE(about("page.html")["left_out"].is_null());
}

TEST_F(View, APageOfRaysHasThem) {
    save_mesh(make_sphere(1, 2), folder_ / "ball.obj");
    ASSERT_EQ(
        graze("collide ball.obj ball.obj --method rays --pose-b '1.5 0.1 0.05' --page page.html")
            .exit_code,
        0);
    const json rays = about("page.html")["rays"];
    ASSERT_GT(rays.size(), 0u);
    // A ray goes from inside the one ball to the surface of the other.
    for (const json& ray : rays) {
        const Vec3 from{ray[0], ray[1], ray[2]}, to{ray[3], ray[4], ray[5]};
        const Vec3 other{1.5f, 0.1f, 0.05f};
        const float a = length(to), b = length(to - other);
        EXPECT_LT(std::min(std::fabs(a - 1), std::fabs(b - 1)), 0.05f);
        EXPECT_LT(std::max(length(from), length(from - other)), 1.001f);
    }
}

TEST_F(View, ImpactsWritesAPageOfAStepAndOfFrames) {
    const auto tip = [](double height) {
        return MeshD{{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, height}, {1, 1.5, 3}, {1.5, 1, 3}},
                     {{{0, 1, 2}}, {{3, 4, 5}}}};
    };
    std::filesystem::create_directory(folder_ / "frames");
    for (int i = 0; i < 3; ++i)
        save_mesh(tip(2.0 - 1.5 * i), folder_ / "frames" / ("f" + std::to_string(i) + ".obj"));
    ASSERT_EQ(graze("impacts frames/f1.obj frames/f2.obj --page step.html").exit_code, 0);
    const Recording step = carried("step.html", 2);
    ASSERT_EQ(step.frame_count(), 61);
    EXPECT_EQ(step.frame(0).positions[3], (Vec3{1, 1, 0.5f}));
    EXPECT_EQ(step.frame(60).positions[3], (Vec3{1, 1, -1}));
    ASSERT_EQ(step.frame(0).contacts.size(), 1u);
    EXPECT_NEAR(step.frame(0).contacts[0].time, 1.0 / 3, 1e-3);
    EXPECT_NEAR(step.frame(0).contacts[0].position.z, 0, 1e-3);

    ASSERT_EQ(graze("impacts frames --page line.html").exit_code, 0);
    const Recording line = carried("line.html", 2);
    ASSERT_EQ(line.frame_count(), 3);
    EXPECT_EQ(line.frame(0).contacts.size(), 0u);
    EXPECT_EQ(line.frame(1).contacts.size(), 1u);
    EXPECT_EQ(line.frame(2).positions[3], (Vec3{1, 1, -1}));
    EXPECT_EQ(graze("impacts frames --earliest --page line.html").exit_code, 2);
}

TEST_F(View, OtherCommandsSayWhatIsWrongWithAPageBeforeTheWork) {
    save_mesh(sample::cube(), folder_ / "cube.obj");
    for (const char* command : {"collide cube.obj cube.obj --page page.png",
                                "sweep cube.obj --against cube.obj --page none/page.html",
                                "impacts cube.obj cube.obj --page page"}) {
        const Outcome outcome = graze(command);
        EXPECT_EQ(outcome.exit_code, 1) << command;
        EXPECT_THAT(outcome.err, StartsWith("graze: ")) << command;
        EXPECT_EQ(outcome.out, "") << command;
    }
}

TEST_F(View, SimulateWritesThePageOfItsRun) {
    write("ball.json", R"({"shapes": {"ball": {"formula": {"sphere": {"radius": 0.5}}},
        "ground": {"formula": {"plane": {"normal": [0, 0, 1]}}}},
        "bodies": [{"shape": "ground", "motion": "fixed"},
                   {"shape": "ball", "pose": {"position": [0, 0, 0.6]}}], "duration": 0.5})");
    const Outcome outcome = graze("simulate ball.json --page --no-glb --out run");
    if (outcome.err.find("built without Bullet") != std::string::npos)
        GTEST_SKIP() << "built without Bullet";
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(carried("run/run.html").frame_count(),
              Recording(folder_ / "run/run.grec").frame_count());
    // The page of an earlier run does not stay beside a new one.
    ASSERT_EQ(graze("simulate ball.json --no-glb --out run").exit_code, 0);
    expect_no_file("run/run.html");
    EXPECT_EQ(graze("simulate ball.json --page --no-recording --out run").exit_code, 2);
}

}  // namespace
}  // namespace graze
