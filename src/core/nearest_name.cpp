#include "core/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace graze {

namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kMostListed = 20;

// Counts the letters to be put in, left out, replaced or exchanged with the next to get from a to
// b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
            row[j + 1] = std::min({replaced, last[j + 1] + 1, row[j] + 1});
            const bool is_exchanged = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            if (is_exchanged) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
        }
        before = last;
        std::swap(last, row);
    }
    return last.back();
}

}  // namespace

std::string in_quotes(std::string_view name) {
    std::string text(name.substr(0, kLongestQuote));
    for (char& c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 32 || code == 127) c = '?';
    }
    return "'" + text + (name.size() > kLongestQuote ? "...'" : "'");
}

std::string listed(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names.first(std::min(names.size(), kMostListed))) {
        if (!text.empty()) text += ", ";
        const std::string safe = in_quotes(name);
        text += safe.substr(1, safe.size() - 2);
    }
    if (names.size() > kMostListed) {
        text += " and " + std::to_string(names.size() - kMostListed) + " more";
    }
    return text;
}

std::string nearest_name(std::string_view name, std::span<const std::string> names) {
    // A third of the letters may be wrong; beyond that a guess would be misleading.
    if (name.size() > kLongestQuote) return {};
    std::size_t least = std::max<std::size_t>((name.size() + 1) / 3, 1) + 1;
    std::string nearest;
    for (const std::string& candidate : names.first(std::min<std::size_t>(names.size(), 1000))) {
        if (candidate.size() > kLongestQuote) continue;
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < least && distance < candidate.size()) {
            least = distance;
            nearest = candidate;
        }
    }
    if (!nearest.empty() || name.size() < 4) return nearest;
    // The right one may contain it.
    for (const std::string& candidate : names.first(std::min<std::size_t>(names.size(), 1000))) {
        if (candidate.find(name) != candidate.npos) return candidate;
    }
    return {};
}

std::string unknown_name(const char* noun, std::string_view name,
                         std::span<const std::string> names) {
    const std::string meant = nearest_name(name, names);
    return std::string("no ") + noun + " is called " + in_quotes(name) +
           (meant.empty() ? "" : "; did you mean " + in_quotes(meant) + "?") +
           "; there are: " + listed(names);
}

}  // namespace graze
