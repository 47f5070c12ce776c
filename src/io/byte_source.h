// ByteSource is where a reader's bytes come from, in order and in large pieces.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace graze::io {

class ByteSource {
public:
    virtual ~ByteSource() = default;
    // Returns how many bytes there are in all.
    virtual std::uint64_t size() const = 0;
    // Copies the next count bytes; the caller asks for no more than are left.
    virtual void read(char* to, std::uint64_t count) = 0;
};

class MemorySource final : public ByteSource {
public:
    explicit MemorySource(std::string_view bytes) : bytes_(bytes), left_(bytes) {}
    std::uint64_t size() const override { return bytes_.size(); }
    void read(char* to, std::uint64_t count) override {
        if (count == 0) return;
        std::memcpy(to, left_.data(), count);
        left_.remove_prefix(count);
    }

private:
    std::string_view bytes_;
    std::string_view left_;
};

}  // namespace graze::io
