// spaced_points: random points that keep a distance from one another.
#pragma once

#include <functional>
#include <vector>

#include "simulation/random_numbers.h"

namespace graze {

using PointSource = std::function<Vec3d(RandomNumbers&)>;

// Returns points of the source, each at least so far from all before it; fewer than count where
// many attempts do not find the next one.
std::vector<Vec3d> spaced_points(std::size_t count, double distance, RandomNumbers& random,
                                 const PointSource& source);

}  // namespace graze
