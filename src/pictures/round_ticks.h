// Functions for the ticks of scales, which are multiples of 1, 2 or 5 times a power of ten.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace graze::io {

// Returns the smallest round step that is at least `step`, which is above 0.
inline double round_step(double step) {
    const double power = std::pow(10.0, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= step * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

// Returns a number as scales with that step write it: with as many decimals as the step has.
inline std::string tick_label(double number, double step) {
    const int exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
    if (std::fabs(number) < step / 2) return "0";
    char text[64];
    if (exponent < -4 || exponent > 5) {
        std::snprintf(text, sizeof(text), "%.3g", number);
    } else {
        std::snprintf(text, sizeof(text), "%.*f", exponent < 0 ? -exponent : 0, number);
    }
    return text;
}

// Calls use(number) for every multiple of step in [low, high].
template <class Use>
void for_each_tick(double low, double high, double step, const Use& use) {
    constexpr double kSlack = 1e-6;
    const double first = std::ceil(low / step - kSlack), last = std::floor(high / step + kSlack);
    for (double i = first; i <= last && last - first < 1000; ++i)
        use(i * step);
}

}  // namespace graze::io
