// PatchCertifier finds which patches of a forest are smooth during a step (smooth_patches.h), and
// so which pairs of elements need not be tested. Both machines give the same bits.
//
// Normals are joined from the bottom of the forest up, from triangles to the largest patches.
// Contours are tested from the top down: a clear contour makes those of all patches within it
// superfluous, so that few are tested on a smooth mesh.
#pragma once

#include "core/atomics.h"
#include "narrow_phase/features/patch_contours.h"
#include "narrow_phase/features/smooth_patches.h"
#include "parallel/buffer.h"
#include "parallel/reductions.h"

namespace graze {

// The lists of a PatchForest as plain arrays.
struct PatchForestView {
    const std::uint32_t* parents;
    const std::uint32_t* child_offsets;
    const std::uint32_t* children;
    const std::uint32_t* contour_offsets;
    const std::uint32_t* contour_counts;
    const std::uint32_t* contour;
    const std::uint32_t* contour_patches;
    const std::uint32_t* patch_of_triangle;
};

// What a step finds about the patches; every array is indexed by patch.
struct PatchFindings {
    PatchNormals* normals;
    std::int32_t* axes;      // the contour is seen along this axis; -1: it is not tested
    std::int32_t* is_clear;  // 1 until a test fails; in the end, the contour does not meet itself
    std::uint32_t* covers;   // the largest smooth patch that contains it; kNone: there is none

    // Returns the largest smooth patch that a patch is or lies in.
    GRAZE_INLINE std::uint32_t cover_of(std::uint32_t patch) const {
        if (covers[patch] != PatchForest::kNone) return covers[patch];
        return is_clear[patch] != 0 ? patch : PatchForest::kNone;
    }
};

namespace patches_detail {

template <class T>
struct MeasureTriangle {
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    const Triangle* triangles;
    const std::uint32_t* patch_of_triangle;
    PatchNormals* normals;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (patch_of_triangle[i] == PatchForest::kNone) return;
        const Triangle t = triangles[i];
        Vec3d p0[3], p1[3];
        for (int k = 0; k < 3; ++k) {
            p0[k] = static_cast<Vec3d>(positions_t0[t[k]]);
            p1[k] = static_cast<Vec3d>(positions_t1[t[k]]);
        }
        normals[i] = normals_of_triangle(p0, p1);
    }
};

struct JoinChildren {
    PatchForestView forest;
    std::uint32_t first;  // the level's first patch
    const PatchNormals* of_children;
    PatchNormals* of_patches;
    GRAZE_HD void operator()(std::int64_t i) const {
        const auto patch = first + static_cast<std::uint32_t>(i);
        const std::uint32_t begin = forest.child_offsets[patch];
        PatchNormals normals = of_children[forest.children[begin]];
        for (std::uint32_t k = begin + 1; k < forest.child_offsets[patch + 1]; ++k)
            normals = join(normals, of_children[forest.children[k]]);
        of_patches[patch] = normals;
    }
};

// Begins the test of a level's patches; the contours of their parents have been tested before.
struct ChooseAxis {
    PatchForestView forest;
    std::uint32_t first;  // the level's first patch
    PatchFindings found;
    GRAZE_HD void operator()(std::int64_t i) const {
        const auto patch = first + static_cast<std::uint32_t>(i);
        const std::uint32_t parent = forest.parents[patch];
        const std::uint32_t cover =
            parent == PatchForest::kNone ? PatchForest::kNone : found.cover_of(parent);
        const bool is_open = cover == PatchForest::kNone && forest.contour_counts[patch] > 0;
        const int axis = is_open ? nearest_patch_axis(found.normals[patch]) : -1;
        found.covers[patch] = cover;
        found.axes[patch] = axis;
        found.is_clear[patch] = axis >= 0 ? 1 : 0;
    }
};

template <class T>
struct BoundCorner {
    PatchForestView forest;
    PatchFindings found;
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    std::uint32_t first;  // the level's first index in PatchForest::contour
    ContourBounds* corners;
    GRAZE_HD void operator()(std::int64_t i) const {
        const auto index = first + static_cast<std::uint32_t>(i);
        const std::uint32_t patch = forest.contour_patches[index];
        if (patch == PatchForest::kNone || found.axes[patch] < 0) return;
        const std::uint32_t vertex = forest.contour[index];
        const std::uint32_t origin = forest.contour[forest.contour_offsets[patch]];
        const Vec3d q[2] = {
            static_cast<Vec3d>(positions_t0[vertex]) - static_cast<Vec3d>(positions_t0[origin]),
            static_cast<Vec3d>(positions_t1[vertex]) - static_cast<Vec3d>(positions_t1[origin])};
        if (!bound_corner(sight_plane(found.axes[patch]), q, corners[i]))
            atomic_store(found.is_clear + patch, 0);
    }
};

// The contours of a level, seen along their axes. An index is one into PatchForest::contour.
struct ContoursInSight {
    PatchForestView forest;
    PatchFindings found;
    std::uint32_t first;           // the level's first index
    const ContourBounds* corners;  // by index - first
    ContourBounds* chunks;         // by (index - first) / kChunk

    struct Contour {
        const ContourBounds* corners;
        const ContourBounds* chunks;
        std::uint32_t count;
        GRAZE_INLINE std::uint32_t after(std::uint32_t corner) const {
            return corner + 1 == count ? 0 : corner + 1;
        }
        template <class SightBy>
        GRAZE_INLINE ContourBounds side(std::uint32_t corner) const {
            return SightBy::join(corners[corner], corners[after(corner)]);
        }
    };
    GRAZE_INLINE Contour contour_of(std::uint32_t patch) const {
        const std::uint32_t begin = forest.contour_offsets[patch] - first;
        return {corners + begin, chunks + begin / PatchForest::kChunk,
                forest.contour_counts[patch]};
    }
    // False in the gaps between contours and for a contour that needs no test or has failed one.
    GRAZE_INLINE bool is_open(std::uint32_t patch) const {
        return patch != PatchForest::kNone && load_coherent(found.is_clear + patch) != 0;
    }
};

template <class SightBy>
struct BoundChunk {
    ContoursInSight sight;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint32_t index =
            sight.first + static_cast<std::uint32_t>(i) * PatchForest::kChunk;
        const std::uint32_t patch = sight.forest.contour_patches[index];
        if (!sight.is_open(patch)) return;
        const ContoursInSight::Contour contour = sight.contour_of(patch);
        const std::uint32_t begin = index - sight.forest.contour_offsets[patch];
        const std::uint32_t end = min_of(begin + PatchForest::kChunk, contour.count);
        ContourBounds bounds = contour.template side<SightBy>(begin);
        for (std::uint32_t corner = begin + 1; corner < end; ++corner)
            bounds = SightBy::join(bounds, contour.corners[contour.after(corner)]);
        sight.chunks[i] = bounds;
    }
};

// Tests a side against those after it. The order of threads makes no difference: a contour is clear
// until one of them finds that it is not.
template <class SightBy>
struct TestSide {
    ContoursInSight sight;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint32_t index = sight.first + static_cast<std::uint32_t>(i);
        const std::uint32_t patch = sight.forest.contour_patches[index];
        if (!sight.is_open(patch)) return;
        const ContoursInSight::Contour contour = sight.contour_of(patch);
        if (!is_clear(contour, index - sight.forest.contour_offsets[patch]))
            atomic_store(sight.found.is_clear + patch, 0);
    }

    GRAZE_INLINE static bool is_clear(const ContoursInSight::Contour& contour,
                                      std::uint32_t corner) {
        const std::uint32_t next = contour.after(corner);
        if (!SightBy::share_only_corner(contour.corners[corner], contour.corners[next],
                                        contour.corners[contour.after(next)]))
            return false;
        const ContourBounds side = contour.template side<SightBy>(corner);
        // The last side is a neighbour of the first one.
        const std::uint32_t end = corner == 0 ? contour.count - 1 : contour.count;
        // A chunk that is near is hardly ever apart from the side as a whole.
        const std::uint32_t far = (corner / PatchForest::kChunk + 2) * PatchForest::kChunk;
        if (!is_apart_from(contour, side, corner + 2, min_of(far, end))) return false;
        for (std::uint32_t other = far; other < end; other += PatchForest::kChunk) {
            if (!SightBy::are_apart(side, contour.chunks[other / PatchForest::kChunk]) &&
                !is_apart_from(contour, side, other, min_of(other + PatchForest::kChunk, end)))
                return false;
        }
        return true;
    }

    // True where the side is apart from all sides that start at corners begin to end - 1.
    GRAZE_INLINE static bool is_apart_from(const ContoursInSight::Contour& contour,
                                           const ContourBounds& side, std::uint32_t begin,
                                           std::uint32_t end) {
        for (std::uint32_t other = begin; other < end; ++other)
            if (!SightBy::are_apart(side, contour.template side<SightBy>(other))) return false;
        return true;
    }
};

// Gives the elements of one smooth patch the patch's index as their name, and every other element a
// name of its own.
struct NameElement {
    PatchForestView forest;
    PatchFindings found;
    std::int64_t triangle_count;
    std::uint32_t* names;
    GRAZE_HD void operator()(std::int64_t element) const {
        std::uint32_t cover = PatchForest::kNone;
        if (element < triangle_count) {
            const std::uint32_t patch = forest.patch_of_triangle[element];
            if (patch != PatchForest::kNone) cover = found.cover_of(patch);
        }
        names[element] =
            cover != PatchForest::kNone ? cover : 1u << 31 | static_cast<std::uint32_t>(element);
    }
};
struct IsSmooth {
    const std::uint32_t* names;
    GRAZE_HD std::uint32_t operator()(std::int64_t i) const { return names[i] >> 31 == 0 ? 1 : 0; }
};

}  // namespace patches_detail

// Keeps a mesh's patches, and what is found about them every step, in an executor's memory. SightBy
// compares bounds; on the host SightInLanes is the fastest. The result is the same with any.
template <class Executor, class SightBy = Sight>
class PatchCertifier {
public:
    explicit PatchCertifier(Executor& executor) : executor_(executor) {}

    void set_forest(const PatchForest& forest) {
        levels_ = forest.level_offsets;
        contour_levels_.clear();
        for (const std::uint32_t patch : levels_) {
            contour_levels_.push_back(patch < forest.patch_count()
                                          ? forest.contour_offsets[patch]
                                          : static_cast<std::uint32_t>(forest.contour.size()));
        }
        const std::vector<std::uint32_t>* const lists[] = {
            &forest.parents,         &forest.child_offsets,    &forest.children,
            &forest.contour_offsets, &forest.contour_counts,   &forest.contour,
            &forest.contour_patches, &forest.patch_of_triangle};
        std::int64_t total = 0;
        for (const auto* list : lists)
            total += static_cast<std::int64_t>(list->size());
        forest_lists_.resize(total);
        const std::uint32_t* starts[8];
        std::int64_t begin = 0;
        for (int i = 0; i < 8; ++i) {
            const auto count = static_cast<std::int64_t>(lists[i]->size());
            executor_.copy_from_host("patches: forest", lists[i]->data(),
                                     forest_lists_.data() + begin, count);
            starts[i] = forest_lists_.data() + begin;
            begin += count;
        }
        executor_.wait();
        forest_ = {starts[0], starts[1], starts[2], starts[3],
                   starts[4], starts[5], starts[6], starts[7]};
        const std::int64_t patch_count = forest.patch_count();
        patch_normals_.resize(patch_count);
        axes_.resize(patch_count);
        is_clear_.resize(patch_count);
        covers_.resize(patch_count);
        found_ = {patch_normals_.data(), axes_.data(), is_clear_.data(), covers_.data()};
        triangle_count_ = static_cast<std::int64_t>(forest.patch_of_triangle.size());
        normals_.resize(triangle_count_);
    }

    // Returns a name for each element; the triangles come first among the elements. Two elements of
    // the same name certainly meet during the step only in what they share. The array is valid
    // until the next call.
    template <class T>
    const std::uint32_t* name_elements(const Vec3T<T>* positions_t0, const Vec3T<T>* positions_t1,
                                       const Triangle* triangles, std::int64_t element_count) {
        executor_.for_each(
            "patches: normals", triangle_count_,
            patches_detail::MeasureTriangle<T>{positions_t0, positions_t1, triangles,
                                               forest_.patch_of_triangle, normals_.data()});
        const std::size_t level_count = levels_.size() - 1;
        for (std::size_t level = 0; level < level_count; ++level) {
            executor_.for_each(
                "patches: normals", levels_[level + 1] - levels_[level],
                patches_detail::JoinChildren{forest_, levels_[level],
                                             level == 0 ? normals_.data() : patch_normals_.data(),
                                             patch_normals_.data()},
                kPatchGrain);
        }
        for (std::size_t level = level_count; level-- > 0;)
            test_contours(level, positions_t0, positions_t1);
        names_.resize(element_count);
        executor_.for_each(
            "patches: names", element_count,
            patches_detail::NameElement{forest_, found_, triangle_count_, names_.data()});
        return names_.data();
    }

    // Counts the triangles that lie in a smooth patch, by the last names. Waits.
    std::int64_t count_smooth() {
        smooth_count_.resize(1);
        executor_.template reduce<std::uint32_t>("patches: count", triangle_count_,
                                                 patches_detail::IsSmooth{names_.data()},
                                                 AddValues{}, 0u, smooth_count_.data());
        return executor_.read(smooth_count_.data());
    }

private:
    static constexpr std::int64_t kPatchGrain = 32;

    template <class T>
    void test_contours(std::size_t level, const Vec3T<T>* positions_t0,
                       const Vec3T<T>* positions_t1) {
        executor_.for_each("patches: axes", levels_[level + 1] - levels_[level],
                           patches_detail::ChooseAxis{forest_, levels_[level], found_},
                           kPatchGrain);
        const std::uint32_t first = contour_levels_[level];
        const std::int64_t count = contour_levels_[level + 1] - first;
        corners_.resize(count);
        chunks_.resize(count / PatchForest::kChunk);
        executor_.for_each("patches: corners", count,
                           patches_detail::BoundCorner<T>{forest_, found_, positions_t0,
                                                          positions_t1, first, corners_.data()});
        const patches_detail::ContoursInSight sight{forest_, found_, first, corners_.data(),
                                                    chunks_.data()};
        executor_.for_each("patches: corners", chunks_.size(),
                           patches_detail::BoundChunk<SightBy>{sight}, kPatchGrain);
        executor_.for_each("patches: contours", count, patches_detail::TestSide<SightBy>{sight},
                           kPatchGrain);
    }

    Executor& executor_;
    std::vector<std::uint32_t> levels_ = {0};  // as in PatchForest
    std::vector<std::uint32_t> contour_levels_ = {0};
    std::int64_t triangle_count_ = 0;
    PatchForestView forest_{};
    PatchFindings found_{};

    Buffer<std::uint32_t> forest_lists_{executor_.memory()};  // the forest's lists, end to end
    Buffer<PatchNormals> normals_{executor_.memory()};        // by triangle
    Buffer<PatchNormals> patch_normals_{executor_.memory()};
    Buffer<std::int32_t> axes_{executor_.memory()};
    Buffer<std::int32_t> is_clear_{executor_.memory()};
    Buffer<std::uint32_t> covers_{executor_.memory()};
    Buffer<ContourBounds> corners_{executor_.memory()};
    Buffer<ContourBounds> chunks_{executor_.memory()};
    Buffer<std::uint32_t> names_{executor_.memory()};
    Buffer<std::uint32_t> smooth_count_{executor_.memory()};
};

}  // namespace graze
