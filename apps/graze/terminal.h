// What all commands print with: standard output and error as the user wants them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graze::app {

// Opens the null device for standard streams that are closed, so that no file that the program
// opens gets their numbers; and lets a reader that goes away (`| head`) end the output, not the
// program.
void prepare_streams();
// Writes out what is left. Returns false, with a message, where standard output failed for another
// reason than a reader that went away.
bool finish_output();

void print(std::string_view text);
// Writes one line on standard error: "graze: <message>". Control characters become question marks.
void print_error(std::string_view message);

enum class Style { plain, heading, good, attention };
// Returns the text in a colour where standard output is a terminal and NO_COLOR is not set.
std::string styled(std::string_view text, Style style);
// Returns the text with control characters replaced, for file names.
std::string printable(std::string_view text);

// Writes 1234567 as 1,234,567.
std::string with_separators(std::int64_t number);
// Writes a number with that many significant digits.
std::string with_digits(double number, int digits = 6);
// Writes 1234567 bytes as 1.23 MB.
std::string with_bytes(std::int64_t count);
// Returns a line for each label and its value, in two columns.
std::string in_rows(const std::vector<std::pair<std::string, std::string>>& rows);

}  // namespace graze::app
