// add_named_option: an option whose values are the names of an enum (graze/names.h).
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>

#include "graze/error.h"
#include "graze/names.h"

namespace graze::app {

// The meaning of an option and a line for each of its names, the default marked.
template <NamedEnum Enum>
std::string with_names(const std::string& meaning, std::optional<Enum> standard) {
    std::size_t width = 0;
    for (const EnumName<Enum>& entry : names_of<Enum>())
        width = std::max(width, std::string(entry.name).size());
    std::string text = meaning + ":";
    for (const EnumName<Enum>& entry : names_of<Enum>()) {
        std::string name = entry.name;
        name.resize(width, ' ');
        text += "\n" + name + "  " + (entry.value == standard ? "(default) " : "") + entry.meaning;
    }
    return text;
}

// Hyphens may stand for the underscores of a name, as they do in the names of options.
inline std::string with_underscores(std::string text) {
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

// Adds an option that gives the value; standard is what --help says the default is.
template <NamedEnum Enum, class Value>
CLI::Option* add_named_option(CLI::App& command, const char* name, Value& value,
                              const std::string& meaning, std::optional<Enum> standard) {
    const auto assign = [&value](const std::string& text) {
        value = parse_name<Enum>(with_underscores(text));
    };
    const auto check = [](const std::string& text) {
        try {
            parse_name<Enum>(with_underscores(text));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    return command.add_option_function<std::string>(name, assign, with_names(meaning, standard))
        ->check(CLI::Validator(check, ""))
        ->option_text("NAME");
}

// Adds an option for a value that is the default.
template <NamedEnum Enum>
CLI::Option* add_named_option(CLI::App& command, const char* name, Enum& value,
                              const std::string& meaning) {
    return add_named_option<Enum>(command, name, value, meaning, value);
}
// Adds an option without a default.
template <NamedEnum Enum>
CLI::Option* add_named_option(CLI::App& command, const char* name, std::optional<Enum>& value,
                              const std::string& meaning) {
    return add_named_option<Enum>(command, name, value, meaning, std::nullopt);
}

}  // namespace graze::app
