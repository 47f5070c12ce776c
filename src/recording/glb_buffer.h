// GlbBuffer: the numbers of a glTF file, and the JSON that tells where they are.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/mesh.h"

namespace graze {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie there");

class GlbBuffer {
public:
    using Json = nlohmann::ordered_json;

    // What a view's numbers are for, as glTF counts.
    enum Target { kAny = 0, kVertices = 34962, kIndices = 34963 };
    enum ComponentType { kU16 = 5123, kU32 = 5125, kFloat = 5126 };

    // Adds a view of size bytes, which are zero, and returns its index.
    std::size_t add_view(std::size_t size, Target target) {
        bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
        Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", size}};
        if (target != kAny) view["target"] = static_cast<int>(target);
        offsets_.push_back(bytes_.size());
        views_.push_back(std::move(view));
        bytes_.resize(bytes_.size() + size, '\0');
        return offsets_.size() - 1;
    }
    char* at(std::size_t view, std::size_t offset) {
        return bytes_.data() + offsets_[view] + offset;
    }
    // Adds a view that holds an array.
    template <class T>
    std::size_t add_view(std::span<const T> values, Target target) {
        const std::size_t view = add_view(values.size_bytes(), target);
        std::memcpy(at(view, 0), values.data(), values.size_bytes());
        return view;
    }

    // Numbers in a view. type: SCALAR, VEC3, VEC4. bounds: min and max, where glTF asks for them.
    std::size_t add_accessor(std::size_t view, std::size_t offset, ComponentType component,
                             const char* type, std::size_t count, Json bounds = nullptr) {
        Json accessor = {{"bufferView", view},
                         {"byteOffset", offset},
                         {"componentType", static_cast<int>(component)},
                         {"count", count},
                         {"type", type}};
        if (!bounds.is_null()) accessor.update(bounds);
        accessors_.push_back(std::move(accessor));
        return accessors_.size() - 1;
    }

    // Adds the corners of triangles, in 16 bits where the vertices are so few, and returns their
    // accessor.
    std::size_t add_indices(const std::vector<Triangle>& triangles, std::size_t vertex_count) {
        const std::size_t index_count = 3 * triangles.size();
        if (vertex_count <= std::numeric_limits<std::uint16_t>::max()) {
            std::vector<std::uint16_t> shorts;
            shorts.reserve(index_count);
            for (const Triangle& triangle : triangles)
                for (const std::uint32_t vertex : triangle.v)
                    shorts.push_back(static_cast<std::uint16_t>(vertex));
            const std::size_t view = add_view<std::uint16_t>(shorts, kIndices);
            return add_accessor(view, 0, kU16, "SCALAR", index_count);
        }
        const std::size_t view = add_view<Triangle>(triangles, kIndices);
        return add_accessor(view, 0, kU32, "SCALAR", index_count);
    }

    std::size_t size() const { return bytes_.size(); }
    std::string take_bytes() { return std::move(bytes_); }
    Json& views() { return views_; }
    Json& accessors() { return accessors_; }

private:
    std::string bytes_;
    std::vector<std::size_t> offsets_;  // of the views
    Json views_ = Json::array(), accessors_ = Json::array();
};

}  // namespace graze
