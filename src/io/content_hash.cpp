#include "io/content_hash.h"

// The whole of xxHash is in its header, and is compiled for the same machine as this file.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace graze::io {

struct ContentHasher::State {
    XXH3_state_t xxh;
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {
    XXH3_128bits_reset(&state_->xxh);
}
ContentHasher::~ContentHasher() = default;

ContentHasher& ContentHasher::add(std::string_view bytes) {
    XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
    return *this;
}

ContentKey ContentHasher::key() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
    return {hash.low64, hash.high64};
}

std::string ContentKey::text() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string result;
    for (const std::uint64_t word : {high, low}) {
        for (int shift = 60; shift >= 0; shift -= 4)
            result += kDigits[(word >> shift) & 15];
    }
    return result;
}

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace graze::io
