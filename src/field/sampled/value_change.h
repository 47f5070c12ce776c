// ValueChange: how much more a field can be at one point than at another, by what its samples are
// measured to be. A search leaves a sphere out by it (narrow_phase/sweep/swept_side.h).
//
// What is bounded. Let V be the value that the search along paths goes by (level_times.h), E what
// evaluate() gives, both with the sign of the leaf, and g >= 0. Where V(x) <= g and |c - x| <= R,
//
//     E(c) <= g + per_way sqrt(R^2 + spread^2) + rest
//
// as long as the right side is at most `reach`. All of it is measured, so that it holds for samples
// of any function, not only of distances. In voxels:
//
// - The blend f0 of values at a point is the mean of samples, those of the eight corners of its
//   cell, weighted. Round c to one of its corners along each axis by a random number, up with the
//   probability u where it is at u in its cell, and x by the same three numbers. The means of both
//   samples are f0(c) and f0(x). Along an axis the difference of the two corners has the mean c - x
//   and takes two values, one apart, so that its variance is at most 1/4. Hence the mean square of
//   the distance between the corners is at most R^2 + 3/4, and their mean distance at most the root
//   of that: spread^2 = 3/4.
// - Corners that are (i, j, k) apart, i >= j >= k, are joined by k diagonals of cells, j - k of
//   faces and i - j edges. With K the largest change along any of these 13 ways over its length,
//   samples there differ by K (i + (sqrt(2) - 1) j + (sqrt(3) - sqrt(2)) k) at most, which is below
//   1.1282 K times their distance. So f0(c) - f0(x) <= 1.1282 K sqrt(R^2 + 3/4).
// - Samples count only up to +-B: K is that of the values brought into this range. Let T be the
//   right side. Were f0(c) > T, then going from x to c there would be a last point where f0 is what
//   is known of it at x, at most, and after it a first one where it is T. The values of a cell
//   differ by sqrt(3) K at most, so that with T <= B - sqrt(3) K the corners around both are within
//   the range, and the above holds for these two.
// - A sparse field has samples in bricks. In blocks without bricks count +-B, B not above the band,
//   by the sign of the block's corners, which must be one. Then values are continuous if bricks
//   have the same values where they meet, and no smaller ones than +-B, of the right sign, where
//   they meet such blocks: that is looked at, too. And a level below the band is passed nowhere
//   else. Neither V nor E is nearer to zero there than the band.
// - Order 1 adds to f0 along each axis u (1 - u) times a blend of differences of slopes
//   (line_polynomial.h), at most a quarter of the largest: Q for all three, once for x, once for c.
//   Q is that of cells whose corners are within the range; for others the largest of all is taken
//   off `reach`.
// - Beyond the box, let p be the closest point of the box. At x the value V is f0(p) (and Q), or,
//   where all of the surface is in the box, farther from zero than f0(p). Where all that is beyond
//   the box is inside, f0(p) is above zero by no more than the samples of the box's faces are of
//   the other sign, which is measured and added. p(c) and p(x) are no farther apart than c and x.
//   At c, with b the way from the box, E is at most sqrt(b^2 + v^2), v^2 being the mean square of
//   the corners' values less that of their distances, so v^2 <= f0^2 + 3/4 (K^2 - 1) where K > 1.
//   If s is how far p(c) is from p(x), and w how far the rest of c is from the rest of x, then
//   s^2 + w^2 <= R^2, and E(c) - V(x) is at most the root of w^2 and (f0(p(c)) - f0(p(x)))^2 (both
//   are distances from points in one quarter of a plane), as bounded before: per_way is at least 1.
//
// Distances. Where samples are those of a function d that nowhere changes by more than the way
// (which the samples of a closed mesh are, and which they are not where neighbours differ by more,
// as around the jumps of an open mesh), corners differ by no more than their distance, wherever the
// ways between them lead: K = 1, and neither diagonals nor bricks matter. Where c is in a block
// without a brick, E(c) <= d(c) by evaluate_sampled.h, and d(c) is no more than the mean of the
// corners' samples around x and of their distances from c, so that the bound is the same. There x
// is inside at a level below the band only where d(x) <= 0 <= g. So all that is asked of the level
// is that it be below `band`; `reach` only keeps Q to cells within the range.
//
// A larger change than the range allows is bounded by
//
//     E(c) <= max(g + per_way_far (R + 36) + rest_far, band)
//
// with K of all samples, and of the coarse ones, at their corners' distances: from a sample to a
// corner of its block, which is both, there are 6.93 voxels at most, and from a point of a block
// without a brick to its corners as many in the mean.
#pragma once

#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"

namespace graze {

struct ValueChange {
    float per_way;
    float spread, rest;  // [m]
    float reach;         // [m] below 0 where nothing is known
    float band;          // [m] g must be below it; infinite where it does not matter
    // Whether the samples change by no more than the way, but for their sign: else they are of no
    // distance, and what is known of distances does not hold.
    bool is_distance;
    float per_way_far;  // infinite where nothing is known
    float rest_far;     // [m] with the 36 voxels, and the band where it is larger
};

// Of samples in host memory, in metres of the samples' frame.
ValueChange measure_change(CpuExecutor& executor, const SampledField& field);

}  // namespace graze
