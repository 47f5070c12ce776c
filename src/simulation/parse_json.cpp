#include "simulation/parse_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/nearest_name.h"
#include "graze/error.h"

namespace graze {

namespace {

using nlohmann::json;

// Refuses what the parser lets pass: too deep nesting, and members with the same name.
class Watch {
public:
    explicit Watch(const std::string& name) : name_(name) {}

    bool operator()(int depth, json::parse_event_t event, const json& value) {
        if (depth > kMaxSceneDepth) {
            throw Error(name_ + ": nested more than " + std::to_string(kMaxSceneDepth) +
                        " deep; a scene is flatter");
        }
        if (event == json::parse_event_t::object_start) {
            seen_.emplace_back();
        } else if (event == json::parse_event_t::object_end) {
            seen_.pop_back();
        } else if (event == json::parse_event_t::key) {
            const auto& key = value.get_ref<const std::string&>();
            if (!seen_.back().insert(key).second) {
                throw Error(name_ + ": an object has two members called " + in_quotes(key) +
                            "; rename or remove one");
            }
        }
        return true;
    }

private:
    const std::string& name_;
    std::vector<std::set<std::string>> seen_;  // members of the objects that are open
};

// Returns "12:7" for a byte; both count from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 where there is none
    return std::to_string(line) + ":" + std::to_string(before.size() - line_start + 1);
}

// Returns the parser's message without its own prefix and what it quotes of the file.
std::string cause_of(const std::string& message) {
    const std::size_t dash = message.find(" - ");
    std::string cause = dash == message.npos ? message : message.substr(dash + 3);
    if (const std::size_t begin = cause.find("; last read: '"); begin != cause.npos) {
        const std::size_t end = cause.rfind("'; expected ");
        cause.erase(begin, end == cause.npos || end < begin ? cause.npos : end + 1 - begin);
    }
    const std::string safe = in_quotes(cause);
    return cause.size() < 60 ? safe.substr(1, safe.size() - 2) : cause;
}

}  // namespace

json parse_json(std::string_view text, const std::string& name) {
    if (text.size() > kMaxSceneBytes) {
        throw Error(name + ": has " + std::to_string(text.size()) + " bytes; a scene file has " +
                    std::to_string(kMaxSceneBytes) + " at most");
    }
    // By reference: the parser copies what it is given.
    Watch watch(name);
    const auto callback = [&watch](int depth, json::parse_event_t event, json& value) {
        return watch(depth, event, value);
    };
    try {
        return json::parse(text.begin(), text.end(), callback);
    } catch (const json::parse_error& error) {
        throw Error(name + ":" + line_and_column(text, error.byte) +
                    ": this is not JSON: " + cause_of(error.what()));
    } catch (const json::exception& error) {
        // A number is beyond double; the parser does not tell where it stands.
        const std::string message = error.what();
        const std::size_t text_start = message.find("] ");
        throw Error(name + ": " + in_quotes(message.substr(text_start + 2)) +
                    "; use a smaller number");
    }
}

}  // namespace graze
