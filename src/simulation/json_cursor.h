// JsonCursor: a value of a scene file that knows its path, so that every mistake is reported with
// it: "bowl.json: bodies[3].pose.rotation: expected an object, not a number".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graze/error.h"
#include "graze/names.h"
#include "graze/vec3.h"

namespace graze {

struct NumberRange {
    double least, most;
};
constexpr double kMostLength = 1e9, kLeastSize = 1e-9;
constexpr NumberRange kAnyLength{-kMostLength, kMostLength};
constexpr NumberRange kNotNegative{0, kMostLength};
constexpr NumberRange kPositive{kLeastSize, kMostLength};
constexpr NumberRange kAnyAngle{-360'000, 360'000};  // [degrees]
constexpr double kMostBits = 4'294'967'295.0;        // 2^32 - 1

// Thrown for what is wrong in a file; its message begins with the path of the value.
class SceneFileError : public Error {
public:
    using Error::Error;
};

class JsonCursor {
public:
    // The root. The value and the name outlive all cursors.
    JsonCursor(const nlohmann::json& value, const std::string& file_name);

    // "bodies[3].shape"; empty for the root.
    const std::string& path() const { return path_; }
    // "bowl.json: bodies[3].shape: ", with which messages about this value begin.
    std::string where() const;
    [[noreturn]] void fail(const std::string& cause) const;
    // Returns what the work returns. An Error of the library, which does not know what file it
    // works for, gets this path.
    template <class Work>
    auto located(const Work& work) const {
        try {
            return work();
        } catch (const SceneFileError&) {
            throw;
        } catch (const Error& error) {
            fail(error.what());
        }
    }

    bool is_array() const;
    bool is_string() const;

    // These are for objects. The first refuses anything else, and members that are not known.
    void require_members(const std::vector<std::string>& known) const;
    void require_object() const;
    std::vector<std::string> names() const;
    bool has(std::string_view member) const;
    JsonCursor at(std::string_view member) const;  // refuses where it is not there
    std::optional<JsonCursor> find(std::string_view member) const;
    // Returns the only one of these members that is there; refuses none and two.
    std::string require_one_of(const std::vector<std::string>& members) const;

    // These are for arrays. The first returns the number of elements, which must be in the range.
    std::size_t size(std::size_t least, std::size_t most) const;
    JsonCursor operator[](std::size_t index) const;

    // These return the value, and refuse one of another type or out of range.
    double number(const NumberRange& range) const;
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    bool boolean() const;
    const std::string& string() const;
    Vec3 vector(const NumberRange& range) const;
    // An array of numbers, without a cursor for each.
    std::vector<float> numbers(std::size_t least, std::size_t most, const NumberRange& range) const;
    template <class E>
    E choice(std::initializer_list<std::pair<const char*, E>> choices) const {
        std::vector<std::string> texts;
        for (const auto& [text, value] : choices)
            texts.emplace_back(text);
        return choices.begin()[choice_index(texts)].second;
    }
    // A value of an enum, by its name (graze/names.h).
    template <NamedEnum Enum>
    Enum named() const {
        std::vector<std::string> texts;
        for (const EnumName<Enum>& entry : names_of<Enum>())
            texts.emplace_back(entry.name);
        return names_of<Enum>()[choice_index(texts)].value;
    }

    // These read a member where it is there; else value stays as it is.
    void read(std::string_view member, float& value, const NumberRange& range) const;
    void read(std::string_view member, double& value, const NumberRange& range) const;
    void read(std::string_view member, int& value, int least, int most) const;
    void read(std::string_view member, std::uint32_t& value) const;  // all 32 bits
    void read(std::string_view member, bool& value) const;
    void read(std::string_view member, std::string& value) const;
    void read(std::string_view member, Vec3& value, const NumberRange& range) const;
    template <class E>
    void read(std::string_view member, E& value,
              std::initializer_list<std::pair<const char*, E>> choices) const {
        if (const auto found = find(member)) value = found->choice(choices);
    }
    template <NamedEnum Enum>
    void read(std::string_view member, Enum& value) const {
        if (const auto found = find(member)) value = found->named<Enum>();
    }

private:
    JsonCursor(const nlohmann::json& value, const std::string& file_name, std::string path);
    void require_array() const;
    std::size_t choice_index(const std::vector<std::string>& texts) const;
    [[noreturn]] void fail_type(const char* expected) const;

    const nlohmann::json* value_;
    const std::string* file_name_;
    std::string path_;
};

}  // namespace graze
