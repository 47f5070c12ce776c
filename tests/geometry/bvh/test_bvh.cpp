#include "geometry/bvh/wide_traverse.h"
#include "parallel/cpu_executor.h"
#include "tests/geometry/bvh/bvh_cases.h"

namespace graze {
namespace {

const BvhQuality kQualities[] = {BvhQuality::fast, BvhQuality::high};

void build(CpuExecutor& executor, const Mesh& mesh, BvhQuality quality, TriangleBvh& bvh) {
    build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                       static_cast<std::int64_t>(mesh.triangles.size()), quality, bvh);
}

template <class T>
std::vector<T> to_vector(const Buffer<T>& buffer) {
    return std::vector<T>(buffer.data(), buffer.data() + buffer.size());
}
HostTree host_tree(const TriangleBvh& bvh) {
    return {to_vector(bvh.tree.nodes), to_vector(bvh.tree.primitives),
            to_vector(bvh.tree.leaf_parents)};
}

TEST(Bvh, TreesAreSound) {
    CpuExecutor executor(2);
    for (const NamedMesh& m : bvh_meshes()) {
        for (const BvhQuality quality : kQualities) {
            TriangleBvh bvh(host_memory());
            build(executor, m.mesh, quality, bvh);
            check_tree(host_tree(bvh), m.mesh, m.name);
        }
    }
}

TEST(Bvh, RefitFollowsTheMesh) {
    CpuExecutor executor(2);
    for (const NamedMesh& m : bvh_meshes()) {
        for (const BvhQuality quality : kQualities) {
            TriangleBvh bvh(host_memory());
            build(executor, m.mesh, quality, bvh);
            const Mesh moved{moved_positions(m.mesh), m.mesh.triangles};
            refit_triangle_bvh(executor, moved.positions.data(), moved.triangles.data(), bvh);
            check_tree(host_tree(bvh), moved, m.name);
        }
    }
}

TEST(Bvh, SameTreeForAnyThreadCount) {
    const Mesh mesh = random_soup(20'000, 0.02f, 5);
    for (const BvhQuality quality : kQualities) {
        CpuExecutor one(1), three(3);
        TriangleBvh a(host_memory()), b(host_memory());
        build(one, mesh, quality, a);
        build(three, mesh, quality, b);
        EXPECT_TRUE(same_tree(host_tree(a), host_tree(b)));
    }
}

TEST(Bvh, BuildingAndRefittingAgainAllocatesNothing) {
    CpuExecutor executor(2);
    const Mesh mesh = make_torus(80, 60);
    TriangleBvh bvh(host_memory());
    WideBvh wide{host_memory()};
    BvhPairs pairs(host_memory());
    const auto step = [&] {
        for (const BvhQuality quality : kQualities) {
            build(executor, mesh, quality, bvh);
            refit_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(), bvh);
            build_wide_bvh(executor, bvh, wide);
            refit_wide_bvh(executor, bvh, wide);
            find_self_overlaps(executor, bvh.tree, bvh.boxes.data(), pairs);
        }
    };
    step();
    const std::int64_t before = host_memory().allocation_count();
    step();
    EXPECT_EQ(host_memory().allocation_count(), before);
}

// Asks one query of the tree in every form that there is.
template <class MakeQuery, class Check>
void ask_everywhere(const TriangleBvh& bvh, const WideBvh& wide, const MakeQuery& make_query,
                    const Check& check) {
    auto with_stack = make_query();
    traverse(bvh.tree.view(), with_stack);
    check(with_stack, "stack");
    auto without_stack = make_query();
    traverse_stackless(bvh.tree.view(), without_stack);
    check(without_stack, "stackless");
    auto eight_wide = make_query();
    traverse(wide.view(), eight_wide);
    check(eight_wide, "wide");
}

struct BuiltMesh {
    NamedMesh source;
    TriangleBvh bvh{host_memory()};
    WideBvh wide{host_memory()};
};
std::vector<BuiltMesh> built_meshes() {
    std::vector<BuiltMesh> result;
    CpuExecutor executor(2);
    for (NamedMesh& m : bvh_meshes()) {
        for (const BvhQuality quality : kQualities) {
            result.emplace_back().source = m;
            build(executor, m.mesh, quality, result.back().bvh);
            build_wide_bvh(executor, result.back().bvh, result.back().wide);
        }
    }
    return result;
}

// The hit, or one whose own parameter is the same up to rounding.
void expect_first_hit(const RayHit& found, const RayHit& expected, const Mesh& mesh, const Ray& ray,
                      const std::string& what) {
    ASSERT_EQ(found.triangle == kNoTriangle, expected.triangle == kNoTriangle) << what;
    if (found.triangle == expected.triangle) {
        if (expected.triangle == kNoTriangle) return;
        EXPECT_EQ(found.t, expected.t) << what;
        EXPECT_EQ(found.front, expected.front) << what;
        return;
    }
    const float tolerance = 1e-5f * std::max(1.0f, std::fabs(expected.t));
    EXPECT_NEAR(found.t, expected.t, tolerance) << what;
    const Triangle& t = mesh.triangles[found.triangle];
    const Mesh alone{mesh.positions, {t}};
    EXPECT_EQ(brute_first_hit(alone, ray).t, found.t) << what;
    EXPECT_FALSE(t == mesh.triangles[expected.triangle])
        << what << ": of equal triangles, the first";
}

TEST(BvhQueries, FirstHitIsTheBruteForceOne) {
    for (const BuiltMesh& m : built_meshes()) {
        for (const Ray& ray : probe_rays(m.source.mesh, 150)) {
            const RayHit expected = brute_first_hit(m.source.mesh, ray);
            ask_everywhere(
                m.bvh, m.wide, [&] { return FirstHit(ray, m.bvh.triangles.data()); },
                [&](const FirstHit& query, const char* how) {
                    expect_first_hit(query.hit(), expected, m.source.mesh, ray,
                                     m.source.name + ", " + how);
                });
        }
    }
}

// The filter before the exact test keeps whatever that test would hit, triangles seen nearly
// edge-on and rays through corners included.
TEST(BvhQueries, FilterKeepsEveryHit) {
    std::mt19937 random(41);
    std::uniform_real_distribution<float> unit(-1, 1);
    const auto point = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
    std::int64_t hit_count = 0;
    for (int i = 0; i < 400'000; ++i) {
        const Vec3 origin = point();
        Vec3 direction = point();
        if (i % 5 == 0) direction *= std::pow(10.0f, 12 * unit(random));
        Vec3 corners[3] = {point(), point(), point()};
        // Into the plane of the ray, and a corner or an edge onto it.
        const Vec3 side = point();
        if (i % 2 == 0) {
            for (Vec3& corner : corners)
                corner = origin + direction * unit(random) + side * unit(random);
        }
        if (i % 3 == 0) corners[0] = origin + direction * unit(random);
        if (i % 6 == 0) corners[1] = origin + direction * unit(random);
        const Ray ray{origin, direction, 0.25f * unit(random), 2 * std::fabs(unit(random))};
        RayTriangleHit<float> hit;
        if (!intersect_ray_triangle(make_ray_shear(origin, direction), corners[0], corners[1],
                                    corners[2], ray.t_min, ray.t_max, hit)) {
            continue;
        }
        ++hit_count;
        const BvhTriangle triangle{corners[0], corners[1], corners[2], 7, {0, 0}};
        FirstHit query(ray, &triangle);
        query.visit(0);
        EXPECT_EQ(query.hit().triangle, 7u) << i << " t " << hit.t;
        if (i % 6 != 1 && i % 6 != 5) continue;
        // The box is entered before the hit, too, where the hit's position is well defined.
        const Aabb box = box_of(corners[0], corners[1], corners[2]);
        EXPECT_LE(RaySlabs(ray).enter(box, ray.t_max), hit.t + 1e-4f * std::fabs(hit.t)) << i;
    }
    EXPECT_GT(hit_count, 10'000);
}

TEST(BvhQueries, AnyAndAllHitsAreTheBruteForceOnes) {
    struct Collect {
        std::vector<std::uint32_t> hits;
        void operator()(const RayHit& hit) { hits.push_back(hit.triangle); }
    };
    for (const BuiltMesh& m : built_meshes()) {
        for (const Ray& ray : probe_rays(m.source.mesh, 60)) {
            const std::vector<std::uint32_t> expected = brute_all_hits(m.source.mesh, ray);
            Collect collect;
            ask_everywhere(
                m.bvh, m.wide,
                [&] {
                    collect.hits.clear();
                    return AllHits<Collect>(ray, m.bvh.triangles.data(), collect);
                },
                [&](const AllHits<Collect>&, const char* how) {
                    std::sort(collect.hits.begin(), collect.hits.end());
                    EXPECT_EQ(collect.hits, expected) << m.source.name << ", " << how;
                });
            ask_everywhere(
                m.bvh, m.wide, [&] { return AnyHit(ray, m.bvh.triangles.data()); },
                [&](const AnyHit& query, const char* how) {
                    EXPECT_EQ(query.is_hit(), !expected.empty()) << m.source.name << ", " << how;
                });
        }
    }
}

TEST(BvhQueries, ClosestPointIsTheBruteForceOne) {
    for (const BuiltMesh& m : built_meshes()) {
        for (const Vec3& point : probe_points(m.source.mesh, 150)) {
            const float expected = brute_distance_sq(m.source.mesh, point);
            ask_everywhere(
                m.bvh, m.wide, [&] { return ClosestPoint(point, m.bvh.triangles.data()); },
                [&](const ClosestPoint& query, const char* how) {
                    ASSERT_EQ(query.is_found(), !m.source.mesh.triangles.empty())
                        << m.source.name << ", " << how;
                    if (!query.is_found()) return;
                    // Boxes are compared after rounding, so that a triangle as near as rounding may
                    // be passed over.
                    EXPECT_NEAR(std::sqrt(query.closest().distance_sq), std::sqrt(expected),
                                1e-6f * (1 + std::sqrt(expected)))
                        << m.source.name << ", " << how;
                });
            // A limit below the distance finds nothing.
            if (expected > 0 && expected < std::numeric_limits<float>::infinity()) {
                ask_everywhere(
                    m.bvh, m.wide,
                    [&] { return ClosestPoint(point, m.bvh.triangles.data(), expected * 0.99f); },
                    [&](const ClosestPoint& query, const char* how) {
                        EXPECT_FALSE(query.is_found()) << m.source.name << ", " << how;
                    });
            }
        }
    }
}

TEST(BvhQueries, BoxOverlapIsTheBruteForceOne) {
    struct Collect {
        std::vector<std::uint32_t> slots;
        void operator()(std::uint32_t slot) { slots.push_back(slot); }
    };
    for (const BuiltMesh& m : built_meshes()) {
        const std::vector<Aabb> boxes = brute_boxes(m.source.mesh);
        const std::vector<Vec3> corners = probe_points(m.source.mesh, 60);
        for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
            const Aabb box{min_of(corners[i], corners[i + 1]), max_of(corners[i], corners[i + 1])};
            std::vector<std::uint32_t> expected;
            for (std::uint32_t k = 0; k < boxes.size(); ++k) {
                if (overlap(boxes[k], box)) expected.push_back(k);
            }
            for (const bool stackless : {false, true}) {
                Collect collect;
                BoxOverlap<Collect> query(box, collect);
                if (stackless) {
                    traverse_stackless(m.bvh.tree.view(), query);
                } else {
                    traverse(m.bvh.tree.view(), query);
                }
                std::vector<std::uint32_t> found;
                found.reserve(collect.slots.size());
                for (const std::uint32_t slot : collect.slots) {
                    found.push_back(m.bvh.tree.primitives.data()[slot]);
                }
                std::sort(found.begin(), found.end());
                EXPECT_EQ(found, expected) << m.source.name;
            }
        }
    }
}

TEST(BvhQueries, SelfOverlapsAreTheBruteForceOnes) {
    CpuExecutor executor(2);
    for (const BuiltMesh& m : built_meshes()) {
        BvhPairs result(host_memory());
        find_self_overlaps(executor, m.bvh.tree, m.bvh.boxes.data(), result);
        EXPECT_TRUE(sorted_pairs(to_vector(result.pairs)) == brute_pairs(m.source.mesh))
            << m.source.name;
    }
}

// A refitted wide tree answers as one that is built anew.
TEST(WideBvh, RefitFollowsTheMesh) {
    CpuExecutor executor(2);
    const Mesh mesh = make_torus(30, 20);
    TriangleBvh bvh(host_memory());
    WideBvh wide{host_memory()};
    build(executor, mesh, BvhQuality::high, bvh);
    build_wide_bvh(executor, bvh, wide);
    const Mesh moved{moved_positions(mesh), mesh.triangles};
    refit_triangle_bvh(executor, moved.positions.data(), moved.triangles.data(), bvh);
    refit_wide_bvh(executor, bvh, wide);
    for (const Ray& ray : probe_rays(moved, 500)) {
        FirstHit query(ray, bvh.triangles.data());
        traverse(wide.view(), query);
        EXPECT_EQ(query.hit().triangle, brute_first_hit(moved, ray).triangle);
    }
}

}  // namespace
}  // namespace graze
