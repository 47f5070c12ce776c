#include "parse_pose.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "graze/error.h"
#include "terminal.h"

namespace graze::app {

namespace {

constexpr const char* kForms = "write \"x y z\", \"x y z  qw qx qy qz\" or these seven and a scale";

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c != ' ' && c != '\t' && c != ',') {
            words.back() += c;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

// The number is finite, also as a float.
double parse_number(const std::string& word) {
    double value = 0;
    // from_chars knows no plus.
    const char* begin = word.data() + (word.size() > 1 && word[0] == '+' && word[1] != '-');
    const auto [end, fault] = std::from_chars(begin, word.data() + word.size(), value);
    const bool is_whole = fault == std::errc() && end == word.data() + word.size();
    if (!is_whole || !std::isfinite(static_cast<float>(value)))
        throw Error("'" + printable(word) + "' is no finite number; " + kForms);
    return value;
}

}  // namespace

Transform parse_pose(const std::string& text) {
    std::vector<double> numbers;
    for (const std::string& word : split(text))
        numbers.push_back(parse_number(word));
    if (numbers.size() != 3 && numbers.size() != 7 && numbers.size() != 8) {
        throw Error("a pose of " + std::to_string(numbers.size()) + " numbers; " + kForms);
    }
    Transform pose = Transform::identity();
    pose.translation = static_cast<Vec3>(Vec3d{numbers[0], numbers[1], numbers[2]});
    if (numbers.size() == 3) return pose;
    const Quatd given{numbers[3], numbers[4], numbers[5], numbers[6]};
    const double norm = std::hypot(std::hypot(given.w, given.x), std::hypot(given.y, given.z));
    if (!(norm > 1e-12))
        throw Error("the rotation is 0 0 0 0, which is none; write 1 0 0 0 for not turned");
    pose.rotation = {static_cast<float>(given.w / norm), static_cast<float>(given.x / norm),
                     static_cast<float>(given.y / norm), static_cast<float>(given.z / norm)};
    if (numbers.size() == 8) pose.scale = static_cast<float>(numbers[7]);
    if (!(pose.scale > 0))
        throw Error("the scale is " + with_digits(pose.scale) + "; write a number above 0");
    return pose;
}

}  // namespace graze::app
