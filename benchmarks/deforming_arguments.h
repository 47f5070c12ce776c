// The arguments of bench_deforming and bench_deforming_cuda.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "graze/error.h"
#include "graze/names.h"

namespace graze {

struct NamedSearch {
    const char* name;
    PairSearch search;
};
inline constexpr NamedSearch kPairSearches[] = {
    {name_of(PairSearch::tree), PairSearch::tree},
    {name_of(PairSearch::one_level_grid), PairSearch::one_level_grid},
    {name_of(PairSearch::two_level_grid), PairSearch::two_level_grid}};

struct DeformingArguments {
    bool shows_stages = false;
    bool shows_claims = false;
    bool shows_patches = false;
    bool shows_static = false;  // the host's benchmark only, as are the next two
    bool shows_rest = false;
    bool shows_rounds = false;
    std::string sequence = {};  // empty: all sequences
    std::vector<std::string> frame_folders = {};
    int frame_interval = 1;
    PairSearch frame_search = PairSearch::automatic;
    int thread_count = 0;  // 0: as many as cores, and in tables one as well
};

// Hyphens may stand for underscores.
inline PairSearch parse_search(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return parse_name<PairSearch>(name);
}

inline int parse_count(const std::string& option, const std::string& text) {
    const int value = std::atoi(text.c_str());
    if (value < 1) throw Error(option + " " + text + ": give a number above zero");
    return value;
}

// Throws Error where an argument is not understood.
inline DeformingArguments parse_deforming_arguments(const std::vector<std::string>& given) {
    DeformingArguments result;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::string& option = given[i];
        const auto value = [&]() -> const std::string& {
            if (i + 1 == given.size()) throw Error(option + ": something has to follow");
            return given[++i];
        };
        if (option == "--stages") {
            result.shows_stages = true;
        } else if (option == "--claims") {
            result.shows_claims = true;
        } else if (option == "--patches") {
            result.shows_patches = true;
        } else if (option == "--static") {
            result.shows_static = true;
        } else if (option == "--rest") {
            result.shows_rest = true;
        } else if (option == "--rounds") {
            result.shows_rounds = true;
        } else if (option == "--sequence") {
            result.sequence = value();
        } else if (option == "--frames") {
            do {
                result.frame_folders.push_back(value());
            } while (i + 1 < given.size() && !given[i + 1].starts_with("--"));
        } else if (option == "--every") {
            result.frame_interval = parse_count(option, value());
        } else if (option == "--threads") {
            result.thread_count = parse_count(option, value());
        } else if (option == "--search") {
            result.frame_search = parse_search(value());
        } else {
            throw Error(
                "usage: [--stages] [--threads N] [--sequence NAME] | --claims [--sequence NAME] | "
                "--patches [--sequence NAME] [--threads N] | --static [--threads N] | "
                "--rest [--threads N] | "
                "--rounds [--sequence NAME] [--threads N] | "
                "--frames DIR... [--every N] [--search NAME] [--threads N]");
        }
    }
    return result;
}

}  // namespace graze
