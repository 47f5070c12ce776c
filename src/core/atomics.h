// Atomic operations on plain integers, on either machine.
#pragma once

#include <cstdint>

#include "graze/hd.h"

namespace graze {

// Adds a value and returns the old one. Writes made before it are visible to whoever sees the sum
// (acquire, release).
GRAZE_INLINE std::uint32_t atomic_fetch_add(std::uint32_t* target, std::uint32_t value) {
#if GRAZE_ON_DEVICE
    __threadfence();
    const std::uint32_t old = atomicAdd(target, value);
    __threadfence();
    return old;
#else
    return __atomic_fetch_add(target, value, __ATOMIC_ACQ_REL);
#endif
}

// Takes the next free index of a list: adds one to its count and returns the old value. It says
// nothing about what other threads see of anything else.
GRAZE_INLINE std::uint32_t atomic_take_index(std::uint32_t* count) {
#if GRAZE_ON_DEVICE
    return atomicAdd(count, 1u);
#else
    return __atomic_fetch_add(count, 1u, __ATOMIC_RELAXED);
#endif
}

// Reads what other threads may lower at the same time.
GRAZE_INLINE double atomic_read(const double* target) {
#if GRAZE_ON_DEVICE
    return *static_cast<const volatile double*>(target);
#else
    double value;
    __atomic_load(target, &value, __ATOMIC_RELAXED);
    return value;
#endif
}

// Lowers the target to value where that is less. Neither is negative or NaN, so that they sort as
// their bits do.
GRAZE_INLINE void atomic_lower(double* target, double value) {
#if GRAZE_ON_DEVICE
    atomicMin(reinterpret_cast<unsigned long long*>(target),
              static_cast<unsigned long long>(__double_as_longlong(value)));
#else
    double old;
    __atomic_load(target, &old, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange(target, &old, &value, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
    }
#endif
}

// Writes to a target that several threads may write at the same time.
GRAZE_INLINE void atomic_store(std::int32_t* target, std::int32_t value) {
#if GRAZE_ON_DEVICE
    *reinterpret_cast<volatile std::int32_t*>(target) = value;
#else
    __atomic_store_n(target, value, __ATOMIC_RELAXED);
#endif
}

// Reads what another thread wrote before an atomic_fetch_add that this thread has seen. The
// device's first-level caches do not follow other threads' writes, so the read goes past them.
template <class T>
GRAZE_INLINE T load_coherent(const T* source) {
#if GRAZE_ON_DEVICE
    static_assert(sizeof(T) % 4 == 0);
    T value;
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) {
        reinterpret_cast<unsigned*>(&value)[i] =
            __ldcg(reinterpret_cast<const unsigned*>(source) + i);
    }
    return value;
#else
    if constexpr (sizeof(T) == 4) {
        T value;
        __atomic_load(source, &value, __ATOMIC_RELAXED);
        return value;
    } else {
        return *source;
    }
#endif
}

// A flag by which one thread of the host tells others that it has written something: whoever sees
// the flag raised may read what was written before.
inline void raise_flag(std::uint8_t* flag) {
    __atomic_store_n(flag, std::uint8_t{1}, __ATOMIC_RELEASE);
}
inline bool is_raised(const std::uint8_t* flag) {
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0;
}

}  // namespace graze
