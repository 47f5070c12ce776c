// What happens within one cell: every time when a polynomial along a path changes its sign, or the
// one that Xu and Barbic's rule sees.
//
// A walk carries a state, inside or outside, from cell to cell. Where rounding makes neighbours
// disagree about the value on the face between them, the state wins: the first coefficient counts
// as having the state's sign. So states alternate, and no crossing on a face is lost or doubled.
// Where the value jumps by more than rounding, as between a brick and a block without one, the
// state changes on the face.
#pragma once

#include "field/segments/grid_line.h"
#include "field/segments/line_polynomial.h"
#include "graze/segment_search.h"

namespace graze {

// A path that is inside for less than this fraction of a cell's path, or outside, may be missed. A
// polynomial that stays on one side but comes as near to zero as its coefficients' rounding, some
// 2^-23 of a voxel, is inside for 2^-12 at most, so a finer search would find rounding errors.
constexpr int kCrossingDepth = 12;

namespace crossing_detail {

// A polynomial that is not above zero is inside.
GRAZE_INLINE bool is_inside(float value) {
    return value <= 0;
}

// The root between 0 and 1 of a polynomial with one change of sign in its coefficients, the first
// of which has the sign of the state.
template <int kDegree>
GRAZE_INLINE float find_root(const LinePolynomial<kDegree>& p, bool state) {
    if (is_inside(p.c[0]) != state) return 0;
    // Newton's method from the chord's zero, kept within the bracket.
    float low = 0, high = 1;
    float s = p.c[0] / (p.c[0] - p.c[kDegree]);
    if (!(s > 0 && s < 1)) s = 0.5f;
    for (int i = 0; i < 8; ++i) {
        // De Casteljau's last two values give the value and the derivative.
        float c[kDegree + 1];
        for (int j = 0; j <= kDegree; ++j)
            c[j] = p.c[j];
        for (int n = kDegree; n > 1; --n) {
            for (int j = 0; j < n; ++j)
                c[j] = c[j] + (c[j + 1] - c[j]) * s;
        }
        const float rise = c[1] - c[0];
        const float value = c[0] + rise * s;
        (is_inside(value) == state ? low : high) = s;
        float next = s - value / (rise * kDegree);
        if (!(next > low && next < high)) {
            if (next == s) return s;
            next = 0.5f * (low + high);
        }
        const float moved = std::fabs(next - s);
        s = next;
        if (moved < 1e-6f) break;
    }
    return s;
}

// How many signs differ from the one before, where the first is the state's.
template <int kDegree>
GRAZE_INLINE int count_changes(const LinePolynomial<kDegree>& p, bool state) {
    int count = 0;
    bool last = state;
    for (int i = 1; i <= kDegree; ++i) {
        const bool inside = is_inside(p.c[i]);
        count += inside != last ? 1 : 0;
        last = inside;
    }
    return count;
}

// Several changes of sign: halves are looked at until each has one at most.
template <int kDegree, class Changes>
GRAZE_NOINLINE bool visit_halves(const LinePolynomial<kDegree>& p, float begin, float end,
                                 Changes& changes) {
    constexpr int kSteps = 1 << kCrossingDepth;
    for (int i = 0; i < kSteps;) {
        const bool state = changes.is_inside();
        int width = i == 0 ? kSteps : (i & -i);
        for (;; width >>= 1) {
            const float low = static_cast<float>(i) * (1.0f / kSteps);
            const float high = static_cast<float>(i + width) * (1.0f / kSteps);
            const LinePolynomial<kDegree> part = part_of(p, low, high);
            const int count = count_changes(part, state);
            if (count == 0) break;
            const bool is_last = width == 1;
            if (count > 1 && !is_last) continue;
            if (is_inside(part.c[kDegree]) == state) break;
            const float s = low + (high - low) * (is_last ? 0.5f : find_root(part, state));
            if (!changes.become(!state, begin + (end - begin) * s)) return false;
            break;
        }
        i += width;
    }
    return true;
}

}  // namespace crossing_detail

// Reports every change in [begin, end], the times when the polynomial is at 0 and at 1:
// changes.become(is_inside, time) returns false to stop. `rounding` is how far values on a face may
// be apart by rounding.
template <CellRule kRule, int kDegree, class Changes>
GRAZE_INLINE bool visit_crossings(const LinePolynomial<kDegree>& p, float begin, float end,
                                  float rounding, Changes& changes) {
    using namespace crossing_detail;
    const bool first = is_inside(p.c[0]);
    if (!changes.is_known() || (first != changes.is_inside() && std::fabs(p.c[0]) > rounding)) {
        if (!changes.become(first, begin)) return false;
    }
    const bool state = changes.is_inside();
    if constexpr (kRule == CellRule::single) {
        if (is_inside(p.c[kDegree]) == state) return true;
        float low = 0, high = 1, at_low = p.c[0], at_high = p.c[kDegree];
        float s = 0;
        if (is_inside(at_low) == state) {
            for (int i = 0; i < 5; ++i) {  // regula falsi, their equation 2
                s = low + (high - low) * (at_low / (at_low - at_high));
                const float value = value_at(p, s);
                if (std::fabs(value) < 1e-6f * std::fabs(at_low - at_high)) break;
                const bool is_before = is_inside(value) == state;
                (is_before ? low : high) = s;
                (is_before ? at_low : at_high) = value;
            }
        }
        return changes.become(!state, begin + (end - begin) * s);
    } else {
        const int count = count_changes(p, state);
        if (count == 0) return true;
        if (count > 1) return visit_halves(p, begin, end, changes);
        const float s = find_root(p, state);
        return changes.become(!state, begin + (end - begin) * s);
    }
}

}  // namespace graze
