#include "answer_text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "graze/error.h"

namespace graze::app {

std::string shortest(double number) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof(text), number);
    return {text, result.ptr};
}

std::string json_row(const std::vector<std::string>& cells) {
    std::string text = "[";
    for (std::size_t i = 0; i < cells.size(); ++i)
        text += (i > 0 ? ", " : "") + cells[i];
    return text + "]";
}

void write_with_rows(const nlohmann::ordered_json& object, const std::vector<JsonList>& lists,
                     const WriteBytes& write) {
    // File names need not be UTF-8, JSON must be.
    std::string text = object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.resize(text.size() - 2);  // the end of the line and the brace
    write(text);
    for (const JsonList& list : lists) {
        if (list.is_one) {
            write(std::string(",\n  \"") + list.key + "\": " + list.row(0));
            continue;
        }
        write(std::string(",\n  \"") + list.key + "\": [");
        for (std::size_t i = 0; i < list.count; ++i)
            write((i > 0 ? ",\n    " : "\n    ") + list.row(i));
        write(list.count == 0 ? "]" : "\n  ]");
    }
    write("\n}\n");
}

std::string in_columns(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text.append(2 + widths[i] - row[i].size(), ' ').append(row[i]);
        text += "\n";
    }
    return text;
}

AnswerFormat AnswerRequest::format() const {
    if (as_json) return AnswerFormat::json;
    if (as_csv) return AnswerFormat::csv;
    if (output.empty()) return AnswerFormat::text;
    const std::string extension = std::filesystem::path(output).extension().string();
    if (extension == ".json") return AnswerFormat::json;
    if (extension == ".csv") return AnswerFormat::csv;
    throw Error(output + ": no such format; end its name in .json or .csv, or say --json or --csv");
}

}  // namespace graze::app
