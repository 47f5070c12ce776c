// BufferedSink gathers small pieces of bytes and hands them on to another sink in large ones.
#pragma once

#include <string>
#include <string_view>

#include "io/byte_sink.h"

namespace graze::io {

class BufferedSink final : public ByteSink {
public:
    explicit BufferedSink(ByteSink& sink) : sink_(sink) { buffer_.reserve(kPieceBytes + 1024); }

    void write(std::string_view bytes) override {
        buffer_ += bytes;
        if (buffer_.size() >= kPieceBytes) flush();
    }
    // Hands on what is left. It must be called at the end: the destructor does not write.
    void flush() {
        sink_.write(buffer_);
        buffer_.clear();
    }

private:
    static constexpr std::size_t kPieceBytes = 1 << 16;

    ByteSink& sink_;
    std::string buffer_;
};

}  // namespace graze::io
