// Exact rational numbers and vectors. Every float and double is one, and + - * / make no error.
#pragma once

#include <gmpxx.h>

#include "graze/vec3.h"

namespace graze::oracle {

using Rational = mpq_class;

// This is not Vec3T<Rational>, since GMP's operators return expression templates, which are types
// of their own.
struct RationalVec3 {
    Rational x, y, z;
};

template <class T>
RationalVec3 to_rational(const Vec3T<T>& v) {
    return {Rational(double(v.x)), Rational(double(v.y)), Rational(double(v.z))};
}

inline RationalVec3 operator+(const RationalVec3& a, const RationalVec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline RationalVec3 operator-(const RationalVec3& a, const RationalVec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline RationalVec3 operator*(const RationalVec3& a, const Rational& s) {
    return {a.x * s, a.y * s, a.z * s};
}
inline bool operator==(const RationalVec3& a, const RationalVec3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}
inline Rational dot(const RationalVec3& a, const RationalVec3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline RationalVec3 cross(const RationalVec3& a, const RationalVec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline bool is_zero(const RationalVec3& a) {
    return sgn(a.x) == 0 && sgn(a.y) == 0 && sgn(a.z) == 0;
}

}  // namespace graze::oracle
