#include "geometry/generate/check_generated.h"

#include <cmath>
#include <cstdio>

#include "graze/error.h"
#include "graze/mesh_report.h"

namespace graze {

void require(bool is_met, const char* kind, const std::string& message) {
    if (!is_met) throw Error(std::string(kind) + ": " + message);
}

void require_length(const char* kind, const char* name, float value) {
    require(std::isfinite(value) && value >= 1e-6f && value <= 1e6f, kind,
            std::string(name) + " is " + number_text(value) + "; give a length from 1e-6 to 1e6 m");
}

void require_count(const char* kind, const char* name, int value, int low) {
    constexpr int kHigh = 4096;  // two of them make 33 million triangles
    require(value >= low && value <= kHigh, kind,
            std::string(name) + " is " + std::to_string(value) + "; give a number from " +
                std::to_string(low) + " to " + std::to_string(kHigh));
}

std::string number_text(float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(value));
    return text;
}

Mesh checked(Mesh mesh, const char* kind, const char* cure) {
    const MeshReport report = inspect(mesh);
    const bool is_sound =
        report.is_closed() && report.volume > 0 && report.self_intersection_count == 0 &&
        report.degenerate_triangle_count == 0 && report.duplicate_triangle_count == 0;
    require(is_sound, kind, cure);
    return mesh;
}

}  // namespace graze
