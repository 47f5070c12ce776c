#include "tests/count_allocations.h"

#include <cstdlib>
#include <new>

namespace graze {

std::atomic<std::size_t> allocated_now{0};
std::atomic<std::size_t> allocated_peak{0};
std::atomic<std::size_t> allocation_count{0};

}  // namespace graze

namespace {
constexpr std::size_t kSizeField = alignof(std::max_align_t);
}  // namespace

using graze::allocated_now;
using graze::allocated_peak;
using graze::allocation_count;

void* operator new(std::size_t size) {
    auto* block = static_cast<char*>(std::malloc(size + kSizeField));
    if (!block) throw std::bad_alloc();
    *reinterpret_cast<std::size_t*>(block) = size;
    const std::size_t now = allocated_now += size;
    ++allocation_count;
    std::size_t peak = allocated_peak;
    while (now > peak && !allocated_peak.compare_exchange_weak(peak, now)) {
    }
    return block + kSizeField;
}
// A sanitizer has a version of its own, which does not go through the one above.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* pointer) noexcept {
    if (!pointer) return;
    char* block = static_cast<char*>(pointer) - kSizeField;
    allocated_now -= *reinterpret_cast<std::size_t*>(block);
    std::free(block);
}
void operator delete(void* pointer, std::size_t) noexcept {
    operator delete(pointer);
}
void operator delete(void* pointer, const std::nothrow_t&) noexcept {
    operator delete(pointer);
}
