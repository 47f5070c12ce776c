#include "graze/shape.h"

#include <atomic>
#include <mutex>
#include <optional>
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

struct Shape::Parts {
    Parts(std::optional<Mesh> given_mesh, ShapeOptions given_options)
        : mesh(std::move(given_mesh)),
          options(std::move(given_options)),
          box(graze::bounds(*mesh)) {}
    Parts(std::optional<Mesh> given_mesh, Field given_field)
        : mesh(std::move(given_mesh)),
          box(given_field.bounds()),
          field(shape_detail::BuiltField{std::move(given_field), std::nullopt}) {}

    const std::optional<Mesh> mesh;
    const ShapeOptions options;
    const Aabb box;
    shape_detail::MadeOnce<shape_detail::BuiltField> field;
    shape_detail::MadeOnce<MeshFeatures> features;
};

Shape::Shape(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

Shape Shape::from_mesh(Mesh mesh, const ShapeOptions& options) {
    validate(mesh);
    if (mesh.triangles.empty()) throw Error("a shape needs triangles; the mesh has none");
    return Shape(std::make_shared<Parts>(std::move(mesh), options));
}

Shape Shape::from_mesh(Mesh mesh, Field field) {
    validate(mesh);
    return Shape(std::make_shared<Parts>(std::move(mesh), std::move(field)));
}

Shape Shape::from_field(Field field) {
    return Shape(std::make_shared<Parts>(std::nullopt, std::move(field)));
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

const Aabb& Shape::bounds() const {
    return parts_->box;
}

const MeshFeatures& ShapeAccess::mesh_features(const Shape& shape, const Progress& progress) {
    const Shape::Parts& parts = *shape.parts_;
    if (!parts.mesh || parts.mesh->triangles.empty()) {
        throw Error(
            "detector: the method features needs triangles, and a shape is a field without them; "
            "make it from a mesh (extract_surface makes one of a field)");
    }
    return shape.parts_->features.get([&] {
        const FieldOptions& options = parts.options.field;
        return make_mesh_features(*parts.mesh, options.device.threads(),
                                  progress ? progress : options.progress);
    });
}

void build_needs(const Shape& shape, const ShapeNeeds& needs, const Progress& progress) {
    const int step_count = (needs.field ? 1 : 0) + (needs.mesh ? 1 : 0);
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
}

}  // namespace graze
