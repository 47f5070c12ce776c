// What a device thread can know of the threads that run in step with it.
#pragma once

#include <cstdint>

#include "graze/hd.h"

namespace graze {

// How many threads of the warp run in step with this one now, itself included; 1 on the host.
GRAZE_INLINE int active_thread_count() {
#if GRAZE_ON_DEVICE
    return __popc(__activemask());
#else
    return 1;
#endif
}

// The bits that any thread of the warp has. All 32 threads have to make this call.
GRAZE_INLINE std::uint32_t or_over_warp(std::uint32_t bits) {
#if GRAZE_DEVICE_ARCH >= 800
    return __reduce_or_sync(0xffffffffu, bits);
#elif GRAZE_ON_DEVICE
    for (int distance = 16; distance > 0; distance /= 2)
        bits |= __shfl_xor_sync(0xffffffffu, bits, distance);
    return bits;
#else
    return bits;
#endif
}

}  // namespace graze
