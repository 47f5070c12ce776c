// ByteSink is where a writer's bytes go, in large pieces.
#pragma once

#include <string_view>

namespace graze::io {

class ByteSink {
public:
    virtual ~ByteSink() = default;
    virtual void write(std::string_view bytes) = 0;
};

}  // namespace graze::io
