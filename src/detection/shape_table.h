// ShapeTable: the shapes of a scene in an executor's memory, each once.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "detection/shape_field.h"
#include "field/field_upload.h"
#include "graze/scene.h"
#include "narrow_phase/particles/body_field.h"

namespace graze {

// On the host fields are used where they are, on a device they are copied.
template <class Executor>
class ShapeTable {
public:
    explicit ShapeTable(Executor& executor)
        : executor_(executor), bounds_(executor.memory()), fields_(executor.memory()) {}

    // The shape's index; puts it into the table where it is new.
    std::uint32_t index_of(const Shape& shape) {
        const auto known = indices_.find(shape.id());
        if (known != indices_.end()) return known->second;
        add(shape);
        const auto index = static_cast<std::uint32_t>(shapes_.size() - 1);
        indices_.emplace(shape.id(), index);
        return index;
    }
    std::size_t size() const { return shapes_.size(); }
    const Shape& operator[](std::uint32_t index) const { return shapes_[index]; }
    // Its field there; only on a device.
    const DeviceField& uploaded(std::uint32_t index) const { return *uploaded_[index]; }
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
        ShapeField described = describe_field(field);
        // What may throw comes first, and lists that are one ahead are brought back.
        uploaded_.resize(Executor::kIsHost ? 0 : shapes_.size());
        if constexpr (!Executor::kIsHost) {
            uploaded_.push_back(std::make_unique<DeviceField>(executor_, field));
            described.field = uploaded_.back()->view();
        }
        host_bounds_.resize(shapes_.size());
        host_fields_.resize(shapes_.size());
        host_bounds_.push_back(field.bounds());
        host_fields_.push_back(described);
        shapes_.push_back(shape);
        is_changed_ = true;
    }

    Executor& executor_;
    std::unordered_map<const void*, std::uint32_t> indices_;
    std::vector<Shape> shapes_;  // which keeps their ids from being used again
    std::vector<Aabb> host_bounds_;
    std::vector<ShapeField> host_fields_;
    std::vector<std::unique_ptr<DeviceField>> uploaded_;
    bool is_changed_ = false;
    std::int64_t version_ = 0;
    Buffer<Aabb> bounds_;
    Buffer<ShapeField> fields_;
};

}  // namespace graze
