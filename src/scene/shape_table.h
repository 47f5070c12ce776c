// ShapeTable: the shapes of a scene in an executor's memory, each once.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "field/field_upload.h"
#include "graze/scene.h"
#include "narrow_phase/body_field.h"

namespace graze {

// What a method needs to know of a field beside the field.
inline ShapeField describe_field(const Field& field, const FieldView& view) {
    const FieldProgram& program = field.program();
    ShapeField shape{view, 0, 0, 0};
    for (const FieldNode& node : program.nodes) {
        if (node.kind != FieldKind::sampled) continue;
        const SampledFieldView& samples =
            program.sampled_views[static_cast<std::size_t>(node.index)];
        const float scale = std::fabs(node.scale);
        shape.error = max_of(shape.error, certain_error(samples, 0) * scale);
        shape.tolerance = max_of(shape.tolerance, samples.grid.spacing * scale * 0.1f);
    }
    const Vec3 sides = extent(field.bounds());
    shape.size = max_of(max_of(sides.x, sides.y), sides.z);
    return shape;
}

// Holds the fields of one machine. Uploaded: from a field to what owns its copy, with a view().
template <class Executor>
class ShapeTable {
public:
    explicit ShapeTable(Executor& executor)
        : executor_(executor), bounds_(executor.memory()), fields_(executor.memory()) {}

    // The shape's index; puts it into the table where it is new.
    std::uint32_t index_of(const Shape& shape) {
        const auto [place, is_new] =
            indices_.try_emplace(shape.id(), static_cast<std::uint32_t>(shapes_.size()));
        if (is_new) add(shape);
        return place->second;
    }
    std::size_t size() const { return shapes_.size(); }
    const Shape& operator[](std::uint32_t index) const { return shapes_[index]; }
    // Its field there; only on a device.
    const DeviceField& uploaded(std::uint32_t index) const { return uploaded_[index]; }
    // Another number whenever the shapes are others.
    std::int64_t version() const { return version_; }
    void clear() {
        indices_.clear();
        shapes_.clear();
        host_bounds_.clear();
        host_fields_.clear();
        uploaded_.clear();
        is_changed_ = true;
    }

    // To be called after all index_of: brings the lists up to date.
    void finish() {
        if (!is_changed_) return;
        detail::upload(executor_, "shapes: upload", host_bounds_.data(),
                       static_cast<std::int64_t>(host_bounds_.size()), bounds_);
        detail::upload(executor_, "shapes: upload", host_fields_.data(),
                       static_cast<std::int64_t>(host_fields_.size()), fields_);
        executor_.wait();
        is_changed_ = false;
        ++version_;
    }
    const Aabb* bounds() const { return bounds_.data(); }
    const ShapeField* fields() const { return fields_.data(); }

private:
    void add(const Shape& shape) {
        const Field& field = shape.field();
        FieldView view = field.view();
        if constexpr (!Executor::kIsHost) {
            uploaded_.emplace_back(executor_, field);
            view = uploaded_.back().view();
        }
        shapes_.push_back(shape);
        host_bounds_.push_back(field.bounds());
        host_fields_.push_back(describe_field(field, view));
        is_changed_ = true;
    }

    Executor& executor_;
    std::unordered_map<const void*, std::uint32_t> indices_;
    std::vector<Shape> shapes_;  // which keeps their ids from being used again
    std::vector<Aabb> host_bounds_;
    std::vector<ShapeField> host_fields_;
    std::deque<DeviceField> uploaded_;
    bool is_changed_ = false;
    std::int64_t version_ = 0;
    Buffer<Aabb> bounds_;
    Buffer<ShapeField> fields_;
};

}  // namespace graze
