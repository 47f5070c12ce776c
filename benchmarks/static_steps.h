// A small sheet that comes down on ground of many triangles, which stay: steps with the ground as a
// static part, in turns with steps that treat it like everything else.
#pragma once

#include <cmath>

#include "graze/deforming.h"

namespace graze {

struct SheetOverGround {
    static constexpr std::uint32_t kGround = 0, kSheet = 1;
    DeformingTopology topology;
    std::vector<Vec3> t0, t1;  // [m]

    // Of 2 side^2 triangles each.
    SheetOverGround(int ground_side, int sheet_side) {
        add_grid(ground_side, 10, kGround, 0, 0);
        add_grid(sheet_side, 1, kSheet, 0.12f, 0.06f);
        topology.vertex_count = static_cast<std::int64_t>(t0.size());
        topology.ignored_parts = {{kGround, kGround}};
    }

private:
    // Waves with a period of 1 m; the sheet moves down from one height to the other.
    void add_grid(int side, float width, std::uint32_t part, float height_t0, float height_t1) {
        const auto first = static_cast<std::uint32_t>(t0.size());
        for (int y = 0; y <= side; ++y) {
            for (int x = 0; x <= side; ++x) {
                const float u = (static_cast<float>(x) / static_cast<float>(side) - 0.5f) * width;
                const float v = (static_cast<float>(y) / static_cast<float>(side) - 0.5f) * width;
                const float wave = 0.05f * std::sin(6.2832f * u) * std::cos(6.2832f * v);
                const bool is_ground = part == kGround;
                t0.push_back({u, v, is_ground ? wave : height_t0 + 0.01f * std::sin(20 * u)});
                t1.push_back({u, v, is_ground ? wave : height_t1 + 0.01f * std::sin(20 * u)});
                topology.parts.push_back(part);
            }
        }
        const auto at = [&](int x, int y) {
            return first + static_cast<std::uint32_t>(y * (side + 1) + x);
        };
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                topology.triangles.push_back({{at(x, y), at(x + 1, y), at(x + 1, y + 1)}});
                topology.triangles.push_back({{at(x, y), at(x + 1, y + 1), at(x, y + 1)}});
            }
        }
    }
};

}  // namespace graze
