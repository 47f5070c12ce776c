// Ending long work of the library from outside, such as a step of a simulation at Ctrl-C.
//
//     const graze::StopScope scope([] { return is_interrupted.load(); });
//     try { simulation.step(); } catch (const graze::Stopped&) { ... }
#pragma once

#include <functional>

#include "graze/error.h"

namespace graze {

// What ends the work that a StopScope was asked to end.
class Stopped : public Error {
public:
    Stopped() : Error("stopped, as was asked for") {}
};

// While one exists, what the thread that made it calls in the library asks now and then whether to
// stop, from several threads at once, and throws Stopped soon after the answer was yes: between
// pieces of work on the CPU's cores, not within work on a GPU. What was at work has no answer then
// and is good for nothing but to be destroyed, unless it says more.
class StopScope {
public:
    explicit StopScope(std::function<bool()> is_stopped);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

private:
    std::function<bool()> is_stopped_;
    const std::function<bool()>* before_;  // of a scope around this one
};

}  // namespace graze
