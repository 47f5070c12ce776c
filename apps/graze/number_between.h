// number_between: a check of option values. CLI11's own lets NaN pass.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace graze::app {

inline CLI::Validator number_between(double low, double high) {
    const auto check = [low, high](const std::string& text) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        if (is_number && value >= low && value <= high) return std::string();
        // It is as short as 0 or 1e+30.
        const auto brief = [](double number) { return CLI::detail::to_string(number); };
        return "'" + text + "' is no number between " + brief(low) + " and " + brief(high);
    };
    return CLI::Validator(check, "");
}

}  // namespace graze::app
