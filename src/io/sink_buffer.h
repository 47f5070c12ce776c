// SinkBuffer: what another library writes to a stream, on its way into a ByteSink. With exceptions
// enabled on the stream, what the sink throws comes out of the stream's calls.
#pragma once

#include <streambuf>
#include <string>

#include "io/byte_sink.h"

namespace graze::io {

class SinkBuffer final : public std::streambuf {
public:
    explicit SinkBuffer(ByteSink& sink) : sink_(sink) {}

protected:
    std::streamsize xsputn(const char* bytes, std::streamsize count) override {
        piece_.append(bytes, static_cast<std::size_t>(count));
        if (piece_.size() >= kPieceBytes) sync();
        return count;
    }
    int_type overflow(int_type c) override {
        piece_ += traits_type::to_char_type(c);
        return c;
    }
    // Called by the stream's flush(), without which the last bytes are lost.
    int sync() override {
        sink_.write(piece_);
        piece_.clear();
        return 0;
    }

private:
    static constexpr std::size_t kPieceBytes = 1 << 16;

    ByteSink& sink_;
    std::string piece_;  // not yet written
};

}  // namespace graze::io
