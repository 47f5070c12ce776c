// GlbFile: as much of a glTF reader as tests need.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace graze::testing {

class GlbFile {
public:
    explicit GlbFile(const std::filesystem::path& path) : bytes_(read_bytes(path)) {
        require(bytes_.size() >= 20 && bytes_.starts_with("glTF"), "magic");
        require(word(4) == 2, "version");
        require(word(8) == bytes_.size(), "length");
        const std::size_t text_size = word(12);
        require(word(16) == 0x4E4F534A && text_size % 4 == 0, "the JSON chunk");
        json = nlohmann::json::parse(bytes_.substr(20, text_size));
        if (20 + text_size == bytes_.size()) return;
        require(word(24 + text_size) == 0x004E4942 && word(20 + text_size) % 4 == 0, "the binary");
        binary_ = 28 + text_size;
        require(binary_ + word(20 + text_size) == bytes_.size(), "the binary chunk's size");
    }

    // The elements of an accessor of floats.
    std::vector<std::vector<float>> floats(std::size_t accessor) const {
        const auto& entry = json.at("accessors").at(accessor);
        require(entry.at("componentType") == 5126, "floats");
        return elements<float>(entry, width(entry.at("type")));
    }
    // The elements of an accessor of indices, 16 or 32 bits wide.
    std::vector<std::uint32_t> indices(std::size_t accessor) const {
        const auto& entry = json.at("accessors").at(accessor);
        std::vector<std::uint32_t> result;
        if (entry.at("componentType") == 5123) {
            for (const auto& element : elements<std::uint16_t>(entry, 1))
                result.push_back(element[0]);
        } else {
            require(entry.at("componentType") == 5125, "indices");
            for (const auto& element : elements<std::uint32_t>(entry, 1))
                result.push_back(element[0]);
        }
        return result;
    }

    // The channel of a node's translation, rotation or scale; null where it is constant.
    const nlohmann::json* sampler(std::size_t node, const std::string& path) const {
        if (!json.contains("animations")) return nullptr;
        const auto& animation = json["animations"][0];
        for (const auto& channel : animation["channels"])
            if (channel["target"]["node"] == node && channel["target"]["path"] == path)
                return &animation["samplers"][channel["sampler"].get<std::size_t>()];
        return nullptr;
    }
    // What a node's property is at a key or held at, for a time that has a key or is outside.
    std::vector<float> value_at(std::size_t node, const std::string& path, float time) const {
        const nlohmann::json* found = sampler(node, path);
        if (!found) return json["nodes"][node].at(path).get<std::vector<float>>();
        const auto times = floats((*found)["input"]);
        const auto values = floats((*found)["output"]);
        EXPECT_EQ(times.size(), values.size());
        std::size_t key = 0;
        while (key + 1 < times.size() && times[key + 1][0] <= time)
            ++key;
        return values[key];
    }

    nlohmann::json json;

private:
    static void require(bool holds, const char* what) {
        if (!holds) throw std::runtime_error(std::string("glb: ") + what);
    }
    static std::size_t width(const std::string& type) {
        return type == "SCALAR" ? 1 : type == "VEC3" ? 3 : 4;
    }
    std::uint32_t word(std::size_t offset) const {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    template <class T>
    std::vector<std::vector<T>> elements(const nlohmann::json& accessor, std::size_t size) const {
        const auto& view = json.at("bufferViews").at(accessor["bufferView"].get<std::size_t>());
        const std::size_t count = accessor["count"], offset = accessor["byteOffset"];
        require(offset + count * size * sizeof(T) <= view["byteLength"], "an accessor's view");
        const std::size_t begin = binary_ + view["byteOffset"].get<std::size_t>() + offset;
        require(begin + count * size * sizeof(T) <= bytes_.size(), "a view's buffer");
        std::vector<std::vector<T>> result(count, std::vector<T>(size));
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(result[i].data(), bytes_.data() + begin + i * size * sizeof(T),
                        size * sizeof(T));
        return result;
    }

    std::string bytes_;
    std::size_t binary_ = 0;  // where the buffer begins
};

}  // namespace graze::testing
