// The conversions of half floats, portable and by the machine's instructions, against a slow
// reference.
#include "core/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace graze {
namespace {

// Failures are counted and the first one shown: a loop over millions of values would drown the
// report.
class Mismatches {
public:
    void expect(bool same, std::uint32_t input) {
        if (same) return;
        if (count_++ == 0) first_ = input;
    }
    ~Mismatches() { EXPECT_EQ(count_, 0) << "first at input 0x" << std::hex << first_; }

private:
    std::int64_t count_ = 0;
    std::uint32_t first_ = 0;
};

// The value of a finite half, from the definition of its bits.
double value_of(Half half) {
    const int exponent = (half.bits >> 10) & 31;
    const int fraction = half.bits & 1023;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return half.bits & 0x8000 ? -magnitude : magnitude;
}

// The half nearest to a number, ties to even, from the definition of rounding.
Half nearest_half(float value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::abs(static_cast<double>(value));
    if (magnitude == 0) return {sign};
    const int exponent = std::max(std::ilogb(magnitude), -14);
    // In units of the last place; reaching 2048 carries into the exponent by itself.
    const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
    const double bits = units + (exponent + 14) * 1024.0;
    return {static_cast<std::uint16_t>(sign | static_cast<int>(std::min(bits, double{0x7c00})))};
}

bool is_nan(Half half) {
    return (half.bits & 0x7fff) > 0x7c00;
}

TEST(Half, EveryHalfKeepsItsValue) {
    Mismatches portable_values;
    Mismatches machine_values;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const Half half{static_cast<std::uint16_t>(bits)};
        if ((bits & 0x7c00) == 0x7c00) continue;
        portable_values.expect(portable::float_from_half(half) == value_of(half), bits);
        machine_values.expect(float_from_half(half) == value_of(half), bits);
    }
}

TEST(Half, EveryHalfRoundTrips) {
    Mismatches portable_bits;
    Mismatches machine_bits;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const Half half{static_cast<std::uint16_t>(bits)};
        // A signalling NaN comes back quiet; everything else is the same bit by bit.
        const std::uint32_t expected = is_nan(half) ? bits | 0x200 : bits;
        portable_bits.expect(
            portable::half_from_float(portable::float_from_half(half)).bits == expected, bits);
        machine_bits.expect(half_from_float(float_from_half(half)).bits == expected, bits);
    }
}

TEST(Half, MachineAndPortableGiveTheSameFloat) {
    Mismatches mismatches;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const Half half{static_cast<std::uint16_t>(bits)};
        mismatches.expect(std::bit_cast<std::uint32_t>(float_from_half(half)) ==
                              std::bit_cast<std::uint32_t>(portable::float_from_half(half)),
                          bits);
    }
}

TEST(Half, TiesBetweenNeighboursGoToEven) {
    Mismatches mismatches;
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
        const Half low{static_cast<std::uint16_t>(bits)};
        const Half high{static_cast<std::uint16_t>(bits + 1)};
        // The comparison is exact: a float has thirteen more bits than a half.
        const auto middle = static_cast<float>((value_of(low) + value_of(high)) / 2);
        const Half even = bits % 2 == 0 ? low : high;
        for (const float sign : {1.0f, -1.0f}) {
            const std::uint16_t sign_bit = sign < 0 ? 0x8000 : 0;
            const auto expect = [&](float value, Half half) {
                mismatches.expect(
                    portable::half_from_float(sign * value).bits == (half.bits | sign_bit), bits);
                mismatches.expect(half_from_float(sign * value).bits == (half.bits | sign_bit),
                                  bits);
            };
            expect(middle, even);
            expect(std::nextafter(middle, 0.0f), low);
            expect(std::nextafter(middle, 1e9f), high);
        }
    }
}

TEST(Half, LargeNumbersOverflowToInfinity) {
    for (const float sign : {1.0f, -1.0f}) {
        const std::uint16_t sign_bit = sign < 0 ? 0x8000 : 0;
        const auto bits_of = [&](float value) {
            const Half half = half_from_float(sign * value);
            EXPECT_EQ(half.bits, portable::half_from_float(sign * value).bits);
            return half.bits & ~sign_bit;
        };
        EXPECT_EQ(bits_of(65504.0f), 0x7bff);
        EXPECT_EQ(bits_of(std::nextafter(65520.0f, 0.0f)), 0x7bff);
        EXPECT_EQ(bits_of(65520.0f), 0x7c00);
        EXPECT_EQ(bits_of(std::numeric_limits<float>::max()), 0x7c00);
        EXPECT_EQ(bits_of(std::numeric_limits<float>::infinity()), 0x7c00);
    }
}

TEST(Half, SmallNumbersKeepTheirSign) {
    for (const float tiny : {0.0f, 1e-30f, std::numeric_limits<float>::denorm_min(), 0x1p-25f}) {
        EXPECT_EQ(half_from_float(tiny).bits, 0);
        EXPECT_EQ(half_from_float(-tiny).bits, 0x8000);
        EXPECT_EQ(portable::half_from_float(tiny).bits, 0);
        EXPECT_EQ(portable::half_from_float(-tiny).bits, 0x8000);
    }
    EXPECT_EQ(half_from_float(std::nextafter(0x1p-25f, 1.0f)).bits, 1);
    EXPECT_EQ(portable::half_from_float(std::nextafter(0x1p-25f, 1.0f)).bits, 1);
}

// Of every 4096 neighbouring floats this tries those where rounding changes, and some at random, so
// that all exponents and all halves occur.
TEST(Half, EveryStratumOfFloats) {
    Mismatches against_reference;
    Mismatches machine_against_portable;
    std::mt19937 random(1);
    for (std::uint32_t stratum = 0; stratum < (1u << 20); ++stratum) {
        for (const std::uint32_t low : {0x000u, 0x001u, 0x7ffu, 0x800u, 0x801u, 0xffeu, 0xfffu,
                                        static_cast<std::uint32_t>(random() & 0xfffu)}) {
            const std::uint32_t bits = stratum << 12 | low;
            const auto value = std::bit_cast<float>(bits);
            const Half half = portable::half_from_float(value);
            machine_against_portable.expect(half_from_float(value).bits == half.bits, bits);
            if (std::isnan(value)) {
                against_reference.expect(is_nan(half), bits);
            } else if (std::isinf(value)) {
                against_reference.expect(half.bits == (value > 0 ? 0x7c00 : 0xfc00), bits);
            } else {
                against_reference.expect(half.bits == nearest_half(value).bits, bits);
            }
        }
    }
}

TEST(Half, RandomFloatsAgainstTheReference) {
    Mismatches mismatches;
    std::mt19937 random(2);
    for (int i = 0; i < 1000000; ++i) {
        // Most of the range of floats is beyond halves, so these are spread over the exponents of
        // halves and some more.
        const std::uint32_t exponent = 127 - 27 + static_cast<std::uint32_t>(random() % 46);
        const std::uint32_t bits = static_cast<std::uint32_t>(random() & 0x807fffffu) | exponent
                                                                                            << 23;
        const auto value = std::bit_cast<float>(bits);
        mismatches.expect(portable::half_from_float(value).bits == nearest_half(value).bits, bits);
        mismatches.expect(half_from_float(value).bits == nearest_half(value).bits, bits);
    }
}

}  // namespace
}  // namespace graze
