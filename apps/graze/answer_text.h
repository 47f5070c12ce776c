// Long lists as text: rows of JSON that stay on one line each, and numbers that read back the same.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "graze/write_file.h"

namespace graze::app {

// Writes as few digits as it takes to get the same double back.
std::string shortest(double number);

// Returns "[1, 2, 0.5]".
std::string json_row(const std::vector<std::string>& cells);

// A key of an object, and rows of an array, which are made one by one and in order, for lists that
// are too long to keep.
struct JsonList {
    const char* key;
    std::size_t count;
    std::function<std::string(std::size_t)> row;  // JSON already
    bool is_one = false;  // its only row is the value itself, not in an array
};

// Writes the object, which is not empty, with the lists at its end and a line for each row, piece
// by piece.
void write_with_rows(const nlohmann::ordered_json& object, const std::vector<JsonList>& lists,
                     const WriteBytes& write);

// Writes cells in columns as wide as their widest, aligned to the right.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

// Where an answer goes: standard output, or a file that is written beside and renamed.
enum class AnswerFormat { text, json, csv };
struct AnswerRequest {
    bool as_json = false, as_csv = false;
    std::string output;  // empty: standard output

    // Throws Error where the output's name and the flags do not say which format it gets.
    AnswerFormat format() const;
};

}  // namespace graze::app
