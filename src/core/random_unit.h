// random_unit: random numbers that are the same with every standard library, whose distributions
// are free to differ where its engines are not.
#pragma once

#include <random>

namespace graze {

// A random number that is at least 0 and below 1.
inline double random_unit(std::mt19937& random) {
    return static_cast<double>(random()) / 4294967296.0;
}

}  // namespace graze
