#include "simulation/json_cursor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/nearest_name.h"

namespace graze {

namespace {

using nlohmann::json;

std::string brief(double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", value);
    return text;
}

// Says what a value is, with an article, for messages.
std::string kind_of(const json& value) {
    switch (value.type()) {
        case json::value_t::object:
            return "an object";
        case json::value_t::array:
            return "an array";
        case json::value_t::string:
            return "the text " + in_quotes(value.get_ref<const std::string&>());
        case json::value_t::boolean:
            return value.get<bool>() ? "true" : "false";
        case json::value_t::null:
            return "null";
        default:
            return "the number " + brief(value.get<double>());
    }
}

std::string out_of_range(double value, const NumberRange& range) {
    return "is " + brief(value) + "; give a number from " + brief(range.least) + " to " +
           brief(range.most);
}

bool is_in(double value, const NumberRange& range) {
    return value >= range.least && value <= range.most;
}

}  // namespace

JsonCursor::JsonCursor(const json& value, const std::string& file_name)
    : JsonCursor(value, file_name, {}) {}
JsonCursor::JsonCursor(const json& value, const std::string& file_name, std::string path)
    : value_(&value), file_name_(&file_name), path_(std::move(path)) {}

std::string JsonCursor::where() const {
    return *file_name_ + (path_.empty() ? ": " : ": " + path_ + ": ");
}
void JsonCursor::fail(const std::string& cause) const {
    throw SceneFileError(where() + cause);
}
void JsonCursor::fail_type(const char* expected) const {
    fail(std::string("expected ") + expected + ", not " + kind_of(*value_));
}

bool JsonCursor::is_array() const {
    return value_->is_array();
}
bool JsonCursor::is_string() const {
    return value_->is_string();
}

void JsonCursor::require_object() const {
    if (!value_->is_object()) fail_type("an object");
}

void JsonCursor::require_members(const std::vector<std::string>& known) const {
    require_object();
    for (const auto& [name, value] : value_->items()) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string meant = nearest_name(name, known);
        fail("has no member " + in_quotes(name) +
             (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
             (known.empty() ? "; it has none" : "; there are: " + listed(known)));
    }
}

std::vector<std::string> JsonCursor::names() const {
    require_object();
    std::vector<std::string> names;
    names.reserve(value_->size());
    for (const auto& [name, value] : value_->items())
        names.push_back(name);
    return names;
}

bool JsonCursor::has(std::string_view member) const {
    return value_->is_object() && value_->find(member) != value_->end();
}

std::optional<JsonCursor> JsonCursor::find(std::string_view member) const {
    require_object();
    const auto found = value_->find(member);
    if (found == value_->end()) return std::nullopt;
    // A name from a file that is no plain word goes in quotes.
    const std::string name(member);
    const bool is_plain =
        !name.empty() && name.size() <= 60 && std::all_of(name.begin(), name.end(), [](char c) {
            const auto code = static_cast<unsigned char>(c);
            return code > 32 && code < 127 && c != '.' && c != '[' && c != ']' && c != '\'';
        });
    std::string path = path_;
    if (is_plain) {
        path += (path.empty() ? "" : ".") + name;
    } else {
        path += "[" + in_quotes(name) + "]";
    }
    return JsonCursor(*found, *file_name_, std::move(path));
}

JsonCursor JsonCursor::at(std::string_view member) const {
    auto found = find(member);
    if (!found) fail("the member " + in_quotes(member) + " is missing");
    return *std::move(found);
}

std::string JsonCursor::require_one_of(const std::vector<std::string>& members) const {
    require_object();
    std::vector<std::string> there;
    for (const std::string& member : members) {
        if (has(member)) there.push_back(member);
    }
    if (there.empty()) fail("one of these members is missing: " + listed(members));
    if (there.size() > 1) fail("has " + listed(there) + "; keep one of them");
    return there[0];
}

void JsonCursor::require_array() const {
    if (!value_->is_array()) fail_type("an array");
}

std::size_t JsonCursor::size(std::size_t least, std::size_t most) const {
    require_array();
    const std::size_t count = value_->size();
    if (count < least || count > most) {
        fail("has " + std::to_string(count) + " elements; give " +
             (least == most ? std::to_string(least)
                            : std::to_string(least) + " to " + std::to_string(most)));
    }
    return count;
}

JsonCursor JsonCursor::operator[](std::size_t index) const {
    require_array();
    return {value_->at(index), *file_name_, path_ + "[" + std::to_string(index) + "]"};
}

double JsonCursor::number(const NumberRange& range) const {
    if (!value_->is_number()) fail_type("a number");
    const auto value = value_->get<double>();
    if (!is_in(value, range)) fail(out_of_range(value, range));
    return value;
}

std::int64_t JsonCursor::integer(std::int64_t least, std::int64_t most) const {
    if (!value_->is_number()) fail_type("a whole number");
    // All limits are far below 2^53, so that a double tells the range of any number.
    const auto value = value_->get<double>();
    if (value != std::floor(value)) fail_type("a whole number");
    const NumberRange range{static_cast<double>(least), static_cast<double>(most)};
    if (!is_in(value, range)) fail(out_of_range(value, range));
    return static_cast<std::int64_t>(value);
}

bool JsonCursor::boolean() const {
    if (!value_->is_boolean()) fail_type("true or false");
    return value_->get<bool>();
}

const std::string& JsonCursor::string() const {
    if (!value_->is_string()) fail_type("a text");
    return value_->get_ref<const std::string&>();
}

Vec3 JsonCursor::vector(const NumberRange& range) const {
    const std::vector<float> xyz = numbers(3, 3, range);
    return {xyz[0], xyz[1], xyz[2]};
}

std::vector<float> JsonCursor::numbers(std::size_t least, std::size_t most,
                                       const NumberRange& range) const {
    const std::size_t count = size(least, most);
    std::vector<float> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const json& element = (*value_)[i];
        if (!element.is_number() || !is_in(element.get<double>(), range)) (*this)[i].number(range);
        result.push_back(static_cast<float>(element.get<double>()));
    }
    return result;
}

std::size_t JsonCursor::choice_index(const std::vector<std::string>& texts) const {
    if (!value_->is_string()) fail_type(("one of " + listed(texts)).c_str());
    const std::string& text = string();
    const auto found = std::find(texts.begin(), texts.end(), text);
    if (found == texts.end()) {
        const std::string meant = nearest_name(text, texts);
        fail("is " + in_quotes(text) + (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
             "; there are: " + listed(texts));
    }
    return static_cast<std::size_t>(found - texts.begin());
}

void JsonCursor::read(std::string_view member, float& value, const NumberRange& range) const {
    if (const auto found = find(member)) value = static_cast<float>(found->number(range));
}
void JsonCursor::read(std::string_view member, double& value, const NumberRange& range) const {
    if (const auto found = find(member)) value = found->number(range);
}
void JsonCursor::read(std::string_view member, int& value, int least, int most) const {
    if (const auto found = find(member)) value = static_cast<int>(found->integer(least, most));
}
void JsonCursor::read(std::string_view member, std::uint32_t& value) const {
    if (const auto found = find(member))
        value = static_cast<std::uint32_t>(found->integer(0, static_cast<std::int64_t>(kMostBits)));
}
void JsonCursor::read(std::string_view member, bool& value) const {
    if (const auto found = find(member)) value = found->boolean();
}
void JsonCursor::read(std::string_view member, std::string& value) const {
    if (const auto found = find(member)) value = found->string();
}
void JsonCursor::read(std::string_view member, Vec3& value, const NumberRange& range) const {
    if (const auto found = find(member)) value = found->vector(range);
}

}  // namespace graze
