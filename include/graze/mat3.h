// Mat3: a 3x3 matrix, stored as its three columns.
#pragma once

#include "graze/vec3.h"

namespace graze {

template <class T>
struct Mat3T {
    Vec3T<T> columns[3];

    GRAZE_INLINE constexpr T operator()(int row, int column) const { return columns[column][row]; }
    GRAZE_INLINE constexpr T& operator()(int row, int column) { return columns[column][row]; }

    GRAZE_INLINE static constexpr Mat3T identity() {
        return {{{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}};
    }
    GRAZE_INLINE static constexpr Mat3T diagonal(const Vec3T<T>& d) {
        return {{{d.x, T(0), T(0)}, {T(0), d.y, T(0)}, {T(0), T(0), d.z}}};
    }
};

using Mat3 = Mat3T<float>;
using Mat3d = Mat3T<double>;

template <class T>
GRAZE_INLINE constexpr Vec3T<T> operator*(const Mat3T<T>& m, const Vec3T<T>& v) {
    return m.columns[0] * v.x + m.columns[1] * v.y + m.columns[2] * v.z;
}
template <class T>
GRAZE_INLINE constexpr Mat3T<T> operator*(const Mat3T<T>& a, const Mat3T<T>& b) {
    return {{a * b.columns[0], a * b.columns[1], a * b.columns[2]}};
}
template <class T>
GRAZE_INLINE constexpr Mat3T<T> operator*(const Mat3T<T>& m, T s) {
    return {{m.columns[0] * s, m.columns[1] * s, m.columns[2] * s}};
}
template <class T>
GRAZE_INLINE constexpr Mat3T<T> operator+(const Mat3T<T>& a, const Mat3T<T>& b) {
    return {
        {a.columns[0] + b.columns[0], a.columns[1] + b.columns[1], a.columns[2] + b.columns[2]}};
}
template <class T>
GRAZE_INLINE constexpr Mat3T<T> operator-(const Mat3T<T>& a, const Mat3T<T>& b) {
    return {
        {a.columns[0] - b.columns[0], a.columns[1] - b.columns[1], a.columns[2] - b.columns[2]}};
}

template <class T>
GRAZE_INLINE constexpr Mat3T<T> transpose(const Mat3T<T>& m) {
    return {
        {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}}};
}
template <class T>
GRAZE_INLINE constexpr T determinant(const Mat3T<T>& m) {
    return dot(m.columns[0], cross(m.columns[1], m.columns[2]));
}

// The inverse; infinities or NaN where the determinant is zero, so ask determinant() first.
template <class T>
GRAZE_INLINE constexpr Mat3T<T> inverse(const Mat3T<T>& m) {
    const Vec3T<T> row0 = cross(m.columns[1], m.columns[2]);
    const Vec3T<T> row1 = cross(m.columns[2], m.columns[0]);
    const Vec3T<T> row2 = cross(m.columns[0], m.columns[1]);
    const T inverse_determinant = T(1) / dot(m.columns[0], row0);
    return transpose(Mat3T<T>{{row0, row1, row2}}) * inverse_determinant;
}

// The matrix a * b^T.
template <class T>
GRAZE_INLINE constexpr Mat3T<T> outer(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {{a * b.x, a * b.y, a * b.z}};
}

}  // namespace graze
