// What new has allocated in a test program that is linked with count_allocations.cpp.
#pragma once

#include <atomic>
#include <cstddef>

namespace graze {

extern std::atomic<std::size_t> allocated_now;   // [bytes]
extern std::atomic<std::size_t> allocated_peak;  // [bytes] the most since a test set it
extern std::atomic<std::size_t> allocation_count;

}  // namespace graze
