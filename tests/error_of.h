// error_of runs an action that must throw graze::Error and gives its message.
#pragma once

#include <string>

#include "graze/error.h"

namespace graze::testing {

// Returns the message of the Error that the action throws; it is empty where there is none.
template <class Action>
std::string error_of(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace graze::testing
