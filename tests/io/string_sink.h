// StringSink keeps in memory what a writer writes.
#pragma once

#include <string>
#include <string_view>

#include "io/byte_sink.h"

namespace graze::testing {

class StringSink final : public io::ByteSink {
public:
    void write(std::string_view bytes) override { content += bytes; }
    std::string content;
};

}  // namespace graze::testing
