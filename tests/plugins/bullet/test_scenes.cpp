// In the scenes of scenes/, in their small versions, what happens is what should happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "graze/extract_surface.h"
#include "graze/generate_mesh.h"
#include "graze/mesh_report.h"
#include "tests/plugins/bullet/scene_run.h"

namespace graze {
namespace {

using nlohmann::json;

constexpr double kPi = 3.14159265358979;
// [m] See SceneRun::largest_growth.
constexpr double kLift = 0.002;

float angle_between(const Quat& a, const Quat& b) {
    const Quat d = conjugate(a) * b;
    return 2 * std::asin(std::min(1.0f, length(Vec3{d.x, d.y, d.z})));
}

// Lowers every resolution to `most`, so that shapes take no time to build.
void coarsen(json& value, int most) {
    if (!value.is_structured()) return;
    for (auto& [key, member] : value.items()) {
        if (key == "field" && member.contains("resolution"))
            member["resolution"] = std::min(member["resolution"].get<int>(), most);
        else if (key == "generated" && member.contains("statue"))
            member["statue"]["resolution"] = 48;
        else
            coarsen(member, most);
    }
}

TEST(Scenes, AllLoadAndBegin) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scene_file("").parent_path())) {
        if (entry.path().extension() != ".json") continue;
        SCOPED_TRACE(entry.path().filename().string());
        json text = json::parse(std::ifstream(entry.path()));
        coarsen(text, 24);
        const SceneDescription scene =
            parse_scene(text.dump(), entry.path().filename().string(), entry.path().parent_path());
        if (scene.solver.kind != SolverKind::bullet) continue;  // test_cloth_scenes.cpp runs these
        EXPECT_GE(scene.bodies.size(), 2u);
        const auto simulation = bullet::make_simulation(scene);
        simulation->step();
        // Bodies begin apart, but for what is missing at this resolution.
        EXPECT_LT(simulation->statistics().deepest_penetration, 0.05f);
        ++count;
    }
    EXPECT_GE(count, 14);
}

TEST(Scenes, BodiesAtRestStayThere) {
    const char* const text = R"({
        "shapes": {
            "ground": {"formula": {"plane": {}}},
            "torus": {"generated": {"torus": {}}, "centre": "base", "field": {"resolution": 48}},
            "gear": {"generated": {"gear": {}}, "centre": "base", "field": {"resolution": 64}},
            "statue": {"generated": {"statue": {"resolution": 48}}, "centre": "base", "field": {"resolution": 64}},
            "nut": {"generated": {"nut": {}}, "centre": "base", "field": {"resolution": 64}},
            "box": {"formula": {"box": {"half_extent": [0.3, 0.4, 0.5]}, "pose": {"position": [0, 0, 0.5]}}}
        },
        "bodies": [
            {"shape": "ground", "motion": "fixed"},
            {"name": "body", "shapes": ["torus", "gear", "nut", "box", "statue"], "grid": {"counts": [5, 1, 1], "spacing": 2}}
        ],
        "time_step": 0.008333333, "solver": {"sleeps": false}})";
    SceneRun run(parse_scene(text, "at rest", "."));
    // It runs as long under a sanitizer too: bodies take a second to settle.
    constexpr double kSecond = SceneRun::is_whole ? 1 : 10;
    run.run(kSecond);
    const std::vector<BodyState> settled(run.states().begin(), run.states().end());
    run.run(5 * kSecond);
    for (std::size_t i = 1; i < settled.size(); ++i) {
        const Transform &before = settled[i].pose, &after = run.states()[i].pose;
        EXPECT_LT(distance(before.translation, after.translation), 2e-3f)
            << run.scene().bodies[i].name;
        EXPECT_LT(angle_between(before.rotation, after.rotation), 2e-3f)
            << run.scene().bodies[i].name;
    }
    EXPECT_LT(run.deepest, 0.005f);
    EXPECT_LT(run.exact_deepest, 0.005f + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
}

// Awake all the time, as what sleeps does not move anyway.
void expect_standing(SceneDescription scene) {
    scene.solver.sleeps = false;
    SceneRun run(scene);
    run.run(10);
    EXPECT_EQ(run.simulation().statistics().awake_count, 10);
    for (int i = 0; i < 10; ++i) {
        const std::string name = "box[" + std::to_string(i) + "]";
        const Transform& pose = run.state(name).pose;
        const Vec3 start = run.scene().bodies[run.index(name)].pose.translation;
        EXPECT_LT(distance(pose.translation, start), 0.02f) << name;
        EXPECT_LT(angle_between(pose.rotation, Quat::identity()), 0.03f) << name;
    }
    EXPECT_LT(run.deepest, 0.01f * 0.5f);
    EXPECT_LT(run.exact_deepest, 0.01f * 0.5f + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
}

TEST(Scenes, AStackOfTenStands) {
    expect_standing(load_scene(scene_file("stack_small")));
}

// The method rays takes the boxes' surfaces, and so does features, with which this takes longer. By
// the method sweep the stack leans over by a tenth of a metre.
TEST(Scenes, AStackOfTenStandsByRays) {
    SceneDescription scene = load_scene(scene_file("stack_small"));
    scene.method = Method::rays;
    for (SceneShape& shape : scene.shapes) {
        const Mesh mesh = std::isfinite(shape.shape.bounds().max.x)
                              ? extract_surface(shape.shape.field(), {.resolution = 8})
                              : make_terrain({.size = 4, .height = 1e-6f, .cells = 4});
        shape.shape = Shape::from_mesh(mesh, shape.shape.field());
    }
    expect_standing(std::move(scene));
}

// True where two circles are linked: one of them crosses the other's disc once.
bool are_linked(const Transform& a, const Transform& b, float radius) {
    // In a's frame b's circle is centre + radius (u cos t + v sin t).
    const Transform a_from_b = inverse(a) * b;
    const Vec3 u = transform_direction(a_from_b, Vec3{radius, 0, 0});
    const Vec3 v = transform_direction(a_from_b, Vec3{0, radius, 0});
    const Vec3 centre = a_from_b.translation;
    // Its height, a cosine of t - phase, is 0 at two t.
    const float reach = std::hypot(u.z, v.z);
    if (!(std::fabs(centre.z) < reach)) return false;
    const float phase = std::atan2(v.z, u.z), half = std::acos(-centre.z / reach);
    int crossings = 0;
    for (const float t : {phase + half, phase - half}) {
        const Vec3 p = centre + u * std::cos(t) + v * std::sin(t);
        crossings += std::hypot(p.x, p.y) < radius;
    }
    return crossings == 1;
}

TEST(Scenes, LinksOfAChainStayLinked) {
    ASSERT_FALSE(are_linked(Transform::identity(), {{0, 0, 0.1f}, Quat::identity(), 1}, 1));
    const Quat upright = Quat::from_axis_angle({1, 0, 0}, 1.5708f);
    ASSERT_TRUE(are_linked(Transform::identity(), {{1, 0, 0}, upright, 1}, 1));
    ASSERT_FALSE(are_linked(Transform::identity(), {{2.1f, 0, 0}, upright, 1}, 1));
    ASSERT_FALSE(are_linked(Transform::identity(), {{0, 0, 0}, upright, 0.5f}, 1));

    SceneRun run("chain_small");
    constexpr float kRing = 0.3f, kTube = 0.07f;
    run.run(4, [&] {
        for (int i = 0; i + 1 < 5; ++i) {
            ASSERT_TRUE(are_linked(run.state("link[" + std::to_string(i) + "]").pose,
                                   run.state("link[" + std::to_string(i + 1) + "]").pose, kRing))
                << i << " at " << run.simulation().statistics().time;
        }
        // The first one is on the hook, whose bottom is at the origin.
        ASSERT_LT(length(run.state("link[0]").pose.translation), kRing);
    });
    EXPECT_LT(run.deepest, 0.05f * 2 * kTube);
    EXPECT_LT(run.exact_deepest, 0.05f * 2 * kTube + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
}

// [rad] Returns the angle about the z axis from one step to the next.
double turned_about_z(const Quat& before, const Quat& after) {
    const Quat d = after * conjugate(before);
    return 2 * std::atan2(double{d.w < 0 ? -d.z : d.z}, std::fabs(double{d.w}));
}

TEST(Scenes, ANutGoesDownItsBoltAsItTurns) {
    SceneRun run("nut_bolt_small");
    constexpr double kPitch = 0.3, kClearance = 0.02;
    double angle = 0, farthest = 0, most_tilted = 0;
    Quat last = run.state("nut").pose.rotation;
    const double start = run.state("nut").pose.translation.z;
    run.run(4, [&] {
        const Transform& pose = run.state("nut").pose;
        angle += turned_about_z(last, pose.rotation);
        last = pose.rotation;
        const double z = start + kPitch * angle / (2 * kPi);
        // It may move up and down by the clearance, measured along the axis:
        // by 1.16 times that.
        ASSERT_NEAR(pose.translation.z, z, 1.3 * kClearance) << angle;
        farthest = std::max<double>(farthest, std::hypot(pose.translation.x, pose.translation.y));
        most_tilted =
            std::max<double>(most_tilted, std::acos(rotate(pose.rotation, Vec3{0, 0, 1}).z));
    });
    EXPECT_LT(farthest, 1.2 * kClearance);
    EXPECT_LT(most_tilted, 0.1);
    EXPECT_LT(run.deepest, 0.2f * 0.02f);
    EXPECT_LT(run.exact_deepest, 0.2f * 0.02f + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
    if (SceneRun::is_whole) {
        EXPECT_LT(angle, -2 * kPi);
    }
}

TEST(Scenes, BallsComeThroughThePipeAndStayInTheBowl) {
    SceneRun run("pipe_small");
    const SceneBody& bowl = run.scene().bodies[run.index("bowl")];
    // The scene says the sphere's middle, its inner radius and a ball's radius.
    constexpr float kBowl = 1.6f, kWall = 0.15f, kBall = 0.2f;
    const Vec3 middle = bowl.pose.translation + Vec3{0, 0, kBowl + kWall};
    std::vector<bool> was_inside(run.states().size(), false);
    run.run(8, [&] {
        for (std::size_t i = 2; i < run.states().size(); ++i) {
            const Vec3 p = run.states()[i].pose.translation;
            const bool is_inside = p.z < middle.z && distance(p, middle) < kBowl - 0.9f * kBall;
            if (was_inside[i]) {
                ASSERT_LT(distance(p, middle), kBowl - 0.85f * kBall) << i;
            }
            was_inside[i] = was_inside[i] || is_inside;
        }
    });
    if (SceneRun::is_whole) {
        for (std::size_t i = 2; i < run.states().size(); ++i) {
            EXPECT_TRUE(was_inside[i]) << run.scene().bodies[i].name;
        }
    }
    EXPECT_LT(run.deepest, 0.1f * 2 * kBall);
    EXPECT_LT(run.exact_deepest, 0.1f * 2 * kBall + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
}

// [m] Returns the least height of a vertex of any body above the terrain of these options.
float lowest_above(const SceneRun& run, const TerrainMeshOptions& terrain) {
    float lowest = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < run.states().size(); ++i) {
        const SceneBody& body = run.scene().bodies[i];
        const Mesh* mesh = run.scene().shapes[body.shape].shape.mesh();
        if (body.motion != BodyMotion::dynamic || mesh == nullptr) continue;
        // Every so many vertices suffice to see a body fall through.
        for (std::size_t v = 0; v < mesh->positions.size(); v += 7) {
            const Vec3 p = transform_point(run.states()[i].pose, mesh->positions[v]);
            lowest = std::min(lowest, p.z - terrain_height(terrain, p.x, p.y));
        }
    }
    return lowest;
}

TEST(Scenes, ObjectsComeToRestOnTheTerrain) {
    SceneRun run("objects_small");
    run.run(4);
    const TerrainMeshOptions terrain{.size = 7, .height = 0.25f, .rim_height = 1.5f, .cells = 48};
    EXPECT_GT(lowest_above(run, terrain), -0.04f);
    EXPECT_LT(run.deepest, 0.05f);
    EXPECT_LT(run.exact_deepest, 0.05f + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
    for (std::size_t i = 1; i < run.states().size(); ++i)
        EXPECT_LT(run.states()[i].pose.translation.z, 3) << i;
}

TEST(Scenes, StatuesComeToRestOnTheTerrain) {
    SceneRun run("statues_small");
    run.run(8);
    const TerrainMeshOptions terrain{
        .size = 6, .height = 0.35f, .wavelength = 5, .rim_height = 0.6f, .cells = 48};
    EXPECT_GT(lowest_above(run, terrain), -0.02f);
    EXPECT_LT(run.deepest, 0.02f);
    EXPECT_LT(run.exact_deepest, 0.02f + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
    if (SceneRun::is_whole) {
        EXPECT_LT(run.simulation().statistics().kinetic_energy, 1);
    }
}

struct MeshOfScene {
    const char* shape;
    std::size_t vertex_count, triangle_count;
};

// What happens in the scenes of the method rays: bodies of such meshes come down to the ground from
// at most that height [m].
void expect_heap(const std::string& name, double seconds, double height,
                 const std::vector<MeshOfScene>& meshes) {
    SceneRun run(name);
    EXPECT_EQ(run.scene().method, Method::rays);
    ASSERT_EQ(run.scene().shapes.size(), meshes.size() + 1) << "these and the ground";
    for (const MeshOfScene& expected : meshes) {
        const auto& shapes = run.scene().shapes;
        const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const SceneShape& shape) {
            return shape.name == expected.shape;
        });
        ASSERT_NE(found, shapes.end()) << expected.shape;
        const Mesh& mesh = *found->shape.mesh();
        EXPECT_EQ(mesh.positions.size(), expected.vertex_count) << expected.shape;
        EXPECT_EQ(mesh.triangles.size(), expected.triangle_count) << expected.shape;
        EXPECT_TRUE(inspect(mesh).is_closed()) << expected.shape;
    }
    run.run(seconds);
    EXPECT_GT(lowest_above(run, {.size = 20, .height = 1e-6f, .cells = 16}), -0.05f);
    // The method looks at instants: what arrives is as deep as it falls in a step.
    const double fall = std::sqrt(2 * 9.81 * height) * run.scene().time_step;
    EXPECT_LT(run.deepest, fall + 0.05);
    EXPECT_LT(run.exact_deepest, fall + 0.05 + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
    if (!SceneRun::is_whole) return;
    EXPECT_LT(run.simulation().statistics().deepest_penetration, 0.02f);
    for (std::size_t i = 1; i < run.states().size(); ++i) {
        ASSERT_TRUE(run.states()[i].is_present) << i;
        const Vec3 p = run.states()[i].pose.translation;
        EXPECT_LT(p.z, 3) << i;
        EXPECT_LT(std::hypot(p.x, p.y), 9) << i;
    }
}

TEST(Scenes, HorseshoesComeDownInAHeap) {
    expect_heap("avalanche_small", 3, 4.2, {{"horseshoe", 453, 902}});
}

TEST(Scenes, BodiesThatArePouredComeDownInAHeap) {
    expect_heap("pouring_small", 4, 6,
                {{"horseshoe", 453, 902},
                 {"wave", 1067, 2130},
                 {"spring", 1730, 3456},
                 {"hook", 1731, 3458}});
}

// Rays that a detector follows, compared with rays that are cast anew.
struct FollowedRays {
    Detector detector;
    std::string name;
    double wrong_count = 0, cast_count = 0;

    void step(const Scene& scene, const std::map<std::array<std::uint32_t, 4>, float>& expected) {
        const auto found = by_vertex(detector.detect(scene));
        cast_count += detector.report().figure("cast_rays");
        for (const auto& [key, distance] : found) {
            const auto same = expected.find(key);
            // [m] What rounding may do.
            const bool is_right =
                same != expected.end() && std::fabs(same->second - distance) < 1e-5f;
            wrong_count += is_right ? 0 : 1;
        }
        for (const auto& [key, distance] : expected)
            wrong_count += found.contains(key) ? 0 : 1;
    }
    static std::map<std::array<std::uint32_t, 4>, float> by_vertex(
        std::span<const Contact> contacts) {
        std::map<std::array<std::uint32_t, 4>, float> result;
        for (const Contact& c : contacts) {
            const bool is_of_a = c.feature_a.kind == FeatureKind::vertex;
            const std::uint32_t vertex = is_of_a ? c.feature_a.index : c.feature_b.index;
            result[{c.body_a, c.body_b, is_of_a ? 0u : 1u, vertex}] = c.distance;
        }
        return result;
    }
};

// Thresholds that adapt against the best fixed one, found by search, with the motion of a scene. By
// the defaults, with caution, no fixed one has fewer wrong rays; without caution on either side
// none has fewer by as few casts.
void expect_best_thresholds(const std::string& name, double seconds) {
    SceneRun run(name);
    DetectorOptions options{.rays = {.is_cautious = false}};
    std::vector<FollowedRays> followed;
    followed.push_back({Detector(Method::rays, Device::cpu(), options), "adapting"});
    options.rays.adapts = false;
    for (const float threshold : {0.0f, 0.01f, 0.02f, 0.05f, 0.1f, 0.2f}) {
        options.rays.displacement_threshold = threshold;
        followed.push_back(
            {Detector(Method::rays, Device::cpu(), options), std::to_string(threshold) + " m"});
    }
    FollowedRays defaults{Detector(Method::rays, Device::cpu()), "defaults"};
    Detector standard(Method::rays, Device::cpu(), {.rays = {.is_iterative = false}});
    double ray_count = 0;
    run.run(seconds, [&] {
        Scene scene;
        for (std::size_t i = 0; i < run.states().size(); ++i) {
            if (!run.states()[i].is_present) continue;
            scene.add(run.scene().shapes[run.scene().bodies[i].shape].shape, run.states()[i].pose);
        }
        const auto expected = FollowedRays::by_vertex(standard.detect(scene));
        ray_count += standard.report().figure("cast_rays");
        defaults.step(scene, expected);
        for (FollowedRays& rays : followed)
            rays.step(scene, expected);
    });
    if (SceneRun::is_whole) {
        EXPECT_LT(defaults.cast_count, ray_count / 2) << "or nothing is followed";
    }
    const FollowedRays& adapting = followed.front();
    for (const FollowedRays& fixed : followed) {
        EXPECT_LE(defaults.wrong_count, fixed.wrong_count) << fixed.name;
        EXPECT_TRUE(fixed.wrong_count >= adapting.wrong_count ||
                    fixed.cast_count > adapting.cast_count)
            << fixed.name << ": " << fixed.wrong_count << " wrong by " << fixed.cast_count
            << " casts, adapting " << adapting.wrong_count << " by " << adapting.cast_count;
    }
}

TEST(Scenes, ThresholdsOfRaysAdaptAsWellAsTheBestFixedOne) {
    expect_best_thresholds("avalanche_small", 2.5);
    expect_best_thresholds("pouring_small", 2.5);
}

TEST(Scenes, RingsHangOnTheFigure) {
    SceneRun run("armadillo_tori_small");
    run.run(3);
    EXPECT_LT(run.deepest, 0.2f * 2 * 0.02f);
    EXPECT_LT(run.exact_deepest, 0.2f * 2 * 0.02f + run.field_error());
    EXPECT_LT(run.largest_growth, kLift);
    if (!SceneRun::is_whole) return;
    for (const char* ring : {"hand[0]", "hand[1]", "left_ear", "right_ear"})
        EXPECT_GT(run.state(ring).pose.translation.z, 0.5f) << ring;
}

}  // namespace
}  // namespace graze
