#include "geometry/generate/check_generated.h"

#include <cmath>
#include <cstdio>

#include "graze/error.h"
#include "graze/mesh_report.h"

namespace graze {

namespace {

// As short as people write it: 1e6, not 1e+06.
std::string short_text(double value) {
    std::string text = number_text(static_cast<float>(value));
    const std::size_t exponent = text.find('e');
    if (exponent == text.npos) return text;
    const std::string digits = text.substr(text.find_first_not_of("+-0", exponent + 1));
    return text.substr(0, exponent + 1) + (text[exponent + 1] == '-' ? "-" : "") + digits;
}

// The bounds are compared as floats, as the values are: 1e-6f is below 1e-6.
bool is_in_range(const GeneratorOption& option, float value) {
    return value >= static_cast<float>(option.least) && value <= static_cast<float>(option.most);
}
bool is_in_range(const GeneratorOption& option, int value) {
    return value >= option.least && value <= option.most;
}

[[noreturn]] void refuse_option(const char* kind, const GeneratorOption& option,
                                const std::string& value, const std::string& wanted) {
    const std::string group = *option.group == '\0' ? "" : std::string(option.group) + " ";
    throw Error(std::string(kind) + ": " + group + option.name + " is " + value + "; give " +
                wanted);
}

std::string range_text(const GeneratorOption& option) {
    const std::string range =
        " from " + short_text(option.least) + " to " + short_text(option.most);
    switch (option.unit) {
        case GeneratorOption::Unit::metre:
            return "a length" + range + " m";
        case GeneratorOption::Unit::radian:
            return "an angle" + range + " rad";
        case GeneratorOption::Unit::none:
            break;
    }
    return "a number" + range;
}

void require_range(const char* kind, const GeneratorOption& option) {
    if (const auto* number = std::get_if<float*>(&option.value)) {
        if (!is_in_range(option, **number))
            refuse_option(kind, option, number_text(**number), range_text(option));
    } else if (const auto* count = std::get_if<int*>(&option.value)) {
        if (**count % option.factor != 0)
            refuse_option(kind, option, std::to_string(**count),
                          "a multiple of " + std::to_string(option.factor));
        if (!is_in_range(option, **count))
            refuse_option(kind, option, std::to_string(**count), range_text(option));
    }
}

}  // namespace

void require(bool is_met, const char* kind, const std::string& message) {
    if (!is_met) throw Error(std::string(kind) + ": " + message);
}

void require_ranges(const char* kind, const std::vector<GeneratorOption>& options) {
    for (const GeneratorOption& option : options)
        require_range(kind, option);
}

std::string number_text(float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(value));
    return text;
}

Mesh checked(Mesh mesh, const char* kind, const char* cure) {
    const MeshReport report = inspect(mesh, {.parts = false});
    const bool is_sound =
        report.is_closed() && report.volume > 0 && report.self_intersection_count == 0 &&
        report.degenerate_triangle_count == 0 && report.duplicate_triangle_count == 0;
    require(is_sound, kind, cure);
    return mesh;
}

}  // namespace graze
