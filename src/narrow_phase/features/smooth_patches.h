// Smooth patches: parts of a surface that certainly do not touch themselves during a step, so that
// no pair of their elements has to be tested.
//
// The idea is Volino and Magnenat-Thalmann's ("Efficient self-collision detection on smoothly
// discretized surface animations using geometrical shape regularity", 1994), and its extension to
// time is Tang et al.'s ("ICCD", 2009): a patch whose normals all point to one side of a plane
// meets itself only where its contour, seen along the normal of that plane, does. Where graze
// differs: everything is certain, in floating point too; there are 26 directions of small integers,
// so that a patch's cone of normals is a mask of 26 bits and that of a union is their common bits;
// the patches form a forest, made once from the mesh's connectivity, and a pair is ruled out by
// comparing two numbers.
//
// A patch is a set of triangles, each of three different vertices, in which
//   (1) every edge has at most two triangles in the whole mesh, which run through it in opposite
//       directions, and
//   (2) the edges that have one triangle of the patch form one closed loop, the contour, that
//       passes through no vertex twice.
// At a time t, let f be the projection along a direction d; it is linear and has the kernel d.
// Claim: where
//   (3) n.d > 0 for the normal n of every triangle, and
//   (4) f is injective on the contour,
// f is injective on the whole patch. Then no two of its triangles, edges or vertices meet in space
// either, except in what they share as elements of the mesh.
//   Proof. By (1) and (3) all triangles are mapped to triangles of positive area. So the count of
// preimages of a point of the plane that is on no edge's image is the multiplicity there of the sum
// of the triangles' images, as a chain. By the boundary of that chain this is the winding number of
// the contour's image. By (4) that image is a simple closed curve, so by Jordan the count is 0 or 1
// (-1 is no count). Now let f(x) = f(y) for x, y that differ. By (4) not both lie on the contour;
// say x does not. By (1) its triangles contain a closed fan around it (the two triangles of an
// edge, where x is on one, or the one that x is inside of), all of which f maps with positive
// orientation, and so with degree 1 or more onto a neighbourhood of f(x). Every neighbourhood of y
// has a triangle that is mapped onto an open set near f(y) = f(x): a generic point of that set has
// two preimages. That is a contradiction. So neither a disc nor single fans need be required: a
// patch that is no disc or has a vertex of several fans does not pass (3) and (4).
//
// (3) holds during a step where it does for the three Bernstein coefficients of each normal, which
// is quadratic in time (patch_normals.h). (4) holds where for each two sides of the contour a line
// in the plane of sight separates them at both ends of the step (patch_contours.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/mesh.h"

namespace graze {

// The patches of a mesh, small ones within larger ones. Which of them are smooth is found anew in
// every step.
struct PatchForest {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    // Contours start at multiples of this, so that chunks of so many sides can be numbered.
    static constexpr std::uint32_t kChunk = 8;

    // Patches are numbered level by level; those of level l are level_offsets[l] up to
    // level_offsets[l + 1] - 1. A patch's children are of lower levels.
    std::vector<std::uint32_t> level_offsets = {0};
    std::vector<std::uint32_t> parents;        // by patch; kNone: a root
    std::vector<std::uint32_t> child_offsets;  // patch_count() + 1
    // The children of a patch of level 0 are triangles, those of others are patches.
    std::vector<std::uint32_t> children;

    std::vector<std::uint32_t> contour_offsets;  // by patch; multiples of kChunk
    std::vector<std::uint32_t> contour_counts;   // by patch; 0 where (2) does not hold
    std::vector<std::uint32_t> contour;          // vertices in order, kNone in the gaps
    std::vector<std::uint32_t> contour_patches;  // by index in contour; kNone in the gaps

    std::vector<std::uint32_t> patch_of_triangle;  // a patch of level 0; kNone: in no patch

    std::uint32_t patch_count() const { return static_cast<std::uint32_t>(parents.size()); }
    std::uint32_t level_count() const {
        return static_cast<std::uint32_t>(level_offsets.size()) - 1;
    }
};

// Grows patches over edges, as round as is easily done; the same triangles give the same patches.
// A triangle that names a vertex twice or has an edge that violates (1) is in no patch.
PatchForest make_patches(std::int64_t vertex_count, std::span<const Triangle> triangles);

}  // namespace graze
