// Error: the one exception of the library. Its message is one line that says what to change.
#pragma once

#include <stdexcept>
#include <string>

namespace graze {

class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace graze
