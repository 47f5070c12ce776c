// A comparison of methods as text and JSON. docs/commands/compare.md describes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "graze/compare_methods.h"

namespace graze::app {

struct Compared {
    std::string file_a, file_b;
    ComparisonOptions options;
    MethodComparison found;
    double seconds = 0;
};

// The table of the methods: a row of headings and a row for each.
std::vector<std::vector<std::string>> comparison_rows(const MethodComparison& found);
// What was compared, in a sentence.
std::string comparison_words(const Compared& compared);
// What is wrong with a method at a pose; empty where nothing is.
std::string fault_words(const MethodComparison& found, const MethodScore& score, int pose);

std::string to_text(const Compared& compared);
nlohmann::ordered_json to_json(const Compared& compared);

}  // namespace graze::app
