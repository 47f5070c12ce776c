#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace graze::app {

namespace {

int output_error = 0;  // errno of the first write that failed

bool wants_colour() {
    static const bool wanted = [] {
        const char* no_color = std::getenv("NO_COLOR");
        const char* terminal = std::getenv("TERM");
        return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
               !(terminal && std::strcmp(terminal, "dumb") == 0);
    }();
    return wanted;
}

}  // namespace

void prepare_streams() {
    std::signal(SIGPIPE, SIG_IGN);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // open() takes the lowest free number, which is this one.
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDWR) == -1) std::_Exit(1);
    }
}

void print(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && output_error == 0) {
        output_error = errno;
    }
}

bool finish_output() {
    errno = 0;
    if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno;
    if (output_error == 0 || output_error == EPIPE) return true;
    print_error(std::string("cannot write the output: ") + std::strerror(output_error));
    return false;
}

void print_error(std::string_view message) {
    std::fflush(stdout);  // in the order in which things happened
    std::fprintf(stderr, "graze: %s\n", printable(message).c_str());
}

std::string styled(std::string_view text, Style style) {
    std::string plain(text);
    if (style == Style::plain || !wants_colour()) return plain;
    const char* code = style == Style::heading ? "1" : style == Style::good ? "32" : "33";
    return std::string("\033[") + code + "m" + plain + "\033[0m";
}

std::string printable(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return result;
}

std::string with_separators(std::int64_t number) {
    std::string digits = std::to_string(number);
    const int first = number < 0 ? 1 : 0;
    for (int i = static_cast<int>(digits.size()) - 3; i > first; i -= 3) {
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    }
    return digits;
}

std::string with_digits(double number, int digits) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.*g", digits, number);
    return text;
}

std::string with_bytes(std::int64_t count) {
    constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
    if (count < 1000) return std::to_string(count) + " bytes";
    auto value = static_cast<double>(count);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit)
        value /= 1000;
    char text[32];
    std::snprintf(text, sizeof(text), "%.3g %s", value, kUnits[unit]);
    return text;
}

std::string in_rows(const std::vector<std::pair<std::string, std::string>>& rows) {
    constexpr std::size_t kLabelWidth = 24;
    std::string text;
    for (auto [label, value] : rows) {
        label.resize(kLabelWidth, ' ');
        text.append("  ").append(label).append(value).append("\n");
    }
    return text;
}

}  // namespace graze::app
