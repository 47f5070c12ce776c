// Hashes of contents by XXH3, which is fast and the same on every machine. They tell accidental
// changes, but do not withstand those who look for a collision.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace graze::io {

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed);

// ContentKey tells in 128 bits what something was made from; it is zero where that is not known.
struct ContentKey {
    std::uint64_t low = 0, high = 0;

    bool operator==(const ContentKey&) const = default;
    // Returns 32 hexadecimal digits, those of high first.
    std::string text() const;
};

// ContentHasher takes content piece by piece; where one piece ends and the next begins does not
// matter.
class ContentHasher {
public:
    ContentHasher();
    ~ContentHasher();
    ContentHasher(const ContentHasher&) = delete;
    ContentHasher& operator=(const ContentHasher&) = delete;

    ContentHasher& add(std::string_view bytes);
    // Adds the bytes of a number or an enumerator.
    template <class T>
    ContentHasher& add_value(T value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        return add({reinterpret_cast<const char*>(&value), sizeof value});
    }
    ContentKey key() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace graze::io
