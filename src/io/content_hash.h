// Hashes of contents, by XXH3: fast, the same on every machine, proof against accidents but not
// against those who look for a collision.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace graze::io {

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed);

// What something was made from, in 128 bits; zero where that is not known.
struct ContentKey {
    std::uint64_t low = 0, high = 0;

    bool operator==(const ContentKey&) const = default;
    // 32 hexadecimal digits, high first.
    std::string text() const;
};

// Takes content piece by piece; where one piece ends and the next begins does not matter.
class ContentHasher {
public:
    ContentHasher();
    ~ContentHasher();
    ContentHasher(const ContentHasher&) = delete;
    ContentHasher& operator=(const ContentHasher&) = delete;

    ContentHasher& add(std::string_view bytes);
    // The bytes of a number or an enumerator.
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
