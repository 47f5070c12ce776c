// StaticParts: what a deforming detector keeps of the parts that stay where they are, the same on
// both machines: their positions, projections, bounds and a tree. A step only compares positions.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "broad_phase/element_pairs.h"
#include "graze/error.h"
#include "narrow_phase/features/deforming_view.h"
#include "parallel/reductions.h"
#include "parallel/upload.h"

namespace graze {
namespace static_detail {

template <class T>
struct KeepPosition {
    const Vec3T<T>* positions;
    const std::uint32_t* vertices;
    Vec3d* kept;
    GRAZE_HD void operator()(std::int64_t i) const {
        kept[i] = static_cast<Vec3d>(positions[vertices[i]]);
    }
};

// The vertex where it has moved, kNone where it has not.
template <class T>
struct FindMoved {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    const std::uint32_t* vertices;
    const Vec3d* kept;
    GRAZE_HD std::uint32_t operator()(std::int64_t i) const {
        const std::uint32_t vertex = vertices[i];
        const bool is_there = static_cast<Vec3d>(positions_t0[vertex]) == kept[i] &&
                              static_cast<Vec3d>(positions_t1[vertex]) == kept[i];
        return is_there ? kNone : vertex;
    }
};

// Indices for which is_static(index) is false, and the others.
struct SplitIndices {
    std::vector<std::uint32_t> moving, still;
    template <class IsStatic>
    SplitIndices(std::int64_t count, const IsStatic& is_static) {
        for (std::int64_t i = 0; i < count; ++i)
            (is_static(i) ? still : moving).push_back(static_cast<std::uint32_t>(i));
    }
};

}  // namespace static_detail

template <class Executor>
class StaticParts {
public:
    explicit StaticParts(Executor& executor) : executor_(executor) {}

    // A vertex has part 0 where parts is empty, as in DeformingTopology.
    void set(const DeformingTopology& topology, const std::vector<Element>& elements) {
        const auto is_static = [&](std::uint32_t part) {
            return std::find(topology.static_parts.begin(), topology.static_parts.end(), part) !=
                   topology.static_parts.end();
        };
        const static_detail::SplitIndices of_vertices(topology.vertex_count, [&](std::int64_t i) {
            return is_static(topology.parts.empty() ? 0
                                                    : topology.parts[static_cast<std::size_t>(i)]);
        });
        if (of_vertices.still.empty()) return;
        const static_detail::SplitIndices of_elements(
            static_cast<std::int64_t>(elements.size()),
            [&](std::int64_t i) { return is_static(elements[static_cast<std::size_t>(i)].part); });
        upload(executor_, "deforming: topology", of_vertices.moving, moving_vertices_);
        upload(executor_, "deforming: topology", of_vertices.still, vertices_);
        upload(executor_, "deforming: topology", of_elements.moving, moving_names_);
        upload(executor_, "deforming: topology", of_elements.still, names_);
        executor_.wait();
    }

    bool exist() const { return !vertices_.is_empty(); }
    const std::uint32_t* moving_vertices() const {
        return exist() ? moving_vertices_.data() : nullptr;
    }
    const std::uint32_t* moving_names() const { return exist() ? moving_names_.data() : nullptr; }
    std::int64_t moving_vertex_count() const { return moving_vertices_.size(); }
    std::int64_t moving_element_count() const { return moving_names_.size(); }
    // How often the parts have been placed.
    std::int64_t placement() const { return placement_; }
    // Of the static vertices.
    const MotionSize& size() const { return size_; }

    bool are_placed() const { return is_placed_; }
    // The next update takes positions as they are.
    void place_anew() { is_placed_ = false; }

    // Throws Error where a static vertex is not where it was, or nowhere. When parts are placed,
    // the projections of their vertices, the bounds of their elements, and the tree of pairs are
    // made.
    template <class T>
    void update(const Vec3T<T>* t0, const Vec3T<T>* t1, const Element* elements,
                PointProjections* projections, ElementBounds* bounds, ElementPairs& pairs) {
        if (!exist()) return;
        if (!is_placed_) place(t0, elements, projections, bounds, pairs);
        moved_.resize(1);
        executor_.template reduce<std::uint32_t>(
            "deforming: static", vertices_.size(),
            static_detail::FindMoved<T>{t0, t1, vertices_.data(), kept_.data()}, LowerValue{},
            static_detail::FindMoved<T>::kNone, moved_.data());
        const std::uint32_t moved = executor_.read(moved_.data());
        if (moved == static_detail::FindMoved<T>::kNone) return;
        throw Error("deforming detector: vertex " + std::to_string(moved) +
                    " belongs to a static part and is not where it was; call "
                    "place_static_parts() before a step that has them elsewhere, and give parts "
                    "that move within a step as moving ones");
    }

private:
    template <class T>
    void place(const Vec3T<T>* positions, const Element* elements, PointProjections* projections,
               ElementBounds* bounds, ElementPairs& pairs) {
        const std::int64_t vertex_count = vertices_.size(), count = names_.size();
        const std::uint32_t* vertices = vertices_.data();
        size_there_.resize(1);
        executor_.reduce("deforming: static", vertex_count,
                         SizeOfVertex<T>{positions, positions, vertices}, LargerSize{},
                         MotionSize{}, size_there_.data());
        size_ = executor_.read(size_there_.data());
        if (!std::isfinite(size_.largest_t0)) {
            throw Error(
                "deforming detector: a coordinate of a static part is not a finite number; check "
                "what made it");
        }
        kept_.resize(vertex_count);
        boxes_.resize(count);
        executor_.for_each("deforming: static", vertex_count,
                           static_detail::KeepPosition<T>{positions, vertices, kept_.data()});
        executor_.for_each("deforming: static", vertex_count,
                           ProjectVertex<T>{positions, positions, projections, vertices});
        executor_.for_each(
            "deforming: static", count,
            BoundElement{elements, projections, 0, bounds, boxes_.data(), names_.data()});
        build_static_elements(executor_, boxes_.data(), count, names_.data(), moving_names_.data(),
                              pairs);
        ++placement_;
        is_placed_ = true;
    }

    Executor& executor_;
    bool is_placed_ = false;
    std::int64_t placement_ = 0;
    MotionSize size_;
    // The vertices and elements that are static, and all others, ascending.
    Buffer<std::uint32_t> vertices_{executor_.memory()}, moving_vertices_{executor_.memory()};
    Buffer<std::uint32_t> names_{executor_.memory()}, moving_names_{executor_.memory()};
    Buffer<Vec3d> kept_{executor_.memory()};  // [m] by place in vertices_
    Buffer<Aabb> boxes_{executor_.memory()};  // by place in names_
    Buffer<std::uint32_t> moved_{executor_.memory()};
    Buffer<MotionSize> size_there_{executor_.memory()};
};

}  // namespace graze
