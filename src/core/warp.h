// What a device thread can know of the threads that run in step with it.
#pragma once

#include "graze/hd.h"

namespace graze {

// How many threads of the warp are here with this one; 1 on the host.
GRAZE_INLINE int active_thread_count() {
#if GRAZE_ON_DEVICE
    return __popc(__activemask());
#else
    return 1;
#endif
}

}  // namespace graze
