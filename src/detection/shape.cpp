#include "graze/shape.h"

#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "detection/shape_access.h"
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

private:
    std::mutex mutex_;
    std::optional<T> value_;
    std::atomic<bool> is_made_{false};
};

struct BuiltField {
    Field field;
    std::optional<FieldReport> report;  // absent where the field was given
};

}  // namespace shape_detail

namespace {

void validate_points(const PointOptions& points) {
    if (!(points.spacing >= 0) || !std::isfinite(points.spacing)) {
        throw Error("the spacing of points must be positive, or 0 for the mesh's vertices, not " +
                    std::to_string(points.spacing));
    }
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

    const MeshPoints& made_points(const Progress& progress) {
        return points.get([&] {
            if (!mesh) return MeshPoints{};
            const FieldOptions& of_field = options.field;
            return make_mesh_points(*mesh, options.points, of_field.device.threads(),
                                    progress ? progress : of_field.progress);
        });
    }

    const std::optional<Mesh> mesh;
    const ShapeOptions options;
    const Aabb box;
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

const Mesh* Shape::mesh() const {
    return parts_->mesh ? &*parts_->mesh : nullptr;
}

const Field& Shape::field(const Progress& progress) const {
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

const MeshFeatures& ShapeAccess::mesh_features(const Shape& shape, const Progress& progress) {
    const Shape::Parts& parts = *shape.parts_;
    require_triangles(parts.mesh, "features");
    return shape.parts_->features.get([&] {
        const FieldOptions& options = parts.options.field;
        return make_mesh_features(*parts.mesh, options.device.threads(),
                                  progress ? progress : options.progress);
    });
}

const MeshRays& ShapeAccess::mesh_rays(const Shape& shape, const Progress& progress) {
    const Shape::Parts& parts = *shape.parts_;
    require_triangles(parts.mesh, "rays");
    return shape.parts_->rays.get([&] {
        const FieldOptions& options = parts.options.field;
        return make_mesh_rays(*parts.mesh, options.device.threads(),
                              progress ? progress : options.progress);
    });
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
