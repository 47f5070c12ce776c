// Reads scene files: every member arrives where it belongs, generators put bodies where they say,
// and mistakes are told with their path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "graze/error.h"
#include "graze/scene_description.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const fs::path kTests = fs::path(GRAZE_SOURCE_DIR) / "tests";

SceneLoadOptions without_cache() {
    SceneLoadOptions options;
    options.cache.is_on = false;
    return options;
}

SceneDescription parse(const json& scene, const SceneLoadOptions& options = without_cache()) {
    return parse_scene(scene.dump(), "scene.json", kTests / "scenes", options);
}

// The message that a wrong scene gets; empty where it is none.
std::string refusal(const std::string& text, const SceneLoadOptions& options = without_cache()) {
    try {
        parse_scene(text, "scene.json", kTests / "scenes", options);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

// One ball on the ground, and what a test wants to be different.
json small_scene(const json& change = json::object()) {
    json scene = json::parse(testing::read_bytes(kTests / "simulation/wrong_scenes.json"))["base"];
    scene.merge_patch(change);
    return scene;
}
std::vector<SceneBody> bodies_of(const json& entry) {
    return parse(small_scene({{"bodies", json::array({entry})}})).bodies;
}

class Everything : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        scene_ = new SceneDescription(
            load_scene(kTests / "scenes" / "everything.json", without_cache()));
    }
    static void TearDownTestSuite() {
        delete scene_;
        scene_ = nullptr;
    }
    static const SceneDescription& scene() { return *scene_; }
    static const SceneBody& body(const std::string& name) {
        for (const SceneBody& body : scene().bodies) {
            if (body.name == name) return body;
        }
        throw Error("no body is called " + name);
    }
    static const SceneShape& shape(const std::string& name) {
        for (const SceneShape& shape : scene().shapes) {
            if (shape.name == name) return shape;
        }
        throw Error("no shape is called " + name);
    }

private:
    static SceneDescription* scene_;
};
SceneDescription* Everything::scene_ = nullptr;

TEST_F(Everything, SettingsArrive) {
    EXPECT_EQ(scene().name, "everything");
    EXPECT_EQ(scene().device, Device::cpu(2));
    const DetectorOptions& detector = scene().detector;
    EXPECT_EQ(detector.gap, 0.01f);
    EXPECT_EQ(detector.particles.resolution, 6);
    EXPECT_EQ(detector.particles.sampling, ParticleSampling::quasi_random);
    EXPECT_EQ(detector.particles.step, ParticleStep::over_relax);
    EXPECT_EQ(detector.particles.normal, NormalRule::gradient_b);
    EXPECT_EQ(detector.particles.max_steps, 9);
    EXPECT_EQ(detector.particles.tolerance, 0.001f);
    EXPECT_FALSE(detector.particles.sharpens);
    EXPECT_TRUE(detector.particles.uses_last_contacts);
    EXPECT_FALSE(detector.particles.uses_textures);
    EXPECT_EQ(detector.sweep.motion, SweepMotion::straight);
    EXPECT_EQ(detector.sweep.roles, SweepRoles::points_of_b);
    EXPECT_EQ(detector.sweep.tolerance, 0.002f);
    EXPECT_TRUE(detector.sweep.has_faces);
    EXPECT_EQ(detector.sweep.face_tolerance, 0.03f);
    EXPECT_EQ(detector.rays.cast, RayCast::stackless);
    EXPECT_EQ(detector.rays.response, RayResponse::weighted);
    EXPECT_FALSE(detector.rays.is_iterative);
    EXPECT_FALSE(detector.rays.predicts);
    EXPECT_EQ(detector.rays.confidence, 2.5f);
    EXPECT_FALSE(detector.rays.is_cautious);
    EXPECT_TRUE(detector.rays.waits);
    EXPECT_FALSE(detector.rays.adapts);
    EXPECT_EQ(detector.rays.displacement_threshold, 0.02f);
    EXPECT_EQ(detector.rays.distance_extension, 0.04f);
    EXPECT_EQ(detector.rays.max_iterations, 7);
    EXPECT_TRUE(detector.rays.confirms_inside);
    EXPECT_EQ(detector.reduction.cell_size, 0.05f);
    EXPECT_EQ(detector.reduction.deepest_count, 16);
    EXPECT_EQ(detector.reduction.manifold_count, 4);
    EXPECT_EQ(detector.reduction.manifold_slack, 0.02f);
    EXPECT_EQ(scene().gravity, (Vec3{0, 0, -1.62f}));
    EXPECT_EQ(scene().time_step, 0.01);
    EXPECT_EQ(scene().duration, 0.5);
    EXPECT_EQ(scene().frame_steps, 2);
    EXPECT_EQ(scene().solver.iterations, 30);
    EXPECT_EQ(scene().solver.linear_damping, 0.1f);
    EXPECT_EQ(scene().solver.angular_damping, 0.2f);
    EXPECT_FALSE(scene().solver.sleeps);
    ASSERT_EQ(scene().materials.size(), 2u);
    EXPECT_EQ(scene().materials[0].name, "default");
    EXPECT_EQ(scene().materials[0].density, 500);
    EXPECT_EQ(scene().materials[1].name, "steel");
    EXPECT_EQ(scene().materials[1].friction, 0.3f);
    EXPECT_EQ(scene().materials[1].restitution, 0.5f);
}

TEST_F(Everything, ShapesAreBuilt) {
    EXPECT_EQ(scene().shapes.size(), 16u);
    for (const SceneShape& shape : scene().shapes) {
        const bool is_endless = shape.name == "ground" || shape.name == "hills";
        EXPECT_EQ(shape.mass.has_value(), !is_endless) << shape.name;
        EXPECT_TRUE(is_endless || shape.mass->volume > 0) << shape.name;
    }
    EXPECT_EQ(shape("bolt").origin, "generated bolt");
    EXPECT_EQ(shape("cube").origin, "cube.obj");
    EXPECT_EQ(shape("ground").origin, "formula");
    EXPECT_EQ(shape("model").origin, "generated sphere") << "the file of the first is not there";
    EXPECT_EQ(shape("bolt").mass_source, MassSource::mesh);
    EXPECT_EQ(shape("cube").mass_source, MassSource::field) << "asked for";
    EXPECT_EQ(shape("formulas").mass_source, MassSource::field);
    EXPECT_NE(shape("bolt").shape.mesh(), nullptr);
    EXPECT_EQ(shape("formulas").shape.mesh(), nullptr);
    EXPECT_TRUE(shape("formulas").shape.field().is_sampled());
    EXPECT_TRUE(shape("formulas").shape.points().positions.empty());
    EXPECT_EQ(shape("bolt").shape.points().positions.size(),
              shape("bolt").shape.mesh()->positions.size());
    EXPECT_GT(shape("cube").shape.points().positions.size(),
              10 * shape("cube").shape.mesh()->positions.size())
        << "spread at a spacing of 2 cm";
}

// The file's box is 1 x 2 x 1; y is up, the longest side becomes 0.5, and it stands on the ground.
TEST_F(Everything, ModelsAreTurnedScaledAndMoved) {
    const Aabb box = bounds(*shape("cube").shape.mesh());
    EXPECT_EQ(box.min, (Vec3{-0.125f, -0.125f, 0}));
    EXPECT_EQ(box.max, (Vec3{0.125f, 0.125f, 0.5f}));
    const Aabb turned = bounds(*shape("turned cube").shape.mesh());
    const float half = 1.5f * std::sqrt(0.5f);
    EXPECT_NEAR(turned.max.x, half, 1e-6);
    EXPECT_NEAR(turned.min.y, -half, 1e-6);
    EXPECT_NEAR(turned.min.z, -0.5, 1e-6);
    EXPECT_NEAR(shape("turned cube").mass->volume, 2, 1e-5);
}

TEST_F(Everything, ABodyHasAllThatItsEntrySays) {
    const SceneBody& one = body("one");
    EXPECT_EQ(scene().shapes[one.shape].name, "torus");
    EXPECT_EQ(scene().materials[one.material].name, "steel");
    EXPECT_EQ(one.motion, BodyMotion::dynamic);
    EXPECT_EQ(one.pose.translation, (Vec3{1, 2, 3}));
    EXPECT_NEAR(one.pose.rotation.w, std::sqrt(0.5), 1e-7);
    EXPECT_NEAR(one.pose.rotation.z, std::sqrt(0.5), 1e-7);
    EXPECT_EQ(one.pose.scale, 2);
    EXPECT_EQ(one.velocity, (Vec3{1, 0, 0}));
    EXPECT_EQ(one.angular_velocity, (Vec3{0, 0, 1}));
    EXPECT_EQ(one.force, (Vec3{0, 1, 0}));
    EXPECT_EQ(one.torque, (Vec3{0, 0, 1}));
    EXPECT_EQ(one.start_time, 0.1);
    EXPECT_EQ(one.group, 2u);
    EXPECT_EQ(one.mask, 3u);
    EXPECT_EQ(body("ground[0]").motion, BodyMotion::fixed);
    EXPECT_EQ(body("turntable").motion, BodyMotion::kinematic);
}

TEST_F(Everything, BodiesWithoutANameAreNumberedByShape) {
    // 12 of the grid, in turn; "one" has a name.
    EXPECT_EQ(scene().shapes[body("torus[5]").shape].name, "torus");
    EXPECT_EQ(scene().shapes[body("knot[5]").shape].name, "knot");
    EXPECT_THROW(body("torus[6]"), Error);
}

TEST_F(Everything, InstancesShareAndOverride) {
    const SceneBody& leg = body("leg[0]");
    EXPECT_EQ(leg.pose.translation, (Vec3{1, 0, 0}));
    EXPECT_EQ(scene().materials[leg.material].name, "steel");
    const SceneBody& other = body("other");
    EXPECT_EQ(scene().shapes[other.shape].name, "statue");
    EXPECT_EQ(scene().materials[other.material].name, "steel");
    EXPECT_EQ(other.velocity, (Vec3{0, 0, 1}));
    EXPECT_EQ(other.pose.rotation.w, 1);
}

TEST_F(Everything, RandomBodiesKeepTheirDistanceAndRegion) {
    std::vector<Vec3> positions;
    for (int i = 0; i < 10; ++i) {
        const Vec3 p = body("rain[" + std::to_string(i) + "]").pose.translation;
        EXPECT_TRUE(p.x >= -2 && p.x <= 2 && p.y >= -2 && p.y <= 2 && p.z >= 4.9f && p.z <= 9.1f);
        for (const Vec3& other : positions)
            EXPECT_GE(distance(p, other), 0.5f - 0.2f) << "less the jitter";
        positions.push_back(p);
        const Vec3 q = body("barrel[" + std::to_string(i) + "]").pose.translation;
        EXPECT_TRUE(std::hypot(q.x, q.y) <= 2.00001 && q.z >= 4 && q.z <= 7);
    }
}

TEST_F(Everything, ASourceGoesRoundAndRound) {
    for (int i = 0; i < 7; ++i) {
        const SceneBody& ball = body("spring[" + std::to_string(i) + "]");
        EXPECT_DOUBLE_EQ(ball.start_time, 0.5 + 0.25 * i);
        EXPECT_EQ(ball.velocity, (Vec3{0, 0, -1}));
        const Vec3 round[] = {{1, 0, 5}, {0, 1, 5}, {-1, 0, 5}, {0, -1, 5}};
        EXPECT_LT(distance(ball.pose.translation, round[i % 4]), 1e-6f) << i;
    }
    // A line of length 4 in four steps.
    const Vec3 line[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}, {1, 3, 0}};
    for (int i = 0; i < 5; ++i) {
        EXPECT_LT(distance(body("line[" + std::to_string(i) + "]").pose.translation, line[i]),
                  1e-6f);
    }
    EXPECT_EQ(body("turns[1]").pose.translation, (Vec3{1, 0, 7}));
    EXPECT_EQ(body("turns[2]").pose.translation, (Vec3{0, 0, 7}));
}

TEST(SceneFile, WhatOnlyTheSolverClothKnowsArrives) {
    const SceneDescription scene =
        load_scene(kTests / "scenes" / "everything_cloth.json", without_cache());
    EXPECT_EQ(scene.solver.kind, SolverKind::cloth);
    EXPECT_EQ(scene.solver.cloth.thickness, 0.02f);
    EXPECT_EQ(scene.solver.cloth.stretch_compliance, 1e-5f);
    EXPECT_EQ(scene.solver.cloth.bend_compliance, 2);
    EXPECT_EQ(scene.solver.cloth.push_rounds, 4);
    EXPECT_TRUE(scene.solver.cloth.checks_intersections);
    for (const SceneShape& shape : scene.shapes) {
        EXPECT_FALSE(shape.shape.has_field()) << shape.name << ": none is built";
        EXPECT_EQ(shape.mass.has_value(), shape.name == "ball" || shape.name == "funnel");
    }
    EXPECT_NEAR(scene.shapes[0].shape.bounds().max.x, 0.1, 1e-6) << "the ball's";

    ASSERT_EQ(scene.bodies.size(), 6u);
    const SceneBody &cloth = scene.bodies[1], &pusher = scene.bodies[4];
    EXPECT_EQ(cloth.motion, BodyMotion::cloth);
    EXPECT_EQ(cloth.velocity, (Vec3{0, 0, -1}));
    ASSERT_EQ(cloth.pins.size(), 2u);
    EXPECT_EQ(cloth.pins[0].box.min, (Vec3{4, 0.9f, -1}));
    EXPECT_EQ(cloth.pins[0].body, ClothPin::kNoBody);
    EXPECT_EQ(cloth.pins[1].body, 4u) << "a body that comes later";
    EXPECT_EQ(scene.bodies[2].name, "layer[0]");
    ASSERT_EQ(scene.bodies[2].pins.size(), 1u);
    EXPECT_EQ(scene.bodies[2].pins[0].body, 4u) << "shared by instances";
    EXPECT_EQ(scene.bodies[3].pins[0].body, 0u) << "an instance's own";

    ASSERT_EQ(pusher.path.size(), 3u);
    EXPECT_EQ(pusher.path[0].time, 1);
    EXPECT_EQ(pusher.path[0].position, (Vec3{0, 0, 1})) << "the pose's";
    EXPECT_EQ(pusher.path[1].position, (Vec3{0, 0, 3}));
    EXPECT_EQ(pusher.path[1].rotation.w, 1);
    EXPECT_NEAR(pusher.path[2].rotation.z, std::sqrt(0.5), 1e-6);
}

TEST(SceneFile, HasDefaults) {
    const SceneDescription scene = parse(small_scene({{"name", nullptr}}));
    const SceneDescription bare;
    EXPECT_EQ(scene.name, "scene");
    EXPECT_EQ(scene.gravity, bare.gravity);
    EXPECT_EQ(scene.time_step, bare.time_step);
    EXPECT_EQ(scene.detector.particles.resolution, bare.detector.particles.resolution);
    EXPECT_EQ(scene.detector.sweep.motion, bare.detector.sweep.motion);
    EXPECT_FALSE(scene.detector.sweep.has_faces);
    EXPECT_EQ(parse(small_scene({{"method", "sweep"}})).method, Method::sweep);
    EXPECT_EQ(parse(small_scene({{"method", "rays"}})).method, Method::rays);
    ASSERT_EQ(scene.bodies.size(), 2u);
    EXPECT_EQ(scene.bodies[0].name, "ball[0]");
    EXPECT_EQ(scene.bodies[0].mask, 0xffffffffu);
    EXPECT_NEAR(scene.shapes[0].mass->volume, 4.0 / 3 * 3.14159265 / 8, 1e-3);
}

TEST(SceneFile, AGridIsCentredAndNumberedXFirst) {
    const std::vector<SceneBody> bodies =
        bodies_of({{"shape", "ball"},
                   {"name", "b"},
                   {"pose", {{"position", {10, 0, 0}}, {"scale", 2}}},
                   {"grid", {{"counts", {3, 2, 1}}, {"spacing", {1, 2, 3}}}}});
    ASSERT_EQ(bodies.size(), 6u);
    EXPECT_EQ(bodies[0].name, "b[0]");
    EXPECT_EQ(bodies[0].pose.translation, (Vec3{9, -1, 0}));
    EXPECT_EQ(bodies[1].pose.translation, (Vec3{10, -1, 0}));
    EXPECT_EQ(bodies[5].pose.translation, (Vec3{11, 1, 0}));
    EXPECT_EQ(bodies[5].pose.scale, 2);
}

TEST(SceneFile, WhatVariesStaysWithinItsBounds) {
    const json vary = {{"counts", {100, 1, 1}},
                       {"spacing", 0},
                       {"random_rotation", true},
                       {"scale", {0.5, 2}},
                       {"jitter", {1, 0, 2}}};
    const std::vector<SceneBody> bodies = bodies_of({{"shape", "ball"}, {"grid", vary}});
    Vec3 sum{0, 0, 0};
    float smallest = 10, largest = 0;
    for (const SceneBody& body : bodies) {
        const auto& [p, q, scale] = body.pose;
        EXPECT_TRUE(std::fabs(p.x) <= 1 && p.y == 0 && std::fabs(p.z) <= 2);
        EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-6);
        sum += rotate(q, Vec3{1, 0, 0});
        smallest = std::min(smallest, scale);
        largest = std::max(largest, scale);
    }
    EXPECT_TRUE(smallest >= 0.5f && smallest < 0.7f && largest <= 2 && largest > 1.7f);
    EXPECT_LT(length(sum), 30) << "directions should not favour one";
}

// So that a scene is the same on every machine: these are what mt19937 and seed_seq, which the
// language fixes, and plain arithmetic give.
TEST(SceneFile, RandomNumbersAreFixed) {
    const json random = {
        {"count", 2}, {"box", {{"min", {0, 0, 0}}, {"max", {1, 1, 1}}}}, {"seed", 42}};
    const std::vector<SceneBody> bodies = bodies_of({{"shape", "ball"}, {"random", random}});
    std::seed_seq sequence{42u, 0u};
    std::mt19937 engine(sequence);
    for (const SceneBody& body : bodies) {
        for (int axis = 0; axis < 3; ++axis) {
            const auto expected = static_cast<float>(static_cast<double>(engine()) / 4294967296.0);
            EXPECT_EQ(body.pose.translation[axis], expected);
        }
    }
    EXPECT_EQ(bodies[0].pose.translation,
              bodies_of({{"shape", "ball"}, {"random", random}})[0].pose.translation);
}

TEST(SceneFile, ADistanceDoesNotChangeOtherChoices) {
    json random = {{"count", 5},
                   {"box", {{"min", {0, 0, 0}}, {"max", {1, 1, 1}}}},
                   {"scale", {1, 2}},
                   {"random_rotation", true}};
    const std::vector<SceneBody> before = bodies_of({{"shape", "ball"}, {"random", random}});
    random["minimum_distance"] = 0.3;
    const std::vector<SceneBody> after = bodies_of({{"shape", "ball"}, {"random", random}});
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(before[i].pose.scale, after[i].pose.scale);
        EXPECT_EQ(before[i].pose.rotation.x, after[i].pose.rotation.x);
    }
}

TEST(SceneFile, RotationsAgree) {
    const auto rotation = [](const json& text) {
        return bodies_of({{"shape", "ball"}, {"pose", {{"rotation", text}}}})[0].pose.rotation;
    };
    // x, then y, then z, around axes that stay: the y axis goes to z, to x, to y.
    const Quat euler = rotation({{"euler", {90, 90, 90}}});
    EXPECT_LT(distance(rotate(euler, Vec3{0, 1, 0}), Vec3{0, 1, 0}), 1e-6f);
    EXPECT_LT(distance(rotate(euler, Vec3{1, 0, 0}), Vec3{0, 0, -1}), 1e-6f);
    const Quat axis = rotation({{"axis", {0, 3, 0}}, {"angle", 90}});
    const Quat quaternion = rotation({{"quaternion", {5, 0, 5, 0}}});
    EXPECT_NEAR(axis.w, quaternion.w, 1e-7);
    EXPECT_NEAR(axis.y, quaternion.y, 1e-7);
}

// A table that the schema is held to as well (test_scene_schema.py).
TEST(SceneFile, WrongScenesAreRefusedWithTheirPath) {
    const json table = json::parse(testing::read_bytes(kTests / "simulation/wrong_scenes.json"));
    EXPECT_EQ(refusal(table["base"].dump()), "");
    for (const json& wrong : table["wrong"]) {
        json scene = table["base"];
        scene.merge_patch(wrong["change"]);
        const std::string message = refusal(scene.dump());
        EXPECT_THAT(message, AllOf(StartsWith("scene.json: "), Not(HasSubstr("\n")),
                                   HasSubstr(wrong["message"].get<std::string>())))
            << wrong["change"];
    }
}

TEST(SceneFile, WhatIsNoJsonIsToldByLineAndColumn) {
    EXPECT_THAT(refusal("{\n  \"name\": ,\n}"), StartsWith("scene.json:2:11: this is not JSON: "));
    EXPECT_THAT(refusal(""), StartsWith("scene.json:1:1: this is not JSON: "));
    EXPECT_THAT(refusal("{\"a\": \"\xff\"}"), StartsWith("scene.json:1:"));
    EXPECT_THAT(refusal("{\"name\": \"a\", \"name\": \"b\"}"),
                StartsWith("scene.json: an object has two members called 'name'"));
    EXPECT_THAT(refusal("{\"time_step\": 1e999}"), HasSubstr("1e999"));
    EXPECT_THAT(refusal("[1, 2]"), HasSubstr("expected an object, not an array"));
    EXPECT_THAT(refusal("{\"\\u0007\\n\": 1}"), AllOf(HasSubstr("'?"
                                                                "?'"),
                                                      Not(HasSubstr("\n"))));
}

TEST(SceneFile, HostileFilesAreRefusedQuickly) {
    const std::string deep(100'000, '[');
    EXPECT_THAT(refusal(deep), HasSubstr("nested more than 64 deep"));
    EXPECT_THAT(refusal(std::string((std::size_t{64} << 20) + 1, ' ')), HasSubstr("bytes"));
    std::string name(10'000, 'x');
    EXPECT_LT(refusal("{\"" + name + "\": 1}").size(), 600u);
    SceneLoadOptions few = without_cache();
    few.body_limit = 10;
    const json twice =
        json::array({{{"shape", "ball"}, {"grid", {{"counts", {6, 1, 1}}, {"spacing", 1}}}},
                     {{"shape", "ball"}, {"grid", {{"counts", {6, 1, 1}}, {"spacing", 1}}}}});
    EXPECT_THAT(refusal(small_scene({{"bodies", twice}}).dump(), few),
                HasSubstr("bodies[1].grid.counts[0]: is 6; give a number from 1 to 4"));
}

TEST(SceneFile, TheReaderOfAFileNamesItAndFindsWhatIsBesideIt) {
    const testing::TemporaryFolder folder;
    fs::copy_file(kTests / "scenes" / "cube.obj", folder / "cube.obj");
    json scene = small_scene();
    scene["shapes"]["ball"] = {{"mesh", "cube.obj"}, {"field", {{"resolution", 12}}}};
    testing::write_bytes(folder / "my scene.json", scene.dump());
    const SceneDescription loaded = load_scene(folder / "my scene.json", without_cache());
    EXPECT_EQ(loaded.shapes[0].origin, "cube.obj");
    EXPECT_EQ(loaded.shapes[0].mass_source, MassSource::mesh);
    EXPECT_NEAR(loaded.shapes[0].mass->volume, 2, 1e-6);
    EXPECT_THROW(load_scene(folder / "nowhere.json"), Error);
}

TEST(SceneFile, MeshesAreLookedForInOrder) {
    const testing::TemporaryFolder given, environment;
    fs::create_directory(environment / "models");
    json scene = small_scene();
    scene["shapes"]["ball"] = {{"mesh", "other.obj"}, {"field", {{"resolution", 12}}}};
    SceneLoadOptions options = without_cache();
    options.mesh_folders = {given.path()};
    const char* before = std::getenv("GRAZE_DATA");
    const std::string kept = before ? before : "";
    setenv("GRAZE_DATA", environment.path().c_str(), 1);
    EXPECT_THAT(refusal(scene.dump(), options), HasSubstr(given.path().string()));
    fs::copy_file(kTests / "scenes" / "cube.obj", environment / "models" / "other.obj");
    EXPECT_NEAR(parse(scene, options).shapes[0].mass->volume, 2, 1e-6);
    testing::write_bytes(given / "other.obj", "nonsense");
    EXPECT_THAT(refusal(scene.dump(), options),
                AllOf(StartsWith("scene.json: shapes.ball: "), HasSubstr("other.obj")));
    if (before) {
        setenv("GRAZE_DATA", kept.c_str(), 1);
    } else {
        unsetenv("GRAZE_DATA");
    }
}

// The very file of the project, in a checkout with shared/data beside it.
TEST(SceneFile, StatuesFindTheirModelsBesideTheCheckout) {
    const testing::TemporaryFolder folder;
    fs::create_directories(folder / "checkout/scenes");
    fs::create_directories(folder / "shared/data/models");
    json scene = json::parse(testing::read_bytes(kTests / "../scenes/statues.json"));
    for (const char* name : {"armadillo", "buddha"})
        for (json& shape : scene["shapes"][name]["first_of"])
            shape["field"]["resolution"] = 12;
    scene["shapes"]["terrain"]["field"]["resolution"] = 12;
    testing::write_bytes(folder / "checkout/scenes/statues.json", scene.dump());
    for (const char* file : {"armadillo_86k.obj", "buddha_100k.obj"})
        fs::copy_file(kTests / "scenes/cube.obj", folder / "shared/data/models" / file);
    const char* before = std::getenv("GRAZE_DATA");
    const std::string kept = before ? before : "";
    unsetenv("GRAZE_DATA");
    const SceneDescription loaded =
        load_scene(folder / "checkout/scenes/statues.json", without_cache());
    if (before) setenv("GRAZE_DATA", kept.c_str(), 1);
    std::vector<std::string> origins;
    origins.reserve(loaded.shapes.size());
    for (const SceneShape& shape : loaded.shapes)
        origins.push_back(shape.origin);
    EXPECT_THAT(origins, ::testing::IsSupersetOf({"armadillo_86k.obj", "buddha_100k.obj"}));
}

TEST(SceneFile, AnOpenMeshTakesItsMassFromTheField) {
    const testing::TemporaryFolder folder;
    // The cube without its last two faces' half.
    std::string cube = testing::read_bytes(kTests / "scenes" / "cube.obj");
    cube = cube.substr(0, cube.find("f 4 1 5 8")) + "f 4 1 5\n";
    testing::write_bytes(folder / "open.obj", cube);
    json scene = small_scene();
    scene["shapes"]["ball"] = {{"mesh", "open.obj"}, {"field", {{"resolution", 24}}}};
    const SceneDescription open =
        parse_scene(scene.dump(), "scene.json", folder.path(), without_cache());
    EXPECT_EQ(open.shapes[0].mass_source, MassSource::field);
    EXPECT_NEAR(open.shapes[0].mass->volume, 2, 0.4);
    EXPECT_FALSE(open.shapes[0].findings.empty());
    scene["shapes"]["ball"]["mass_from"] = "mesh";
    try {
        parse_scene(scene.dump(), "scene.json", folder.path(), without_cache());
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    StartsWith("scene.json: shapes.ball.mass_from: the mesh is not closed"));
    }
}

TEST(SceneFile, OptionsStandInForTheFile) {
    SceneLoadOptions options = without_cache();
    options.device = Device::cpu();
    options.threads = 3;
    const SceneDescription scene =
        parse(small_scene({{"device", "cuda:77"}, {"detector", {{"thread_count", 1}}}}), options);
    EXPECT_EQ(scene.device, Device::cpu(3));
    EXPECT_THAT(refusal(small_scene({{"device", "cuda:77"}}).dump()),
                StartsWith("scene.json: device: "));
}

TEST(SceneFile, ProgressGoesUpAndCanStop) {
    json scene = small_scene();
    for (const char* name : {"a", "b"}) {
        scene["shapes"][name] = {{"generated", {{"sphere", {{"radius", 1}}}}},
                                 {"field", {{"resolution", 32}}}};
    }
    double last = 0;
    SceneLoadOptions options = without_cache();
    options.progress = [&](double fraction) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1);
        last = fraction;
        return true;
    };
    parse(scene, options);
    EXPECT_EQ(last, 1);
    options.progress = [](double) { return false; };
    EXPECT_NE(refusal(scene.dump(), options), "");
}

TEST(SceneFile, TheSchemaIsThePublishedOne) {
    EXPECT_EQ(scene_schema(),
              testing::read_bytes(fs::path(GRAZE_SOURCE_DIR) / "docs" / "scene.schema.json"));
}

// Those of the project, whose meshes of other origin may be absent: each has a stand-in.
TEST(SceneFile, ReadsTheProjectsScenes) {
    int count = 0;
    SceneLoadOptions options;
    const fs::path folder = fs::path(GRAZE_SOURCE_DIR) / "scenes";
    ASSERT_TRUE(fs::exists(folder));
    // Large ones take long under a sanitizer; reading is the same.
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        if (entry.path().string().find("_small") == std::string::npos) continue;
        const SceneDescription scene = load_scene(entry.path(), options);
        EXPECT_FALSE(scene.bodies.empty()) << entry.path();
        ++count;
    }
    EXPECT_GE(count, 7);
}

}  // namespace
}  // namespace graze
