#include "graze/shape.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "detection/shape_access.h"
#include "geometry/tidy_mesh.h"
#include "graze/error.h"

namespace graze {

namespace shape_detail {

// A value that is made when it is first asked for. Threads that ask meanwhile wait; where making it
// throws, the next one who asks makes it.
template <class T>
class MadeOnce {
public:
    MadeOnce() = default;
    explicit MadeOnce(T value) : value_(std::move(value)), is_made_(true) {}

    template <class Make>
    const T& get(const Make& make) {
        if (!is_made_.load(std::memory_order_acquire)) {
            const std::lock_guard lock(mutex_);
            if (!is_made_.load(std::memory_order_relaxed)) {
                value_.emplace(make());
                is_made_.store(true, std::memory_order_release);
            }
        }
        return *value_;
    }
    const T* find() const { return is_made_.load(std::memory_order_acquire) ? &*value_ : nullptr; }
    // Once it is made.
    T& value() { return *value_; }

private:
    std::mutex mutex_;
    std::optional<T> value_;
    std::atomic<bool> is_made_{false};
};

struct BuiltField {
    Field field;
    std::optional<FieldReport> report;  // absent where the field was given
};

// What a shape knows that deforms.
class Deformation {
public:
    Deformation(const Mesh& mesh, TidyMesh tidy) : tidy_(std::move(tidy)) {
        tidy_.mesh.positions = {};
        std::vector<bool> is_named(mesh.positions.size());
        for (const Triangle& t : mesh.triangles) {
            for (const std::uint32_t vertex : t.v)
                is_named[vertex] = true;
        }
        for (std::uint32_t vertex = 0; vertex < is_named.size(); ++vertex) {
            const std::uint32_t first = tidy_.first_vertex[vertex];
            if (is_named[vertex] && first != vertex) joined_.push_back({first, vertex});
        }
    }

    // Takes over positions that are good, and their box.
    void move(std::span<const Vec3> positions, Mesh& mesh, Aabb& box) {
        validate(positions, mesh);
        Aabb moved_box = Aabb::empty();
        double farthest_sq = 0;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            const Vec3d way =
                static_cast<Vec3d>(positions[i]) - static_cast<Vec3d>(mesh.positions[i]);
            farthest_sq = max_of(farthest_sq, length_sq(way));
            moved_box = merge(moved_box, positions[i]);
        }
        if (farthest_sq == 0) return;
        std::copy(positions.begin(), positions.end(), mesh.positions.begin());
        box = moved_box;
        travel_ += std::sqrt(farthest_sq);
        ++revision_;
    }
    std::uint64_t revision() const { return revision_; }
    double travel() const { return travel_; }

    // As the shape was made, at positions of today.
    TidyMesh tidy(const Mesh& mesh) const {
        TidyMesh tidy = tidy_;
        tidy.mesh.positions = mesh.positions;
        return tidy;
    }

    // Of something that is made of the mesh: the revision that it is of.
    struct MadeOf {
        std::mutex mutex;
        std::uint64_t revision = 0;
    };
    MadeOf rays, winding, features;

private:
    void validate(std::span<const Vec3> positions, const Mesh& mesh) const {
        if (positions.size() != mesh.positions.size()) {
            throw Error("a deforming shape of " + std::to_string(mesh.positions.size()) +
                        " vertices gets " + std::to_string(positions.size()) +
                        " positions; give one for each vertex");
        }
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (!is_finite(positions[i])) {
                throw Error("position " + std::to_string(i) +
                            " of a deforming shape is not finite; make every coordinate a finite "
                            "number");
            }
        }
        for (const Edge& joined : joined_) {
            if (positions[joined[0]] != positions[joined[1]]) {
                throw Error("vertices " + std::to_string(joined[0]) + " and " +
                            std::to_string(joined[1]) +
                            " of a deforming shape are one, for they were made at one position; "
                            "move them together, or make the shape where they are apart");
            }
        }
    }

    TidyMesh tidy_;             // without positions
    std::vector<Edge> joined_;  // a vertex and an earlier one that it is one with
    std::uint64_t revision_ = 0;
    double travel_ = 0;  // [m] as in ShapeRays
};

}  // namespace shape_detail

namespace {

void validate_points(const PointOptions& points) {
    if (!(points.spacing >= 0) || !std::isfinite(points.spacing)) {
        throw Error("the spacing of points must be positive, or 0 for the mesh's vertices, not " +
                    std::to_string(points.spacing));
    }
}

void require_rigid(bool deforms, const char* what) {
    if (!deforms) return;
    throw Error(std::string("a shape that deforms has no ") + what +
                "; use the method rays or features, or make it by Shape::from_mesh");
}

void require_triangles(const std::optional<Mesh>& mesh, const char* method) {
    if (mesh && !mesh->triangles.empty()) return;
    throw Error(std::string("detector: the method ") + method +
                " needs triangles, and a shape is a field without them; make it from a mesh "
                "(extract_surface makes one of a field)");
}

}  // namespace

struct Shape::Parts {
    Parts(std::optional<Mesh> given_mesh, ShapeOptions given_options)
        : mesh(std::move(given_mesh)),
          options(std::move(given_options)),
          box(graze::bounds(*mesh)) {}
    Parts(std::optional<Mesh> given_mesh, Field given_field, const PointOptions& given_points)
        : mesh(std::move(given_mesh)),
          options{{}, given_points},
          box(given_field.bounds()),
          field(shape_detail::BuiltField{std::move(given_field), std::nullopt}) {}
    Parts(Mesh given_mesh, TidyMesh tidy)
        : mesh(std::move(given_mesh)),
          box(graze::bounds(*mesh)),
          deformation(std::make_unique<shape_detail::Deformation>(*mesh, std::move(tidy))) {}

    const MeshPoints& made_points(const Progress& progress) {
        require_rigid(deformation != nullptr, "points of its surface");
        return points.get([&] {
            if (!mesh) return MeshPoints{};
            const FieldOptions& of_field = options.field;
            return make_mesh_points(*mesh, options.points, of_field.device.threads(),
                                    progress ? progress : of_field.progress);
        });
    }

    // Brings what is made of a mesh that deforms up to date, by refit(executor).
    template <class Refit>
    void follow(shape_detail::Deformation::MadeOf& made_of, CpuExecutor* executor,
                const Refit& refit) const {
        const std::lock_guard lock(made_of.mutex);
        if (made_of.revision == deformation->revision()) return;
        if (executor) {
            refit(*executor);
        } else {
            CpuExecutor own(options.field.device.threads());
            refit(own);
        }
        made_of.revision = deformation->revision();
    }
    const MeshFeatures& made_features(const Progress& progress, CpuExecutor* executor);
    const MeshRays& made_rays(const Progress& progress, CpuExecutor* executor, bool with_winding);

    std::optional<Mesh> mesh;  // it and its box change only where they deform
    const ShapeOptions options;
    Aabb box;
    const std::unique_ptr<shape_detail::Deformation> deformation;  // null where they do not
    shape_detail::MadeOnce<shape_detail::BuiltField> field;
    shape_detail::MadeOnce<MeshFeatures> features;
    shape_detail::MadeOnce<MeshPoints> points;
    shape_detail::MadeOnce<PointTree> point_tree;
    shape_detail::MadeOnce<FaceTree> face_tree;
    shape_detail::MadeOnce<MeshRays> rays;
};

Shape::Shape(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

Shape Shape::from_mesh(Mesh mesh, const ShapeOptions& options) {
    validate(mesh);
    validate_points(options.points);
    if (mesh.triangles.empty()) throw Error("a shape needs triangles; the mesh has none");
    return Shape(std::make_shared<Parts>(std::move(mesh), options));
}

Shape Shape::from_mesh(Mesh mesh, Field field, const PointOptions& points) {
    validate(mesh);
    validate_points(points);
    return Shape(std::make_shared<Parts>(std::move(mesh), std::move(field), points));
}

Shape Shape::from_field(Field field) {
    return Shape(std::make_shared<Parts>(std::nullopt, std::move(field), PointOptions{}));
}

Shape Shape::from_deforming_mesh(Mesh mesh) {
    validate(mesh);
    if (mesh.triangles.empty()) throw Error("a shape needs triangles; the mesh has none");
    CpuExecutor executor;
    TidyMesh tidy = tidy_mesh(executor, mesh);
    return Shape(std::make_shared<Parts>(std::move(mesh), std::move(tidy)));
}

bool Shape::deforms() const {
    return parts_->deformation != nullptr;
}

void Shape::set_positions(std::span<const Vec3> positions) {
    if (!parts_->deformation) {
        throw Error(
            "this shape does not deform; make it by Shape::from_deforming_mesh to move its "
            "vertices");
    }
    parts_->deformation->move(positions, *parts_->mesh, parts_->box);
}

std::uint64_t Shape::revision() const {
    return parts_->deformation ? parts_->deformation->revision() : 0;
}

const Mesh* Shape::mesh() const {
    return parts_->mesh ? &*parts_->mesh : nullptr;
}

const Field& Shape::field(const Progress& progress) const {
    require_rigid(deforms(), "distance field, which could not follow it");
    return parts_->field
        .get([&] {
            FieldOptions options = parts_->options.field;
            if (progress) options.progress = progress;
            FieldReport report;
            Field field = build_field(*parts_->mesh, options, &report);
            return shape_detail::BuiltField{std::move(field), std::move(report)};
        })
        .field;
}

bool Shape::has_field() const {
    return parts_->field.find() != nullptr;
}

const FieldReport* Shape::field_report() const {
    const shape_detail::BuiltField* built = parts_->field.find();
    return built && built->report ? &*built->report : nullptr;
}

const SurfacePoints& Shape::points(const Progress& progress) const {
    return parts_->made_points(progress).points;
}

const Aabb& Shape::bounds() const {
    return parts_->box;
}

const MeshFeatures& Shape::Parts::made_features(const Progress& progress, CpuExecutor* executor) {
    require_triangles(mesh, "features");
    const MeshFeatures& made = features.get([&] {
        if (deformation) deformation->features.revision = deformation->revision();
        return make_mesh_features(*mesh, options.field.device.threads(),
                                  progress ? progress : options.field.progress);
    });
    if (deformation) {
        follow(deformation->features, executor,
               [&](CpuExecutor& with) { refit_mesh_features(with, *mesh, features.value()); });
    }
    return made;
}

const MeshRays& Shape::Parts::made_rays(const Progress& progress, CpuExecutor* executor,
                                        bool with_winding) {
    require_triangles(mesh, "rays");
    const MeshRays& made = rays.get([&] {
        const int threads = options.field.device.threads();
        const Progress& told = progress ? progress : options.field.progress;
        if (!deformation) return make_mesh_rays(*mesh, threads, told);
        deformation->rays.revision = deformation->winding.revision = deformation->revision();
        return make_deforming_rays(*mesh, deformation->tidy(*mesh), threads, told);
    });
    if (deformation) {
        follow(deformation->rays, executor,
               [&](CpuExecutor& with) { refit_mesh_rays(with, mesh->positions, rays.value()); });
        if (with_winding) {
            follow(deformation->winding, executor,
                   [&](CpuExecutor& with) { refit_ray_winding(with, rays.value()); });
        }
    }
    return made;
}

const MeshFeatures& ShapeAccess::mesh_features(const Shape& shape, const Progress& progress) {
    return shape.parts_->made_features(progress, nullptr);
}
const MeshFeatures& ShapeAccess::mesh_features(const Shape& shape, CpuExecutor& executor) {
    return shape.parts_->made_features(nullptr, &executor);
}
const MeshRays& ShapeAccess::mesh_rays(const Shape& shape, const Progress& progress) {
    return shape.parts_->made_rays(progress, nullptr, false);
}
const MeshRays& ShapeAccess::mesh_rays(const Shape& shape, CpuExecutor& executor,
                                       bool with_winding) {
    return shape.parts_->made_rays(nullptr, &executor, with_winding);
}

void ShapeAccess::describe_change(const Shape& shape, ShapeRays& rays) {
    if (!shape.deforms()) return;
    rays.revision = shape.revision();
    rays.travel = shape.parts_->deformation->travel();
    // Edges grow and shrink about as their body does.
    const MeshRays& made = shape.parts_->rays.value();
    rays.size = length(extent(shape.bounds()));
    if (made.size > 0) rays.mean_edge = made.mean_edge * (rays.size / made.size);
}

const PointTree* ShapeAccess::point_tree(const Shape& shape, const Progress& progress) {
    const Shape::Parts& parts = *shape.parts_;
    if (!parts.mesh) return nullptr;
    return &shape.parts_->point_tree.get([&] {
        return make_point_tree(shape.parts_->made_points(progress),
                               parts.options.field.device.threads());
    });
}

const FaceTree* ShapeAccess::face_tree(const Shape& shape) {
    const Shape::Parts& parts = *shape.parts_;
    require_rigid(shape.deforms(), "tree of its faces");
    if (!parts.mesh) return nullptr;
    return &shape.parts_->face_tree.get(
        [&] { return make_face_tree(*parts.mesh, parts.options.field.device.threads()); });
}

ShapePoints ShapeAccess::points(const Shape& shape, bool with_faces) {
    return view_points(point_tree(shape), with_faces ? face_tree(shape) : nullptr);
}

void build_needs(const Shape& shape, const ShapeNeeds& needs, const Progress& progress) {
    const int step_count = (needs.field ? 1 : 0) + (needs.mesh ? 1 : 0) + (needs.points ? 1 : 0) +
                           (needs.rays ? 1 : 0);
    int done_count = 0;
    const auto next = [&]() -> Progress {
        if (!progress) return nullptr;
        const int before = done_count++;
        return [&progress, before, step_count](double fraction) {
            return progress((before + fraction) / step_count);
        };
    };
    if (needs.field) shape.field(next());
    if (needs.mesh) ShapeAccess::mesh_features(shape, next());
    if (needs.rays) ShapeAccess::mesh_rays(shape, next());
    if (needs.points) {
        const Progress points = next();
        ShapeAccess::point_tree(shape, points);
        if (needs.faces) ShapeAccess::face_tree(shape);
        if (points && !points(1))
            throw Error("the preparation of points was stopped by its caller");
    }
}

}  // namespace graze
