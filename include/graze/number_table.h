// NumberTable: rows of numbers in a file, such as points and what was found of them.
//
//   .npy   a NumPy array of floats of 32 or 64 bits with one or two dimensions, in C order
//   .csv   numbers apart by commas, semicolons or blanks, a row a line; a first line that is no
//          row of numbers names the columns, and lines that begin with # are passed over
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace graze {

struct NumberTable {
    std::int64_t row_count = 0;
    int column_count = 0;
    std::vector<float> values;              // row by row
    std::vector<std::string> column_names;  // for .csv; empty, or one for each column
};

// What of these is asked for by a file's extension; throws Error where it is none of them.
enum class TableFormat { npy, csv };
TableFormat table_format(const std::filesystem::path& path);

// Throws Error, with the line or byte and the cause, where the file cannot be read or is not such a
// table: a number that is missing, not finite or beyond the floats, rows of different lengths.
NumberTable load_table(const std::filesystem::path& path);

// Writes it as the extension says, whole or not at all. A .npy of one column has one dimension.
// Numbers of .csv have as many digits as it takes to read the same float; infinity is "inf".
void save_table(const NumberTable& table, const std::filesystem::path& path);

}  // namespace graze
