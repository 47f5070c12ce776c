// parse_real reads one decimal number from text, correctly rounded to float or double, in any
// locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace graze::io {

enum class RealStatus {
    ok,
    malformed,   // no number starts here
    not_finite,  // "nan" or "inf" in words
    too_large,   // a number, but beyond the largest of the type
};

template <class T>
struct ParsedReal {
    T value;
    const char* stop;  // the first character behind the number
    RealStatus status;
};

// True where the decimal number [first, last) is smaller than one. Its digits and exponent must be
// well formed.
inline bool is_below_one(const char* first, const char* last) {
    if (first != last && *first == '-') ++first;
    std::int64_t magnitude = 0;  // decimal exponent of the first significant digit, plus one
    bool significant = false, fraction = false;
    for (; first != last && *first != 'e' && *first != 'E'; ++first) {
        if (*first == '.') {
            fraction = true;
        } else {
            significant |= *first != '0';
            if (significant && !fraction) ++magnitude;
            if (!significant && fraction) --magnitude;
        }
    }
    if (first == last) return magnitude <= 0;
    ++first;
    if (first != last && *first == '+') ++first;
    std::int64_t exponent = 0;
    const auto parsed = std::from_chars(first, last, exponent);
    // An exponent beyond 64 bits outweighs any number of digits that a file can hold.
    if (parsed.ec == std::errc::result_out_of_range) return *first == '-';
    return exponent <= -magnitude;
}

// Reads the number that starts at first, by std::from_chars, which is as fast as anything here. A
// leading '+' is allowed.
template <class T>
ParsedReal<T> parse_real(const char* first, const char* last) {
    if (first != last && *first == '+') {
        ++first;
        if (first != last && *first == '-') return {T(0), first, RealStatus::malformed};
    }
    T value = T(0);
    const auto [stop, error] = std::from_chars(first, last, value);
    if (error == std::errc::invalid_argument) return {T(0), first, RealStatus::malformed};
    if (error == std::errc::result_out_of_range) {
        // Too small to represent is zero; too large is for the caller to refuse.
        if (is_below_one(first, stop)) return {*first == '-' ? -T(0) : T(0), stop, RealStatus::ok};
        return {T(0), stop, RealStatus::too_large};
    }
    if (std::isfinite(value)) return {value, stop, RealStatus::ok};
    const char letter = *first == '-' ? first[1] : *first;
    const bool digits = letter == '.' || (letter >= '0' && letter <= '9');
    return {T(0), stop, digits ? RealStatus::too_large : RealStatus::not_finite};
}

}  // namespace graze::io
