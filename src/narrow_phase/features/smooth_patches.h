// Smooth patches: parts of a surface that certainly do not touch themselves during a step, so that
// no pair of their elements has to be looked at.
//
// The idea is Volino and Magnenat-Thalmann's ("Efficient self-collision detection on smoothly
// discretized surface animations using geometrical shape regularity", 1994), in time Tang et al.'s
// ("ICCD", 2009): a patch whose normals all point to one side of a plane meets itself only where
// its outline, seen along that direction, does. Where we differ: everything is certain, in
// floating point too; directions are 26 of small integers, so that a patch's cone of normals is
// a mask of 26 bits and that of a union is their common bits; patches are a forest, made once from
// who is connected with whom, and pairs are ruled out by comparing two numbers.
//
// A patch is a set of triangles, each of three different vertices, in which
//   (1) every edge has at most two triangles in the whole mesh, which run through it in opposite
//       directions, and
//   (2) the edges that have one triangle of the patch form one closed loop, the contour, that
//       passes through no vertex twice.
// Let, at a time t, f be the projection along a direction d, linear and with kernel d. Claim: where
//   (3) n.d > 0 for the normal n of every triangle, and
//   (4) f is injective on the contour,
// f is injective on the whole patch. Then no two of its triangles, edges or vertices meet in space
// either, except in what they share as elements of the mesh.
//   By (1) and (3) all triangles are mapped to triangles of positive area, so a point of the plane
// that is on no edge's image has as many preimages as the sum of the triangles' images, as a chain,
// has multiplicity there: by the boundary of that chain the winding number of the contour's image.
// By (4) this is a simple closed curve, by Jordan 0 or 1 (-1 is no count). Now let f(x) = f(y) for
// x, y that differ. Not both lie on the contour, by (4); say x does not. By (1) its triangles
// contain a closed fan around it (the two of an edge, one alone), which f maps, positively oriented
// all of it, with degree 1 or more onto a neighbourhood of f(x). Every neighbourhood of y has
// a triangle that is mapped onto an open set near f(y) = f(x): a generic point of it has two
// preimages. That is a contradiction. So there is no need to ask for a disc, or for fans that are
// single: what is not one does not pass (3) and (4).
//
// (3) holds during a step where it does for the three Bernstein coefficients of each normal, which
// is quadratic in time (patch_normals.h); (4) where one line of sight parts each two sides of the
// contour at both ends of the step (patch_contours.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/mesh.h"

namespace graze {

// Patches of a mesh, small ones within larger ones; which of them are smooth every step tells anew.
struct PatchForest {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    // Contours start at multiples of this, so that chunks of as many sides can be numbered.
    static constexpr std::uint32_t kChunk = 8;

    // Patches are numbered level by level; those of level l are level_offsets[l] up to
    // level_offsets[l + 1]. A patch's children are of lower levels.
    std::vector<std::uint32_t> level_offsets = {0};
    std::vector<std::uint32_t> parents;        // by patch; kNone: a root
    std::vector<std::uint32_t> child_offsets;  // patch_count() + 1
    // Of patches of level 0: triangles; of others: patches.
    std::vector<std::uint32_t> children;

    std::vector<std::uint32_t> contour_offsets;  // by patch; multiples of kChunk
    std::vector<std::uint32_t> contour_counts;   // by patch; 0 where (2) does not hold
    std::vector<std::uint32_t> contour;          // vertices in order, kNone in the gaps
    std::vector<std::uint32_t> contour_patches;  // by place in contour; kNone in the gaps

    std::vector<std::uint32_t> patch_of_triangle;  // of level 0; kNone: in no patch

    std::uint32_t patch_count() const { return static_cast<std::uint32_t>(parents.size()); }
    std::uint32_t level_count() const {
        return static_cast<std::uint32_t>(level_offsets.size()) - 1;
    }
};

// Grows patches over edges, as round as it is easy; the same for the same triangles. Triangles
// that name a vertex twice or have an edge that is against (1) are in no patch.
PatchForest make_patches(std::int64_t vertex_count, std::span<const Triangle> triangles);

}  // namespace graze
