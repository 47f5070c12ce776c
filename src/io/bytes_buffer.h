// BytesBuffer lets another library read a file that lies in memory as a stream. Reading beyond its
// end throws Error, which comes out of the stream's calls where exceptions are enabled on it, so
// that the library never goes on with bytes that were not there.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>

#include "graze/error.h"

namespace graze::io {

class BytesBuffer final : public std::streambuf {
public:
    BytesBuffer(std::string_view bytes, std::string name) : name_(std::move(name)) {
        char* first = const_cast<char*>(bytes.data());  // what setg() takes; nothing writes to it
        setg(first, first, first + bytes.size());
    }

protected:
    int_type underflow() override {
        throw Error(name_ + ": byte " + std::to_string(egptr() - eback()) +
                    ": the file ends early");
    }
    pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                     std::ios_base::openmode) override {
        const off_type start = from == std::ios_base::beg   ? 0
                               : from == std::ios_base::cur ? gptr() - eback()
                                                            : egptr() - eback();
        return seekpos(start + offset, std::ios_base::in);
    }
    pos_type seekpos(pos_type position, std::ios_base::openmode) override {
        const off_type offset = position;
        if (offset < 0 || offset > egptr() - eback()) underflow();
        setg(eback(), eback() + offset, egptr());
        return position;
    }

private:
    std::string name_;
};

}  // namespace graze::io
