// Lines of text files that end in a carriage return alone, as old programs write them.
#pragma once

#include <string>
#include <string_view>

namespace graze::io {

// Returns the text with a newline in place of each carriage return that no newline follows, so that
// lines and their numbers are what they are in an editor. It is the text itself where there is no
// such one, else what was put into room.
inline std::string_view with_newlines(std::string_view text, std::string& room) {
    for (std::size_t at = text.find('\r'); at != std::string_view::npos;) {
        const std::size_t behind = text.find_first_not_of('\r', at);
        const bool is_alone = behind == std::string_view::npos || text[behind] != '\n';
        const std::size_t last = behind == std::string_view::npos ? text.size() : behind;
        if (is_alone) {
            if (room.empty()) room = text;
            room.replace(at, last - at, last - at, '\n');
        }
        at = text.find('\r', last);
    }
    return room.empty() ? text : std::string_view(room);
}

}  // namespace graze::io
