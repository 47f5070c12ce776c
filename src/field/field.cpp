// The members of Field: they check arguments and turn them into programs.
#include "graze/field.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "field/field_program.h"
#include "graze/error.h"

namespace graze {
namespace {

std::string text(float x) {
    return std::to_string(x);
}
std::string text(const Vec3& v) {
    return "(" + text(v.x) + ", " + text(v.y) + ", " + text(v.z) + ")";
}

// The name says what is wrong, such as "sphere: the radius".
void require_size(const char* name, float x) {
    if (!(x >= 0 && std::isfinite(x))) {
        throw Error(std::string(name) + " is " + text(x) + "; make it a number of 0 or more");
    }
}
void require_finite(const char* name, const Vec3& v) {
    if (!is_finite(v)) {
        throw Error(std::string(name) + " is " + text(v) + "; make it finite");
    }
}
void require_extent(const char* name, const Vec3& v) {
    if (!(is_finite(v) && v.x >= 0 && v.y >= 0 && v.z >= 0)) {
        throw Error(std::string(name) + " is " + text(v) + "; make each of its numbers 0 or more");
    }
}

Field make_shape(FieldKind kind, std::initializer_list<double> size,
                 const Vec3& origin = {0, 0, 0}) {
    FieldNode leaf = make_leaf(kind);
    leaf.origin = origin;
    std::transform(size.begin(), size.end(), leaf.size,
                   [](double x) { return static_cast<float>(x); });
    return FieldAccess::make(make_program(leaf));
}

void require_valid(const HeightMap& map) {
    require_finite("height map: the origin", map.origin);
    if (!(map.spacing > 0 && std::isfinite(map.spacing))) {
        throw Error("height map: the spacing is " + text(map.spacing) + "; make it positive");
    }
    const std::int64_t width = map.size[0], depth = map.size[1];
    if (width < 2 || depth < 2) {
        throw Error("height map: the size is " + std::to_string(width) + " x " +
                    std::to_string(depth) + "; give at least 2 heights along x and y");
    }
    const auto count = static_cast<std::int64_t>(map.heights.size());
    if (count != width * depth) {
        throw Error("height map: a size of " + std::to_string(width) + " x " +
                    std::to_string(depth) + " needs " + std::to_string(width * depth) +
                    " heights, there are " + std::to_string(count));
    }
    for (std::size_t i = 0; i < map.heights.size(); ++i) {
        if (!std::isfinite(map.heights[i])) {
            throw Error("height map: heights[" + std::to_string(i) + "] is " +
                        text(map.heights[i]) + "; make every height a finite number");
        }
    }
}

void require_size(const char* name, std::int64_t count, std::int64_t wanted) {
    if (count != wanted) {
        throw Error("sampled field: there are " + std::to_string(count) + " " + name + ", but " +
                    std::to_string(wanted) + " are needed for its grid and bricks");
    }
}

void require_valid(const SampledField& field) {
    const FieldGrid& grid = field.grid;
    if (!(grid.cells[0] > 0 && grid.cells[1] > 0 && grid.cells[2] > 0 && grid.spacing > 0 &&
          std::isfinite(grid.spacing) && is_finite(grid.origin))) {
        throw Error(
            "sampled field: the grid needs cells along every axis, a positive spacing and "
            "a finite origin");
    }
    if (&field.errors.memory() != &host_memory()) {
        throw Error("sampled field: the samples are on a GPU; copy them to the host first");
    }
    const std::int64_t bricks = field.brick_count();
    const std::int64_t count = field.is_sparse ? bricks * kBrickSize : grid.sample_count();
    if (field.order == FieldOrder::zero) {
        require_size("values", field.values.size(), count);
    } else {
        require_size("samples", field.samples.size(), count);
    }
    require_size("errors", field.errors.size(), field.is_sparse ? bricks : block_count(grid));
    if (field.is_sparse) {
        require_size("brick indices of blocks", field.brick_of_block.size(), block_count(grid));
        require_size(
            "coarse values", field.coarse.size(),
            (block_count(grid, 0) + 1) * (block_count(grid, 1) + 1) * (block_count(grid, 2) + 1));
    }
}

}  // namespace

Field::Field(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

Field FieldAccess::make(FieldProgram program) {
    return Field(std::make_shared<const Field::Program>(Field::Program{std::move(program)}));
}

Field make_sampled_field(std::shared_ptr<const SampledField> samples) {
    if (!samples) throw Error("sampled field: there are no samples; the pointer is null");
    require_valid(*samples);
    return FieldAccess::make(make_program(std::move(samples)));
}

Field Field::plane(const Vec3& normal, float offset) {
    require_finite("plane: the normal", normal);
    if (!std::isfinite(offset)) {
        throw Error("plane: the offset is " + text(offset) + "; make it finite");
    }
    const auto wide = static_cast<Vec3d>(normal);
    const double norm = length(wide);
    if (norm == 0) throw Error("plane: the normal is zero; give it a direction");
    const Vec3d unit = wide / norm;
    return make_shape(FieldKind::plane, {unit.x, unit.y, unit.z, offset / norm});
}

Field Field::sphere(const Vec3& centre, float radius) {
    require_finite("sphere: the centre", centre);
    require_size("sphere: the radius", radius);
    return make_shape(FieldKind::sphere, {radius}, centre);
}

Field Field::box(const Vec3& half_extent) {
    require_extent("box: the half extent", half_extent);
    return make_shape(FieldKind::box, {half_extent.x, half_extent.y, half_extent.z});
}

Field Field::rounded_box(const Vec3& half_extent, float radius) {
    require_extent("rounded box: the half extent", half_extent);
    require_size("rounded box: the radius", radius);
    const float smallest = std::min({half_extent.x, half_extent.y, half_extent.z});
    if (radius > smallest) {
        throw Error("rounded box: the radius " + text(radius) +
                    " is larger than the smallest half extent; make it " + text(smallest) +
                    " or less");
    }
    const double r = radius;
    return make_shape(FieldKind::rounded_box,
                      {half_extent.x - r, half_extent.y - r, half_extent.z - r, r});
}

Field Field::capsule(const Vec3& a, const Vec3& b, float radius) {
    require_finite("capsule: a", a);
    require_finite("capsule: b", b);
    require_size("capsule: the radius", radius);
    const Vec3d edge = static_cast<Vec3d>(b) - static_cast<Vec3d>(a);
    const double norm = length(edge);
    const Vec3d unit = norm > 0 ? edge / norm : Vec3d{0, 0, 1};
    return make_shape(FieldKind::capsule, {unit.x, unit.y, unit.z, norm, radius}, a);
}

Field Field::cylinder(float radius, float half_height) {
    require_size("cylinder: the radius", radius);
    require_size("cylinder: the half height", half_height);
    return make_shape(FieldKind::cylinder, {radius, half_height});
}

Field Field::cone(float radius, float height) {
    require_size("cone: the radius", radius);
    require_size("cone: the height", height);
    const double slope = std::hypot(static_cast<double>(radius), static_cast<double>(height));
    const double across = slope > 0 ? height / slope : 1;
    const double up = slope > 0 ? radius / slope : 0;
    return make_shape(FieldKind::cone, {radius, height, across, up, slope});
}

Field Field::torus(float ring_radius, float tube_radius) {
    require_size("torus: the ring radius", ring_radius);
    require_size("torus: the tube radius", tube_radius);
    const double ring = ring_radius, tube = tube_radius;
    const double tip = tube > ring ? std::sqrt((tube - ring) * (tube + ring)) : 0;
    return make_shape(FieldKind::torus, {ring, tube, tip});
}

Field Field::height_map(HeightMap map) {
    require_valid(map);
    return FieldAccess::make(make_program(std::make_shared<const HeightMap>(std::move(map))));
}

Field Field::transformed(const Transform& field_from_self) const {
    const auto& [translation, rotation, scale] = field_from_self;
    require_finite("transformed: the translation", translation);
    if (!(scale > 0 && std::isfinite(scale))) {
        throw Error("transformed: the scale is " + text(scale) + "; make it positive");
    }
    const float norm_sq = rotation.w * rotation.w + rotation.x * rotation.x +
                          rotation.y * rotation.y + rotation.z * rotation.z;
    if (!(std::fabs(norm_sq - 1) < 1e-3f)) {
        throw Error("transformed: the rotation's length squared is " + text(norm_sq) +
                    "; give a unit quaternion (normalized)");
    }
    return FieldAccess::make(graze::transformed(*program_, field_from_self));
}

FieldValue Field::evaluate(const Vec3& point) const {
    return graze::evaluate(program_->view(), point);
}

const Aabb& Field::bounds() const {
    return program_->bounds;
}
Exactness Field::exactness_outside() const {
    return program_->outside;
}
Exactness Field::exactness_inside() const {
    return program_->inside;
}
float Field::error() const {
    return program_->error;
}

bool Field::is_sampled() const {
    const FieldNode& node = program_->nodes[0];
    return program_->nodes.size() == 1 && node.kind == FieldKind::sampled &&
           node.origin == Vec3{0, 0, 0} && !node.is_rotated && node.scale == 1;
}

const std::shared_ptr<const SampledField>& samples_of(const Field& field) {
    static const std::shared_ptr<const SampledField> none;
    return field.is_sampled() ? program_of(field).sampled[0] : none;
}

Field unite(const Field& a, const Field& b) {
    return FieldAccess::make(combine(*a.program_, *b.program_, FieldKind::unite));
}
Field intersect(const Field& a, const Field& b) {
    return FieldAccess::make(combine(*a.program_, *b.program_, FieldKind::intersect));
}
Field subtract(const Field& a, const Field& b) {
    return FieldAccess::make(combine(*a.program_, complement(*b.program_), FieldKind::intersect));
}

}  // namespace graze
