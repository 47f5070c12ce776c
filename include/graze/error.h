// Error: the exception that the library throws. Its message is one line that says what to change.
// Beside it only std::bad_alloc may come, where the host has no memory left.
#pragma once

#include <stdexcept>
#include <string>

namespace graze {

class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace graze
