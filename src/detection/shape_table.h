// ShapeTable: the shapes of a scene in an executor's memory, each once, with what the detector's
// method needs of them.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "detection/shape_access.h"
#include "detection/shape_field.h"
#include "field/field_upload.h"
#include "field/sampled/leaf_planes.h"
#include "narrow_phase/method.h"

namespace graze {

// What stands in for ShapeTextures where there are none.
struct NoTextures {
    template <class Executor>
    explicit NoTextures(Executor&) {}
    template <class Table>
    void update(const Table&) {}
    static const ShapeTexture* list() { return nullptr; }
};

// On the host fields and meshes are used where they are, on a device they are copied. Textures
// makes the textures of the fields, where they are needed.
template <class Executor, class Textures>
class ShapeTable {
public:
    ShapeTable(Executor& executor, const ShapeNeeds& needs)
        : executor_(executor),
          needs_(needs),
          bounds_(executor.memory()),
          fields_(executor.memory()),
          meshes_(executor.memory()),
          points_(executor.memory()),
          rays_(executor.memory()),
          textures_(executor) {}

    // The shape's index; puts it into the table where it is new, and builds what is needed of it.
    std::uint32_t index_of(const Shape& shape) {
        const auto known = indices_.find(shape.id());
        if (known != indices_.end()) return known->second;
        add(shape);
        const auto index = static_cast<std::uint32_t>(shapes_.size() - 1);
        indices_.emplace(shape.id(), index);
        return index;
    }
    // Gives the shapes of these indices that deform, and have since, their new positions.
    void follow(const std::uint32_t* indices, std::int64_t count) {
        if (!some_deform_) return;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint32_t index = indices[i];
            const Shape& shape = shapes_[index];
            if (shape.revision() == revisions_[index]) continue;
            is_changed_ = true;
            host_bounds_[index] = shape.bounds();
            if (needs_.mesh) follow_mesh(shape, index);
            if (needs_.rays) follow_rays(shape, index);
            revisions_[index] = shape.revision();
        }
    }
    std::size_t size() const { return shapes_.size(); }
    const Shape& operator[](std::uint32_t index) const { return shapes_[index]; }
    // The shape's field in the executor's memory; only on a device.
    const DeviceField& uploaded_field(std::uint32_t index) const {
        return *uploaded_fields_[index];
    }
    void clear() {
        indices_.clear();
        shapes_.clear();
        revisions_.clear();
        some_deform_ = false;
        host_bounds_.clear();
        host_fields_.clear();
        host_meshes_.clear();
        host_points_.clear();
        host_rays_.clear();
        point_levels_ = 0;
        uploaded_fields_.clear();
        planes_.clear();
        uploaded_meshes_.clear();
        uploaded_points_.clear();
        uploaded_rays_.clear();
        is_changed_ = true;
    }

    // Brings the lists up to date, after all calls of index_of() and follow().
    void finish() {
        if (!is_changed_) return;
        upload(host_bounds_, bounds_);
        upload(host_fields_, fields_);
        upload(host_meshes_, meshes_);
        upload(host_points_, points_);
        upload(host_rays_, rays_);
        executor_.wait();
        if (needs_.texture) textures_.update(*this);
        is_changed_ = false;
    }
    const Aabb* bounds() const { return bounds_.data(); }  // [m] by shape
    ShapeLists lists() const {
        return {needs_.field ? fields_.data() : nullptr,
                needs_.texture ? textures_.list() : nullptr,
                needs_.mesh ? meshes_.data() : nullptr,
                needs_.points ? points_.data() : nullptr,
                point_levels_,
                needs_.rays ? rays_.data() : nullptr,
                some_deform_};
    }

private:
    template <class T>
    void upload(const std::vector<T>& from, Buffer<T>& to) {
        graze::upload(executor_, "shapes: upload", from, to);
    }

    void add(const Shape& shape) {
        // What may throw comes first, and lists that are one ahead are brought back.
        const std::size_t count = shapes_.size();
        host_bounds_.resize(count);
        host_bounds_.push_back(Aabb::empty());
        if (needs_.field) add_field(shape, count);
        if (needs_.mesh) add_mesh(shape, count);
        if (needs_.points) add_points(shape, count);
        if (needs_.rays) add_rays(shape, count);
        revisions_.resize(count);
        revisions_.push_back(shape.revision());
        shapes_.push_back(shape);
        some_deform_ = some_deform_ || shape.deforms();
        is_changed_ = true;
    }
    void add_field(const Shape& shape, std::size_t count) {
        const Field& field = shape.field();
        ShapeField described = make_shape_field(field);
        if (needs_.points) described.change = measure_field_change(field);
        uploaded_fields_.resize(Executor::kIsHost ? 0 : count);
        if constexpr (!Executor::kIsHost) {
            uploaded_fields_.push_back(std::make_unique<DeviceField>(executor_, field));
            described.field = uploaded_fields_.back()->view();
        }
        planes_.resize(count);
        if (needs_.points) add_planes(field, described.field);
        host_fields_.resize(count);
        host_fields_.push_back(described);
        host_bounds_.back() = merge(host_bounds_.back(), field.bounds());
    }
    // Points are searched along their paths through the field.
    void add_planes(const Field& field, FieldView& view) {
        if constexpr (Executor::kIsHost) {
            planes_.push_back(
                std::make_unique<FieldPlanes>(executor_, program_of(field).sampled_views));
        } else {
            planes_.push_back(
                std::make_unique<FieldPlanes>(executor_, uploaded_fields_.back()->sampled_views()));
        }
        view.planes = planes_.back()->list();
    }
    void add_mesh(const Shape& shape, std::size_t count) {
        const MeshFeatures& features = ShapeAccess::mesh_features(shape);
        ShapeMesh mesh = features.view(*shape.mesh());
        uploaded_meshes_.resize(Executor::kIsHost ? 0 : count);
        if constexpr (!Executor::kIsHost) {
            uploaded_meshes_.push_back(
                std::make_unique<DeviceMesh>(executor_, *shape.mesh(), features));
            mesh = uploaded_meshes_.back()->view();
        }
        host_meshes_.resize(count);
        host_meshes_.push_back(mesh);
        host_bounds_.back() = merge(host_bounds_.back(), graze::bounds(*shape.mesh()));
    }
    void add_points(const Shape& shape, std::size_t count) {
        ShapePoints points = ShapeAccess::points(shape, needs_.faces);
        uploaded_points_.resize(Executor::kIsHost ? 0 : count);
        if constexpr (!Executor::kIsHost) {
            uploaded_points_.push_back(std::make_unique<DevicePoints>(executor_, points));
            points = uploaded_points_.back()->view();
        }
        host_points_.resize(count);
        host_points_.push_back(points);
        point_levels_ =
            max_of(point_levels_, max_of(points.tree.level_count, points.faces.level_count));
        if (shape.mesh()) {
            host_bounds_.back() = merge(host_bounds_.back(), graze::bounds(*shape.mesh()));
        }
    }

    void add_rays(const Shape& shape, std::size_t count) {
        const MeshRays& made = ShapeAccess::mesh_rays(shape);
        ShapeRays rays = made.view();
        uploaded_rays_.resize(Executor::kIsHost ? 0 : count);
        if constexpr (Executor::kIsHost) {
            ShapeAccess::mesh_rays(shape, executor_, needs_.winding);
        } else {
            uploaded_rays_.push_back(std::make_unique<DeviceRays>(executor_, made, needs_.winding));
            if (shape.deforms()) uploaded_rays_.back()->refit(executor_, shape.mesh()->positions);
            rays = uploaded_rays_.back()->view();
        }
        rays.serial = ++last_serial_;
        ShapeAccess::describe_change(shape, rays);
        host_rays_.resize(count);
        host_rays_.push_back(rays);
        host_bounds_.back() = merge(host_bounds_.back(), graze::bounds(*shape.mesh()));
    }
    void follow_mesh(const Shape& shape, std::uint32_t index) {
        if constexpr (Executor::kIsHost) {
            ShapeAccess::mesh_features(shape, executor_);
        } else {
            uploaded_meshes_[index]->follow(executor_, *shape.mesh(),
                                            ShapeAccess::mesh_features(shape));
        }
    }
    // The mesh keeps its serial, so that rays are still followed.
    void follow_rays(const Shape& shape, std::uint32_t index) {
        if constexpr (Executor::kIsHost) {
            ShapeAccess::mesh_rays(shape, executor_, needs_.winding);
        } else {
            uploaded_rays_[index]->refit(executor_, shape.mesh()->positions);
        }
        ShapeAccess::describe_change(shape, host_rays_[index]);
    }

    Executor& executor_;
    ShapeNeeds needs_;
    std::unordered_map<const void*, std::uint32_t> indices_;
    std::vector<Shape> shapes_;             // which keeps their ids from being used again
    std::vector<std::uint64_t> revisions_;  // of the shapes, as they are in the lists
    bool some_deform_ = false;
    std::vector<Aabb> host_bounds_;
    std::vector<ShapeField> host_fields_;
    std::vector<ShapeMesh> host_meshes_;
    std::vector<ShapePoints> host_points_;
    std::vector<ShapeRays> host_rays_;
    std::vector<std::unique_ptr<DeviceField>> uploaded_fields_;
    std::vector<std::unique_ptr<FieldPlanes>> planes_;
    std::vector<std::unique_ptr<DeviceMesh>> uploaded_meshes_;
    std::vector<std::unique_ptr<DevicePoints>> uploaded_points_;
    std::vector<std::unique_ptr<DeviceRays>> uploaded_rays_;
    std::uint64_t last_serial_ = 0;  // clear() leaves it, so that none is used again
    bool is_changed_ = false;
    int point_levels_ = 0;  // of the deepest tree
    Buffer<Aabb> bounds_;
    Buffer<ShapeField> fields_;
    Buffer<ShapeMesh> meshes_;
    Buffer<ShapePoints> points_;
    Buffer<ShapeRays> rays_;
    Textures textures_;
};

}  // namespace graze
