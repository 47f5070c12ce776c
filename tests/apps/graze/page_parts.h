// What a page carries, taken out of it again (docs/formats/page_data.md).
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace graze::testing {

// What stands between the marks of a page's part.
inline std::string part_of(const std::string& page, const std::string& id) {
    const std::size_t begin = page.find('>', page.find("id=\"" + id + "\"")) + 1;
    return page.substr(begin, page.find("</script>", begin) - begin);
}

inline std::string decode_base64(const std::string& text) {
    static const std::string digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0, count = 0;
    for (const char c : text) {
        if (c == '=') break;
        const std::size_t digit = digits.find(c);
        EXPECT_NE(digit, std::string::npos) << c;
        bits = bits << 6 | static_cast<unsigned>(digit & 63);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 255);
    }
    return bytes;
}

inline std::string inflated(std::string stored, std::size_t size) {
    std::string raw(size, '\0');
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_in = static_cast<uInt>(stored.size());
    stream.next_out = reinterpret_cast<Bytef*>(raw.data());
    stream.avail_out = static_cast<uInt>(raw.size());
    EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(stream.avail_out, 0u);
    inflateEnd(&stream);
    return raw;
}

inline std::uint32_t crc_of(const std::string& bytes, std::uint32_t start = 0) {
    return static_cast<std::uint32_t>(crc32(start, reinterpret_cast<const Bytef*>(bytes.data()),
                                            static_cast<uInt>(bytes.size())));
}

// Writes the chunks of raw blocks as a recording that is not finished, in stored deflate streams.
inline void write_as_recording(const std::string& raw, std::uint32_t version,
                               const std::filesystem::path& path) {
    const auto number = [](std::uint32_t value) {
        std::string bytes(4, '\0');
        std::memcpy(bytes.data(), &value, 4);
        return bytes;
    };
    std::ofstream file(path, std::ios::binary);
    const std::string head = std::string("\x89GRC\r\n\x1a\n", 8) + number(version);
    std::uint32_t checksum = crc_of(head);
    file << head << number(checksum);
    for (std::size_t at = 0; at < raw.size();) {
        std::uint32_t size = 0;
        std::memcpy(&size, raw.data() + at + 4, 4);
        std::string content = raw.substr(at + 8, size), stream(compressBound(size) + 64, '\0');
        z_stream zip{};
        EXPECT_EQ(deflateInit2(&zip, 1, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
        zip.next_in = reinterpret_cast<Bytef*>(content.data());
        zip.avail_in = size;
        zip.next_out = reinterpret_cast<Bytef*>(stream.data());
        zip.avail_out = static_cast<uInt>(stream.size());
        EXPECT_EQ(deflate(&zip, Z_FINISH), Z_STREAM_END);
        stream.resize(zip.total_out);
        deflateEnd(&zip);
        const std::string chunk =
            raw.substr(at, 4) + number(static_cast<std::uint32_t>(stream.size())) + number(size);
        checksum = crc_of(stream, crc_of(chunk, checksum));
        file << chunk << number(checksum) << stream;
        at += 8 + size;
    }
}

struct PageParts {
    nlohmann::json about;
    std::string raw;  // of all blocks, one after the other

    explicit PageParts(const std::string& page)
        : about(nlohmann::json::parse(part_of(page, "about"))) {
        std::istringstream lines(part_of(page, "run"));
        std::string line;
        for (const auto& block : about.at("blocks")) {
            EXPECT_TRUE(std::getline(lines, line));
            const std::string stored = decode_base64(line);
            EXPECT_EQ(stored.size(), block[0].get<std::size_t>());
            EXPECT_EQ(crc_of(stored), block[2].get<std::uint32_t>());
            raw += inflated(stored, block[1].get<std::size_t>());
        }
    }
};

}  // namespace graze::testing
