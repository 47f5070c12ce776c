// SinkBuffer lets another library write to a ByteSink as to a stream. With exceptions enabled on
// the stream, what the sink throws comes out of the stream's calls.
#pragma once

#include <streambuf>

#include "io/buffered_sink.h"

namespace graze::io {

class SinkBuffer final : public std::streambuf {
public:
    explicit SinkBuffer(ByteSink& sink) : sink_(sink) {}

protected:
    std::streamsize xsputn(const char* bytes, std::streamsize count) override {
        sink_.write({bytes, static_cast<std::size_t>(count)});
        return count;
    }
    int_type overflow(int_type c) override {
        const char byte = traits_type::to_char_type(c);
        sink_.write({&byte, 1});
        return c;
    }
    // The stream's flush() calls this. Without it the last bytes are lost.
    int sync() override {
        sink_.flush();
        return 0;
    }

private:
    BufferedSink sink_;
};

}  // namespace graze::io
