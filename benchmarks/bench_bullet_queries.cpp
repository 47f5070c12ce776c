// Measures rays and sweeps in a Bullet world: at a GrazeShape and at Bullet's own
// btBvhTriangleMeshShape of the same triangles, in turns in the same run, with the hits compared.
//
//     bench_bullet_queries [--rays 20000] [--rounds 15] MESH...
//
// Rays join two random points of the ball around the shape; so do sweeps, of a ball a twentieth as
// large as the shape. Without a mesh the default torus is taken.
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/call_times.h"
#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze_bullet/graze_shape.h"

namespace graze {
namespace {

struct Request {
    int rays = 20000, rounds = 15;
    std::vector<std::string> meshes;
};

Request parse(int argc, char** argv) {
    Request request;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--rays" && i + 1 < argc)
            request.rays = std::atoi(argv[++i]);
        else if (word == "--rounds" && i + 1 < argc)
            request.rounds = std::atoi(argv[++i]);
        else
            request.meshes.push_back(word);
    }
    return request;
}

// A world with one shape in it.
struct World {
    explicit World(btCollisionShape* shape) {
        object.setCollisionShape(shape);
        world.addCollisionObject(&object);
    }
    ~World() { world.removeCollisionObject(&object); }

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    btCollisionObject object;
};

struct OwnMesh {
    explicit OwnMesh(const Mesh& mesh) {
        btIndexedMesh indexed;
        indexed.m_numTriangles = static_cast<int>(mesh.triangles.size());
        indexed.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(mesh.triangles.data());
        indexed.m_triangleIndexStride = sizeof(mesh.triangles[0]);
        indexed.m_numVertices = static_cast<int>(mesh.positions.size());
        indexed.m_vertexBase = reinterpret_cast<const unsigned char*>(mesh.positions.data());
        indexed.m_vertexStride = sizeof(Vec3);
        indexed.m_vertexType = PHY_FLOAT;
        array.addIndexedMesh(indexed, PHY_INTEGER);
        shape = std::make_unique<btBvhTriangleMeshShape>(&array, true);
    }
    btTriangleIndexVertexArray array;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
};

struct Path {
    btVector3 from, to;
};

std::vector<Path> random_paths(const Aabb& box, int count) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    const Vec3 centre = (box.min + box.max) * 0.5f;
    const float radius = length(extent(box)) / 2;
    const auto on_ball = [&] {
        const float x = normal(random), y = normal(random), z = normal(random);
        const Vec3 p = centre + normalized(Vec3{x, y, z}) * radius;
        return btVector3(p.x, p.y, p.z);
    };
    std::vector<Path> paths;
    for (int i = 0; i < count; ++i) {
        const btVector3 from = on_ball();
        paths.push_back({from, on_ball()});
    }
    return paths;
}

// Where each path first hits; 1 where it does not.
std::vector<btScalar> cast_rays(const btCollisionWorld& world, const std::vector<Path>& paths) {
    std::vector<btScalar> hits;
    hits.reserve(paths.size());
    for (const Path& path : paths) {
        btCollisionWorld::ClosestRayResultCallback hit(path.from, path.to);
        world.rayTest(path.from, path.to, hit);
        hits.push_back(hit.m_closestHitFraction);
    }
    return hits;
}

std::vector<btScalar> cast_ball(const btCollisionWorld& world, const std::vector<Path>& paths,
                                btScalar radius) {
    const btSphereShape ball(radius);
    std::vector<btScalar> hits;
    hits.reserve(paths.size());
    for (const Path& path : paths) {
        btTransform from = btTransform::getIdentity(), to = from;
        from.setOrigin(path.from);
        to.setOrigin(path.to);
        btCollisionWorld::ClosestConvexResultCallback hit(path.from, path.to);
        world.convexSweepTest(&ball, from, to, hit);
        hits.push_back(hit.m_closestHitFraction);
    }
    return hits;
}

template <class Cast>
void compare(const char* what, const Request& request, std::size_t count, const World& own,
             const World& graze, const Cast& cast) {
    std::vector<double> own_times, graze_times;
    std::vector<btScalar> own_hits, graze_hits;
    for (int round = 0; round <= request.rounds; ++round) {  // the first one makes trees
        const double own_time = time_call([&] { own_hits = cast(own.world); }).cpu;
        const double graze_time = time_call([&] { graze_hits = cast(graze.world); }).cpu;
        if (round == 0) continue;
        own_times.push_back(own_time * 1e3 / static_cast<double>(count));
        graze_times.push_back(graze_time * 1e3 / static_cast<double>(count));
    }
    std::size_t hit_count = 0, other_count = 0;
    for (std::size_t i = 0; i < own_hits.size(); ++i) {
        hit_count += own_hits[i] < 1 ? 1 : 0;
        other_count += own_hits[i] != graze_hits[i] ? 1 : 0;
    }
    const double own_time = median_of(own_times), graze_time = median_of(graze_times);
    std::printf(
        "  %-8s Bullet %8.2f us  graze %8.2f us  (%.2f times)  %zu of %zu hit, %zu differ\n", what,
        own_time, graze_time, graze_time / own_time, hit_count, count, other_count);
}

void run(const std::string& name, const Mesh& mesh, const Request& request) {
    const Aabb box = bounds(mesh);
    const float size = length(extent(box));
    const OwnMesh own_mesh(mesh);
    own_mesh.shape->setMargin(btScalar(0.01) * size);
    ShapeOptions options;
    options.field.resolution = 32;
    bullet::GrazeShape shape(Shape::from_mesh(mesh, options));
    shape.setMargin(btScalar(0.01) * size);
    const World own(own_mesh.shape.get()), graze(&shape);
    const std::vector<Path> paths = random_paths(box, request.rays);
    const std::vector<Path> few(paths.begin(), paths.begin() + request.rays / 20);
    std::printf("%s, %zu triangles\n", name.c_str(), mesh.triangles.size());
    compare("ray", request, paths.size(), own, graze,
            [&](const btCollisionWorld& world) { return cast_rays(world, paths); });
    compare("sweep", request, few.size(), own, graze,
            [&](const btCollisionWorld& world) { return cast_ball(world, few, size / 20); });
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    try {
        const graze::Request request = graze::parse(argc, argv);
        if (request.meshes.empty()) graze::run("torus", graze::make_torus(), request);
        for (const std::string& mesh : request.meshes)
            graze::run(mesh, graze::load_mesh(mesh), request);
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
