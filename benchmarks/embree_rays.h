// EmbreeRays: the rays that Method::rays casts in a step, from all vertices in the intersections of
// the boxes of pairs, cast by Embree one by one against the same meshes.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>

#include "benchmarks/embree_triangles.h"
#include "benchmarks/pose_file.h"
#include "narrow_phase/rays/shape_rays.h"

namespace graze {

class EmbreeRays {
public:
    // A device of so many threads would hold all of oneTBB to them, cast() included.
    explicit EmbreeRays(const std::vector<Mesh>& meshes) : device_(rtcNewDevice(nullptr)) {
        // Embree reads the arrays of the meshes that are kept here.
        rays_.reserve(meshes.size());
        for (const Mesh& mesh : meshes)
            rays_.push_back(make_mesh_rays(mesh, 0, [](double) { return true; }));
        for (const MeshRays& rays : rays_) {
            RTCScene scene = rtcNewScene(device_);
            rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
            add_embree_triangles(device_, scene, rays.mesh);
            rtcCommitScene(scene);
            scenes_.push_back(scene);
        }
    }
    ~EmbreeRays() {
        for (RTCScene scene : scenes_)
            rtcReleaseScene(scene);
        rtcReleaseDevice(device_);
    }
    EmbreeRays(const EmbreeRays&) = delete;
    EmbreeRays& operator=(const EmbreeRays&) = delete;

    // Lists the rays of a step. of_all_vertices: also from those outside of the intersections of
    // boxes, as the paper counts rays.
    void gather(const Scene& scene, const PoseFile& file, bool of_all_vertices) {
        rays_of_step_.clear();
        pair_count_ = 0;
        std::vector<Aabb> boxes;
        for (const Body& body : scene.bodies())
            boxes.push_back(body_box(body));
        for (std::uint32_t a = 0; a < scene.size(); ++a) {
            for (std::uint32_t b = a + 1; b < scene.size(); ++b) {
                if (!overlap(boxes[a], boxes[b]) || (scene[a].is_static && scene[b].is_static))
                    continue;
                ++pair_count_;
                const Aabb region =
                    of_all_vertices ? merge(boxes[a], boxes[b]) : intersect(boxes[a], boxes[b]);
                add_side(scene[a].pose, file.bodies[a].mesh, scene[b].pose, file.bodies[b].mesh,
                         region);
                add_side(scene[b].pose, file.bodies[b].mesh, scene[a].pose, file.bodies[a].mesh,
                         region);
            }
        }
    }

    void cast(int threads) {
        std::atomic<std::size_t> hits{0};
        tbb::task_arena arena(threads);
        arena.execute([&] {
            tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rays_of_step_.size(), 1024),
                              [&](const tbb::blocked_range<std::size_t>& range) {
                                  std::size_t found = 0;
                                  for (std::size_t i = range.begin(); i < range.end(); ++i)
                                      found += cast_one(rays_of_step_[i]);
                                  hits += found;
                              });
        });
        hit_count_ = hits;
    }

    std::size_t pair_count() const { return pair_count_; }
    std::size_t ray_count() const { return rays_of_step_.size(); }
    // Rays that meet the other body from inside before they leave their own.
    std::size_t hit_count() const { return hit_count_; }

private:
    struct CastRay {
        Vec3 origin;  // in the target's frame
        float reach;
        Vec3 direction;
        std::uint32_t mesh;
    };

    void add_side(const Transform& source, std::uint32_t source_mesh, const Transform& target,
                  std::uint32_t target_mesh, const Aabb& region) {
        const Transform target_from_source = inverse(target) * source;
        for (const RayVertex& vertex : rays_[source_mesh].vertices) {
            if (!contains(region, transform_point(source, vertex.position))) continue;
            rays_of_step_.push_back({transform_point(target_from_source, vertex.position),
                                     vertex.inner_reach * target_from_source.scale,
                                     -transform_direction(target_from_source, vertex.normal),
                                     target_mesh});
        }
    }

    bool cast_one(const CastRay& ray) const {
        RTCRayHit query;
        query.ray = {ray.origin.x,
                     ray.origin.y,
                     ray.origin.z,
                     0,
                     ray.direction.x,
                     ray.direction.y,
                     ray.direction.z,
                     0,
                     ray.reach,
                     ~0u,
                     0,
                     0};
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(scenes_[ray.mesh], &context, &query);
        return query.hit.geomID != RTC_INVALID_GEOMETRY_ID &&
               query.hit.Ng_x * ray.direction.x + query.hit.Ng_y * ray.direction.y +
                       query.hit.Ng_z * ray.direction.z >
                   0;
    }

    RTCDevice device_;
    std::vector<MeshRays> rays_;
    std::vector<RTCScene> scenes_;
    std::vector<CastRay> rays_of_step_;
    std::size_t pair_count_ = 0, hit_count_ = 0;
};

}  // namespace graze
