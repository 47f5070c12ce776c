// OutOfMemory: the host has no room for a block. The same work may succeed when there is more.
#pragma once

#include "graze/error.h"

namespace graze {

struct OutOfMemory : Error {
    using Error::Error;
};

}  // namespace graze
