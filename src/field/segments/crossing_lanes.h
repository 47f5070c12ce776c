// The roots of eight polynomials at once, on the host; the same bits as cell_crossings.h gives.
#pragma once

#include "core/lanes.h"
#include "field/segments/cell_crossings.h"

namespace graze {
namespace crossing_detail {

// How many signs differ from the one before, by lane, where the first is the state's.
template <int kDegree>
GRAZE_INLINE Int8 count_changes(const LinePolynomial<kDegree, Float8>& p, Mask8 state) {
    Int8 count{};
    Mask8 last = state;
    for (int i = 1; i <= kDegree; ++i) {
        const Mask8 inside = p.c[i] <= 0;
        count -= inside ^ last;  // all bits set are -1
        last = inside;
    }
    return count;
}

// find_root() in each lane of a mask.
template <int kDegree>
GRAZE_INLINE Float8 find_root(const LinePolynomial<kDegree, Float8>& p, Mask8 state, Mask8 wanted) {
    const Float8 zero{};
    Float8 low = zero, high = zero + 1;
    Float8 s = p.c[0] / (p.c[0] - p.c[kDegree]);
    s = ((s > 0) & (s < 1)) ? s : zero + 0.5f;
    const Mask8 begins = (p.c[0] <= 0) == state;
    s = begins ? s : zero;
    Mask8 goes_on = wanted & begins;
    for (int i = 0; i < 8 && any_of(goes_on); ++i) {
        Float8 c[kDegree + 1];
        for (int j = 0; j <= kDegree; ++j)
            c[j] = p.c[j];
        for (int n = kDegree; n > 1; --n) {
            for (int j = 0; j < n; ++j)
                c[j] = c[j] + (c[j + 1] - c[j]) * s;
        }
        const Float8 rise = c[1] - c[0];
        const Float8 value = c[0] + rise * s;
        const Mask8 is_before = (value <= 0) == state;
        low = is_before ? s : low;
        high = is_before ? high : s;
        Float8 next = s - value / (rise * float{kDegree});
        const Mask8 leaves = ~((next > low) & (next < high));
        goes_on &= ~(leaves & (next == s));
        next = leaves ? 0.5f * (low + high) : next;
        const Float8 moved = abs_of(next - s);
        s = goes_on ? next : s;
        goes_on &= ~(moved < 1e-6f);
    }
    return s;
}

}  // namespace crossing_detail
}  // namespace graze
