#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graze/error.h"
#include "graze/recording.h"
#include "recording/glb_morphs.h"
#include "recording/shaded_mesh.h"
#include "tests/recording/glb_file.h"
#include "tests/recording/recording_cases.h"

namespace graze {
namespace {

using ::testing::ElementsAre;
using testing::GlbFile;
using ::testing::HasSubstr;
using testing::made_up_frame;
using testing::record_made_up;
using testing::TemporaryFolder;

// Everything as the recording has it, whatever the file leaves out.
TEST(WriteGlb, EveryKeyIsTheFramesPose) {
    const TemporaryFolder folder;
    const std::uint32_t body_count = 12;
    record_made_up(folder / "run.grec", body_count, 150);
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    EXPECT_EQ(folder.file_count(), 2u);
    const GlbFile glb(folder / "run.glb");
    ASSERT_EQ(glb.json["nodes"].size(), body_count + 1);
    EXPECT_EQ(glb.json["nodes"][0]["children"].size(), body_count);
    EXPECT_EQ(glb.json["nodes"][4]["name"], "body 3");
    EXPECT_THAT(glb.json["asset"]["generator"], HasSubstr("graze"));
    for (const std::int64_t i : {0, 1, 4, 5, 6, 50, 148, 149}) {
        const RecordingFrame frame = made_up_frame(body_count, i);
        const auto time = static_cast<float>(frame.time);
        for (std::uint32_t body = 0; body < body_count; ++body) {
            const Transform& pose = frame.states[body].pose;
            const Vec3& t = pose.translation;
            EXPECT_THAT(glb.value_at(body + 1, "translation", time), ElementsAre(t.x, t.y, t.z));
            const auto q = glb.value_at(body + 1, "rotation", time);
            const Quat& r = pose.rotation;
            EXPECT_NEAR(std::fabs(q[0] * r.x + q[1] * r.y + q[2] * r.z + q[3] * r.w), 1, 1e-6)
                << "body " << body << ", frame " << i;
            const float scale = frame.states[body].is_present ? pose.scale : 0;
            EXPECT_THAT(glb.value_at(body + 1, "scale", time), ElementsAre(scale, scale, scale));
        }
    }
}

TEST(WriteGlb, LeavesOutWhatIsConstantAndSharesTimes) {
    const TemporaryFolder folder;
    record_made_up(folder / "run.grec", 30, 40);
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const GlbFile glb(folder / "run.glb");
    // Body 0 never moves.
    for (const char* path : {"translation", "rotation", "scale"})
        EXPECT_EQ(glb.sampler(1, path), nullptr) << path;
    // Body 1 appears in frame 5, at once.
    const nlohmann::json* scale = glb.sampler(2, "scale");
    ASSERT_NE(scale, nullptr);
    EXPECT_EQ((*scale)["interpolation"], "STEP");
    EXPECT_EQ(glb.floats((*scale)["input"]).size(), 2u);
    // Body 2 rests after frame 10.
    const nlohmann::json* translation = glb.sampler(3, "translation");
    ASSERT_NE(translation, nullptr);
    EXPECT_EQ(glb.floats((*translation)["input"]).size(), 11u);
    std::set<std::size_t> inputs;
    for (const auto& sampler : glb.json["animations"][0]["samplers"])
        inputs.insert(sampler["input"].get<std::size_t>());
    EXPECT_EQ(inputs.size(), 3u);  // all frames, the first eleven, the two of body 1
    EXPECT_EQ(glb.json["meshes"].size(), 2u);
    EXPECT_NE(glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"],
              glb.json["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"]);
}

TEST(WriteGlb, TurnsTheShortWay) {
    const TemporaryFolder folder;
    RecordingWriter writer(folder / "run.grec", testing::made_up_setup(1));
    std::vector<BodyState> states(1);
    states[0].is_present = true;
    for (int i = 0; i < 100; ++i) {
        states[0].pose.rotation = Quat::from_axis_angle({1, 2, 3}, 0.3f * static_cast<float>(i));
        // As a solver may give it: with either sign.
        if (i % 3 == 1) {
            Quat& q = states[0].pose.rotation;
            q = {-q.w, -q.x, -q.y, -q.z};
        }
        writer.add(i, states, {});
    }
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const GlbFile glb(folder / "run.glb");
    EXPECT_EQ(glb.sampler(1, "translation"), nullptr);
    const nlohmann::json* rotation = glb.sampler(1, "rotation");
    ASSERT_NE(rotation, nullptr);
    const auto keys = glb.floats((*rotation)["output"]);
    ASSERT_EQ(keys.size(), 100u);
    for (std::size_t i = 1; i < keys.size(); ++i) {
        float cosine = 0;
        for (std::size_t k = 0; k < 4; ++k)
            cosine += keys[i][k] * keys[i - 1][k];
        EXPECT_NEAR(cosine, std::cos(0.15f), 1e-4);
    }
}

TEST(WriteGlb, WithoutMotionThereIsNoAnimation) {
    const TemporaryFolder folder;
    record_made_up(folder / "still.grec", 2, 1);
    write_glb(Recording(folder / "still.grec"), folder / "still.glb");
    EXPECT_FALSE(GlbFile(folder / "still.glb").json.contains("animations"));
    record_made_up(folder / "none.grec", 2, 0);
    EXPECT_THROW(write_glb(Recording(folder / "none.grec"), folder / "none.glb"), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "none.glb"));
}

TEST(WriteGlb, StopsWhenAskedTo) {
    const TemporaryFolder folder;
    record_made_up(folder / "run.grec", 2, 20);
    double last = 0;
    const auto stop = [&](double fraction) {
        EXPECT_GE(fraction, last);
        last = fraction;
        return fraction < 0.7;
    };
    EXPECT_THROW(write_glb(Recording(folder / "run.grec"), folder / "run.glb", stop), Error);
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(WriteGlb, LargeMeshesHaveLongIndices) {
    const TemporaryFolder folder;
    RecordingSetup setup = testing::made_up_setup(1);
    Mesh& mesh = setup.shapes[0].mesh;
    mesh = {};
    for (std::uint32_t i = 0; i < 70000; ++i)
        mesh.positions.push_back({static_cast<float>(i >> 1), static_cast<float>(i & 1), 0});
    for (std::uint32_t i = 0; i + 2 < 70000; ++i)
        mesh.triangles.push_back({{i, i + 1 + i % 2, i + 2 - i % 2}});
    RecordingWriter writer(folder / "run.grec", setup);
    writer.add(0, made_up_frame(1, 0).states, {});
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const GlbFile glb(folder / "run.glb");
    const auto& primitive = glb.json["meshes"][0]["primitives"][0];
    EXPECT_EQ(glb.json["accessors"][primitive["indices"].get<std::size_t>()]["componentType"],
              5125);
    EXPECT_EQ(glb.indices(primitive["indices"]).size(), 3 * mesh.triangles.size());
}

// At each key frame its target alone counts, and adds up to the vertices of that frame.
TEST(WriteGlb, ClothFollowsItsKeyFrames) {
    const TemporaryFolder folder;
    const std::uint32_t body_count = 8;
    testing::record_cloth(folder / "run.grec", body_count, 50);
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const GlbFile glb(folder / "run.glb");
    const RecordingSetup setup = testing::made_up_cloth_setup(body_count);
    EXPECT_EQ(glb.json["meshes"].size(), 2u + 3u) << "of two shapes, and of bodies 1, 4 and 7";
    for (const std::uint32_t body : {1u, 4u, 7u}) {
        EXPECT_THAT(glb.json["nodes"][body + 1]["translation"], ElementsAre(0, 0, 0));
        EXPECT_EQ(glb.sampler(body + 1, "translation"), nullptr);
        const auto& mesh =
            glb.json["meshes"][glb.json["nodes"][body + 1]["mesh"].get<std::size_t>()];
        const auto& primitive = mesh["primitives"][0];
        ASSERT_EQ(primitive["targets"].size(), 49u);
        const nlohmann::json* weights = glb.sampler(body + 1, "weights");
        ASSERT_NE(weights, nullptr);
        const auto times = glb.floats((*weights)["input"]);
        const auto rows = glb.floats((*weights)["output"]);
        ASSERT_EQ(times.size(), 50u);
        ASSERT_EQ(rows.size(), 50u * 49u);
        const auto base = glb.floats(primitive["attributes"]["POSITION"]);
        const auto base_normals = glb.floats(primitive["attributes"]["NORMAL"]);
        for (const std::int64_t i : {0, 1, 25, 49}) {
            const RecordingFrame frame = testing::made_up_cloth_frame(body_count, i);
            const auto positions = positions_of(setup, frame, body);
            ASSERT_EQ(positions.size(), base.size());
            auto sum = base, normals = base_normals;
            for (std::size_t target = 0; target < 49; ++target) {
                const float weight = rows[static_cast<std::size_t>(i) * 49 + target][0];
                EXPECT_EQ(weight, static_cast<std::int64_t>(target) == i - 1 ? 1 : 0);
                if (weight == 0) continue;
                const auto offsets = glb.floats(primitive["targets"][target]["POSITION"]);
                const auto turns = glb.floats(primitive["targets"][target]["NORMAL"]);
                for (std::size_t v = 0; v < sum.size(); ++v)
                    for (std::size_t k = 0; k < 3; ++k) {
                        sum[v][k] += offsets[v][k];
                        normals[v][k] += turns[v][k];
                    }
            }
            for (std::size_t v = 0; v < sum.size(); ++v) {
                EXPECT_LT(distance(Vec3{sum[v][0], sum[v][1], sum[v][2]}, positions[v]), 1e-6f);
                EXPECT_NEAR(length(Vec3{normals[v][0], normals[v][1], normals[v][2]}), 1, 1e-5);
            }
        }
    }
    // Body 1 appears in frame 5.
    EXPECT_THAT(glb.value_at(2, "scale", 0), ElementsAre(0, 0, 0));
    EXPECT_THAT(glb.value_at(2, "scale", 1), ElementsAre(1, 1, 1));
    EXPECT_EQ(glb.json["materials"].back()["doubleSided"], true);
}

TEST(WriteGlb, ClothThatNeverMovesHasNoTargets) {
    const TemporaryFolder folder;
    RecordingWriter writer(folder / "run.grec", testing::made_up_cloth_setup(2));
    const RecordingFrame frame = testing::made_up_cloth_frame(2, 7);
    for (int i = 0; i < 3; ++i)
        writer.add(i, frame.states, frame.contacts, frame.positions);
    write_glb(Recording(folder / "run.grec"), folder / "run.glb");
    const GlbFile glb(folder / "run.glb");
    EXPECT_EQ(glb.sampler(2, "weights"), nullptr);
    const auto& mesh = glb.json["meshes"][glb.json["nodes"][2]["mesh"].get<std::size_t>()];
    EXPECT_FALSE(mesh["primitives"][0].contains("targets"));
}

TEST(GlbMorphs, KeyFramesAreSpreadEvenlyAndBounded) {
    EXPECT_THAT(GlbMorphs::key_frames(1, 100), ElementsAre(0));
    EXPECT_THAT(GlbMorphs::key_frames(4, 100), ElementsAre(0, 1, 2, 3));
    for (const std::int64_t count : {256, 257, 258, 300, 5000}) {
        const auto frames = GlbMorphs::key_frames(count, 24 * 1000);
        EXPECT_EQ(frames.size(), static_cast<std::size_t>(std::min<std::int64_t>(count, 257)));
        EXPECT_EQ(frames.front(), 0);
        EXPECT_EQ(frames.back(), count - 1);
        for (std::size_t i = 1; i < frames.size(); ++i) {
            const std::int64_t apart = frames[i] - frames[i - 1];
            EXPECT_TRUE(apart >= (count - 1) / 256 && apart <= (count - 1) / 256 + 1);
        }
    }
    // A million vertices: five targets fill the bytes. However many, there is one.
    EXPECT_THAT(GlbMorphs::key_frames(101, 24'000'000), ElementsAre(0, 20, 40, 60, 80, 100));
    EXPECT_THAT(GlbMorphs::key_frames(101, std::uint64_t{1} << 40), ElementsAre(0, 100));
}

// The eight corners of a cube are three each, those of a round thing stay one.
TEST(ShadedMesh, KeepsSharpEdges) {
    Mesh cube;
    for (int i = 0; i < 8; ++i)
        cube.positions.push_back({static_cast<float>(i & 1), static_cast<float>(i >> 1 & 1),
                                  static_cast<float>(i >> 2)});
    const std::uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (const auto& q : quads) {
        cube.triangles.push_back({{q[0], q[1], q[2]}});
        cube.triangles.push_back({{q[0], q[2], q[3]}});
    }
    cube.triangles.push_back({{0, 0, 1}});  // has no area
    const ShadedMesh shaded = shade(cube);
    EXPECT_EQ(shaded.positions.size(), 24u);
    EXPECT_EQ(shaded.triangles.size(), 12u);
    for (std::size_t i = 0; i < shaded.triangles.size(); ++i) {
        for (const std::uint32_t vertex : shaded.triangles[i].v)
            EXPECT_NEAR(length(shaded.normals[vertex]), 1, 1e-6);
        EXPECT_EQ(shaded.normals[shaded.triangles[i][0]], shaded.normals[shaded.triangles[i][1]]);
        EXPECT_EQ(shaded.positions[shaded.triangles[i][2]], cube.positions[cube.triangles[i][2]]);
    }
}

// A cone of 100 triangles around its tip is smooth there, in one vertex.
TEST(ShadedMesh, TakesFansForSmooth) {
    Mesh fan;
    fan.positions.push_back({0, 0, 3});
    for (int i = 0; i < 100; ++i) {
        const float angle = 0.0628318f * static_cast<float>(i);
        fan.positions.push_back({std::cos(angle), std::sin(angle), 0});
    }
    for (std::uint32_t i = 0; i < 100; ++i)
        fan.triangles.push_back({{0, 1 + i, 1 + (i + 1) % 100}});
    const ShadedMesh shaded = shade(fan);
    EXPECT_EQ(shaded.positions.size(), 101u);
    EXPECT_NEAR(shaded.normals[0].z, 1, 1e-3);
}

}  // namespace
}  // namespace graze
