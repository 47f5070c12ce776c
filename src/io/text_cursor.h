// TextCursor walks through a text file that lies in memory and reads its tokens.
//
// Tokens never cross the end of a line, so that a short line is an error where it stands. Lines are
// counted only when an error message names one, which keeps the scanning loops free of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "graze/error.h"
#include "io/parse_real.h"

namespace graze::io {

// Returns the word at location, printable and short enough for an error message.
inline std::string quoted(const char* location, const char* end) {
    constexpr int kLongest = 24;
    if (location == end) return "the end of the file";
    if (*location == '\n' || *location == '\r') return "the end of the line";
    std::string text = "'";
    for (int i = 0; location != end && static_cast<unsigned char>(*location) > ' ';
         ++i, ++location) {
        if (i == kLongest) {
            text += "...";
            break;
        }
        text += *location < 0x7f && *location > ' ' ? *location : '?';
    }
    return text + "'";
}

// TextRules tell what besides blanks may stand between tokens.
struct TextRules {
    bool comments = false;       // '#' hides the rest of the line
    bool continuations = false;  // '\' at the end of a line joins it with the next
};

template <TextRules rules>
class TextCursor {
public:
    // Integers saturate here, far above every count and index that is allowed.
    static constexpr std::int64_t kLargestInteger = std::int64_t{1} << 58;

    // Starts at byte `start` of the file; bytes and name must outlive the cursor.
    TextCursor(std::string_view bytes, std::string_view name, std::size_t start = 0)
        : begin_(bytes.data()), at_(begin_ + start), end_(begin_ + bytes.size()), name_(name) {
        // Some editors put a byte order mark in front of text.
        if (start == 0 && bytes.substr(0, 3) == "\xEF\xBB\xBF") at_ += 3;
    }

    bool at_end() const { return at_ == end_; }
    const char* at() const { return at_; }
    const char* end() const { return end_; }
    bool at_token_end() const { return ends_token(at_); }
    // Returns the character here, or NUL at the end of the file.
    char peek() const { return at_ == end_ ? '\0' : *at_; }
    void advance() { ++at_; }
    std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
    std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

    // Goes to the next token of this line, or to its end.
    void skip_blanks() {
        while (at_ != end_ && (is_blank(*at_) || joins_lines(at_)))
            at_ = is_blank(*at_) ? at_ + 1 : after_newline(at_);
    }
    bool at_line_end() {
        skip_blanks();
        return at_ == end_ || *at_ == '\n' || (rules.comments && *at_ == '#');
    }
    // Goes behind the end of this line, whatever is left of it.
    void next_line() {
        const bool comment = rules.comments && at_ != end_ && *at_ == '#';
        for (;;) {
            const char* line_end = find_newline(at_);
            const bool joined = rules.continuations && !comment && line_end != end_ &&
                                ends_with_backslash(at_, line_end);
            at_ = line_end == end_ ? end_ : line_end + 1;
            if (!joined) return;
        }
    }
    void skip_empty_lines() {
        while (at_ != end_ && at_line_end())
            next_line();
    }
    void expect_line_end(std::string_view statement) {
        if (!at_line_end())
            fail(at_, "unexpected " + quoted(at_, end_) + " behind " + std::string(statement));
        next_line();
    }

    // Reads the characters up to the next blank; there are none at the end of the line.
    std::string_view word() {
        if (at_line_end()) return {};
        const char* first = at_;
        while (!ends_token(at_))
            ++at_;
        return {first, static_cast<std::size_t>(at_ - first)};
    }
    // Reads a finite number; `what` names it in the error where it is not one.
    template <class T>
    T real(const char* what) {
        skip_blanks();
        const ParsedReal<T> parsed = parse_real<T>(at_, end_);
        if (parsed.status != RealStatus::ok || !ends_token(parsed.stop)) [[unlikely]]
            fail_real(parsed.status, what);
        at_ = parsed.stop;
        return parsed.value;
    }
    // Reads a whole number with nothing but a blank behind it.
    std::int64_t integer(const char* what) {
        skip_blanks();
        const char* first = at_;
        const std::int64_t value = integer_prefix(what);
        if (!ends_token(at_)) [[unlikely]]
            fail_integer(first, what);
        return value;
    }
    // Reads a whole number with anything behind it.
    std::int64_t integer_prefix(const char* what) {
        const char* p = at_;
        const bool negative = p != end_ && *p == '-';
        p += p != end_ && (*p == '-' || *p == '+');
        const char* digits = p;
        std::int64_t value = 0;
        while (p != end_ && static_cast<unsigned char>(*p - '0') < 10) {
            value = std::min<std::int64_t>(value * 10 + (*p - '0'), kLargestInteger);
            ++p;
        }
        if (p == digits) [[unlikely]]
            fail_integer(at_, what);
        at_ = p;
        return negative ? -value : value;
    }

    // location: a character of the file, whose line the message names.
    [[noreturn]] void fail(const char* location, const std::string& cause) const {
        const auto line = 1 + std::count(begin_, location, '\n');
        throw Error(std::string(name_) + ":" + std::to_string(line) + ": " + cause);
    }
    [[noreturn]] void fail(const std::string& cause) const { fail(at_, cause); }
    std::string found() const { return quoted(at_, end_); }

private:
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
    bool joins_lines(const char* p) const {
        if constexpr (!rules.continuations) return false;
        if (*p != '\\') return false;
        ++p;
        while (p != end_ && *p == '\r')
            ++p;
        return p != end_ && *p == '\n';
    }
    bool ends_token(const char* p) const {
        return p == end_ || is_blank(*p) || *p == '\n' || (rules.comments && *p == '#') ||
               joins_lines(p);
    }
    const char* find_newline(const char* p) const {
        if (p == end_ || *p == '\n') return p;
        const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
        return found ? static_cast<const char*>(found) : end_;
    }
    const char* after_newline(const char* p) const {
        const char* line_end = find_newline(p);
        return line_end == end_ ? end_ : line_end + 1;
    }
    static bool ends_with_backslash(const char* first, const char* line_end) {
        while (line_end != first && line_end[-1] == '\r')
            --line_end;
        return line_end != first && line_end[-1] == '\\';
    }

    [[noreturn]] void fail_real(RealStatus status, const char* what) const {
        const std::string found_here = found();
        if (status == RealStatus::not_finite)
            fail(std::string(what) + " is " + found_here + "; it must be a finite number");
        if (status == RealStatus::too_large)
            fail(std::string(what) + " is too large for the precision asked for: " + found_here);
        fail("expected a number for " + std::string(what) + ", found " + found_here);
    }
    [[noreturn]] void fail_integer(const char* location, const char* what) const {
        fail(location, "expected a whole number for " + std::string(what) + ", found " +
                           quoted(location, end_));
    }

    const char* begin_;
    const char* at_;
    const char* end_;
    std::string_view name_;
};

}  // namespace graze::io
