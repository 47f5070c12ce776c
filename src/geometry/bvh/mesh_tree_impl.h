// MeshTreeOn: a MeshTree on one machine. What only some questions need is made when the first of
// them comes: normals, and the tree by which inside is told from outside.
#pragma once

#include <algorithm>

#include "geometry/bvh/mesh_tree_engine.h"
#include "geometry/bvh/mesh_tree_questions.h"
#include "parallel/upload.h"

namespace graze {

// Normals of a mesh in an executor's memory.
struct MeshNormals {
    explicit MeshNormals(Memory& memory)
        : triangles(memory), workspace(memory), topology(memory), normals(memory) {}

    mesh_tree_detail::NormalsView view() const {
        return {triangles.data(), topology.triangle_edges.data(), normals.faces.data(),
                normals.edges.data(), normals.vertices.data()};
    }

    Buffer<Triangle> triangles;
    TopologyWorkspace workspace;
    Topology topology;
    Pseudonormals normals;
};

// Forest: the trees of the machine, as they are walked (make(), refit(), tree()).
template <class Executor, class Forest>
class MeshTreeOn final : public MeshTreeEngine {
public:
    template <class... Arguments>
    explicit MeshTreeOn(Mesh mesh, const Arguments&... arguments)
        : MeshTreeEngine(std::move(mesh)),
          executor_(arguments...),
          positions_(executor_.memory()),
          triangles_(executor_.memory()),
          bvh_(executor_.memory()),
          forest_(executor_.memory()),
          normals_(executor_.memory()),
          winding_(executor_.memory()),
          solid_positions_(executor_.memory()),
          solid_triangles_(executor_.memory()),
          solid_bvh_(executor_.memory()),
          solid_winding_(executor_.memory()),
          points_(executor_.memory()),
          rays_(executor_.memory()),
          boxes_(executor_.memory()),
          counts_(executor_.memory()) {
        upload(executor_, "mesh tree: upload", mesh_.positions, positions_);
        upload(executor_, "mesh tree: upload", mesh_.triangles, triangles_);
        build_triangle_bvh(executor_, positions_.data(), triangles_.data(), triangles_.size(),
                           BvhQuality::high, bvh_);
        forest_.make(executor_, bvh_);
        executor_.wait();
    }

    void set_positions(std::span<const Vec3> positions) override {
        solid_.first_vertices();  // by the positions so far
        std::copy(positions.begin(), positions.end(), mesh_.positions.begin());
        upload(executor_, "mesh tree: upload", mesh_.positions, positions_);
        refit_triangle_bvh(executor_, positions_.data(), triangles_.data(), bvh_);
        forest_.refit(executor_, bvh_);
        executor_.wait();
        solid_.moved();
        has_moved_ = true;
        has_normals_ = has_winding_ = has_solid_ = false;
    }

    DistanceSign distance_sign() override {
        if (has_moved_) return DistanceSign::winding;  // it may intersect itself by now
        if (sign_ == DistanceSign::automatic) {
            sign_ = solid_.has_sure_normals() ? DistanceSign::pseudonormal : DistanceSign::winding;
        }
        return sign_;
    }

    std::span<const NearestPoint> find_nearest(std::span<const Vec3> points, float max_distance,
                                               const Progress& progress) override {
        prepare_normals();
        const auto count = ask(points, points_, nearest_);
        run("mesh tree: nearest", count, progress,
            mesh_tree_detail::FindNearest<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                                normals_.view(), questions(points, points_),
                                                max_distance * max_distance, nearest_.data()});
        return answers(nearest_, host_nearest_);
    }

    std::span<const float> signed_distances(std::span<const Vec3> points, DistanceSign sign,
                                            const Progress& progress) override {
        const auto count = ask(points, points_, numbers_);
        if (sign == DistanceSign::pseudonormal) {
            prepare_normals();
            run("mesh tree: signed distances", count, progress,
                mesh_tree_detail::SignByNormals<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                                      normals_.view(), questions(points, points_),
                                                      numbers_.data()});
        } else {
            prepare_solid();
            const bool is_same = solid_is_mesh_;
            run("mesh tree: signed distances", count, progress,
                mesh_tree_detail::SignByWinding<Tree>{
                    forest_.tree(bvh_), bvh_.triangles.data(),
                    is_same ? bvh_.view() : solid_bvh_.view(),
                    is_same ? winding_.moments.data() : solid_winding_.moments.data(),
                    questions(points, points_), numbers_.data()});
        }
        return answers(numbers_, host_numbers_);
    }

    std::span<const float> winding_numbers(std::span<const Vec3> points,
                                           const Progress& progress) override {
        prepare_winding();
        const auto count = ask(points, points_, numbers_);
        run("mesh tree: winding numbers", count, progress,
            mesh_tree_detail::SumWinding{bvh_.view(), winding_.moments.data(),
                                         questions(points, points_), numbers_.data()});
        return answers(numbers_, host_numbers_);
    }

    std::span<const RayHit> find_first_hits(std::span<const Ray> rays,
                                            const Progress& progress) override {
        const auto count = ask(rays, rays_, hits_);
        run("mesh tree: first hits", count, progress,
            mesh_tree_detail::FindFirstHit<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                                 questions(rays, rays_), hits_.data()});
        return answers(hits_, host_hits_);
    }

    std::span<const std::uint8_t> find_any_hits(std::span<const Ray> rays,
                                                const Progress& progress) override {
        const auto count = ask(rays, rays_, flags_);
        run("mesh tree: any hits", count, progress,
            mesh_tree_detail::FindAnyHit<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                               questions(rays, rays_), flags_.data()});
        return answers(flags_, host_flags_);
    }

    AnswerLists<RayHit> find_all_hits(std::span<const Ray> rays,
                                      const Progress& progress) override {
        take(rays, rays_);
        return lists(static_cast<std::int64_t>(rays.size()), progress,
                     mesh_tree_detail::AskAllHits<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                                        questions(rays, rays_)},
                     hits_, host_hits_);
    }

    AnswerLists<std::uint32_t> find_in_boxes(std::span<const Aabb> boxes,
                                             const Progress& progress) override {
        take(boxes, boxes_);
        return lists(static_cast<std::int64_t>(boxes.size()), progress,
                     mesh_tree_detail::AskInBox<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                                      questions(boxes, boxes_)},
                     indices_, host_indices_);
    }

    std::span<const NearTriangle> find_nearest_triangles(std::span<const Vec3> points, int wanted,
                                                         const Progress& progress) override {
        take(points, points_);
        near_.resize(static_cast<std::int64_t>(points.size()) * wanted);
        run("mesh tree: nearest triangles", static_cast<std::int64_t>(points.size()), progress,
            mesh_tree_detail::FindNearestTriangles<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                                         questions(points, points_), wanted,
                                                         near_.data()});
        return answers(near_, host_near_);
    }

    AnswerLists<NearTriangle> find_within(std::span<const Vec3> points, float distance,
                                          const Progress& progress) override {
        take(points, points_);
        return lists(
            static_cast<std::int64_t>(points.size()), progress,
            mesh_tree_detail::AskWithin<Tree>{forest_.tree(bvh_), bvh_.triangles.data(),
                                              questions(points, points_), distance * distance},
            near_, host_near_);
    }

private:
    using Tree = typename Forest::Tree;

    void prepare_normals() {
        if (has_normals_) return;
        if (normals_.triangles.is_empty()) {
            const std::vector<std::uint32_t>& first = solid_.first_vertices();
            std::vector<Triangle> joined = mesh_.triangles;
            for (Triangle& t : joined)
                t = {{first[t[0]], first[t[1]], first[t[2]]}};
            upload(executor_, "mesh tree: upload", joined, normals_.triangles);
            build_topology(executor_, normals_.triangles.data(), normals_.triangles.size(),
                           positions_.size(), normals_.workspace, normals_.topology);
            executor_.wait();
        }
        compute_pseudonormals(executor_, positions_.data(), normals_.triangles.data(),
                              normals_.topology.view(), normals_.normals);
        has_normals_ = true;
    }

    void prepare_winding() {
        if (has_winding_) return;
        build_winding_tree(executor_, bvh_, winding_);
        has_winding_ = true;
    }

    // Inside counts by the oriented mesh, which mostly has the very same triangles.
    void prepare_solid() {
        if (has_solid_) return;
        solid_is_mesh_ = solid_.is_oriented();
        if (solid_is_mesh_) {
            prepare_winding();
        } else {
            const Mesh& oriented = solid_.oriented();
            upload(executor_, "mesh tree: upload", oriented.positions, solid_positions_);
            upload(executor_, "mesh tree: upload", oriented.triangles, solid_triangles_);
            build_triangle_bvh(executor_, solid_positions_.data(), solid_triangles_.data(),
                               solid_triangles_.size(), BvhQuality::high, solid_bvh_);
            build_winding_tree(executor_, solid_bvh_, solid_winding_);
            executor_.wait();
        }
        has_solid_ = true;
    }

    // Questions are used where they are on the host, and copied to a device.
    template <class T>
    void take(std::span<const T> from, Buffer<T>& copy) {
        if constexpr (!Executor::kIsHost) upload(executor_, "mesh tree: questions", from, copy);
    }
    template <class T>
    const T* questions(std::span<const T> from, const Buffer<T>& copy) const {
        if constexpr (Executor::kIsHost) return from.data();
        return copy.data();
    }
    template <class Question, class Answer>
    std::int64_t ask(std::span<const Question> from, Buffer<Question>& copy, Buffer<Answer>& out) {
        take(from, copy);
        out.resize(static_cast<std::int64_t>(from.size()));
        return out.size();
    }

    // Where somebody wants to know how far the work is, it comes in pieces.
    template <class Work>
    void run(const char* name, std::int64_t count, const Progress& progress, const Work& work) {
        constexpr std::int64_t kGrain = 64;
        if (!progress) {
            executor_.for_each(name, count, work, kGrain);
            return;
        }
        constexpr std::int64_t kLeast = Executor::kIsHost ? 1 << 12 : 1 << 20;
        const std::int64_t piece = max_of(count / 100, kLeast);
        for (std::int64_t first = 0; first < count; first += piece) {
            executor_.for_each(name, min_of(piece, count - first),
                               mesh_tree_detail::WorkFrom<Work>{work, first}, kGrain);
            executor_.wait();
            const auto done = static_cast<double>(min_of(first + piece, count));
            if (!progress(done / static_cast<double>(count)))
                throw Error("mesh tree: stopped, as was asked for");
        }
    }

    template <class Ask, class Item>
    AnswerLists<Item> lists(std::int64_t count, const Progress& progress, const Ask& ask,
                            Buffer<Item>& items, Buffer<Item>& host_items) {
        counts_.resize(count);
        offsets_.resize(count + 1);
        const auto part = [&](double from) {
            return progress ? Progress([&progress, from](double fraction) {
                return progress(from + 0.5 * fraction);
            })
                            : Progress();
        };
        run("mesh tree: count", count, part(0),
            mesh_tree_detail::CountList<Ask>{ask, counts_.data()});
        executor_.exclusive_scan("mesh tree: offsets", counts_.data(), offsets_.data(), count);
        items.resize(static_cast<std::int64_t>(executor_.read(offsets_.data() + count)));
        run("mesh tree: fill", count, part(0.5),
            mesh_tree_detail::FillList<Ask>{ask, offsets_.data(), items.data()});
        const std::span<const Item> found = answers(items, host_items);
        return {found, answers(offsets_, host_offsets_)};
    }

    template <class T>
    std::span<const T> answers(const Buffer<T>& found, Buffer<T>& copy) {
        if constexpr (Executor::kIsHost) {
            return {found.data(), static_cast<std::size_t>(found.size())};
        } else {
            copy.resize(found.size());
            executor_.copy_to_host("mesh tree: answers", found.data(), copy.data(), found.size());
            executor_.wait();
            return {copy.data(), static_cast<std::size_t>(copy.size())};
        }
    }

    Executor executor_;
    Buffer<Vec3> positions_;
    Buffer<Triangle> triangles_;
    TriangleBvh bvh_;
    Forest forest_;
    MeshNormals normals_;
    WindingTree winding_;
    Buffer<Vec3> solid_positions_;
    Buffer<Triangle> solid_triangles_;
    TriangleBvh solid_bvh_;
    WindingTree solid_winding_;
    bool has_moved_ = false;
    bool has_normals_ = false, has_winding_ = false, has_solid_ = false;
    bool solid_is_mesh_ = false;
    DistanceSign sign_ = DistanceSign::automatic;
    Buffer<Vec3> points_;
    Buffer<Ray> rays_;
    Buffer<Aabb> boxes_;
    Buffer<std::uint64_t> counts_;
    Buffer<std::uint64_t> offsets_{executor_.memory()}, host_offsets_{host_memory()};
    Buffer<NearestPoint> nearest_{executor_.memory()}, host_nearest_{host_memory()};
    Buffer<float> numbers_{executor_.memory()}, host_numbers_{host_memory()};
    Buffer<RayHit> hits_{executor_.memory()}, host_hits_{host_memory()};
    Buffer<std::uint8_t> flags_{executor_.memory()}, host_flags_{host_memory()};
    Buffer<std::uint32_t> indices_{executor_.memory()}, host_indices_{host_memory()};
    Buffer<NearTriangle> near_{executor_.memory()}, host_near_{host_memory()};
};

}  // namespace graze
