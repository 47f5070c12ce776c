// stop_question tells what a StopScope of this thread wants to be asked.
#pragma once

#include <functional>

#include "graze/stop.h"

namespace graze {

using StopQuestion = std::function<bool()>;

// Null where the thread has no StopScope.
const StopQuestion* stop_question() noexcept;

// Throws Stopped where the answer is yes; question may be null.
inline void ask_to_stop(const StopQuestion* question) {
    if (question != nullptr && (*question)()) throw Stopped();
}

}  // namespace graze
