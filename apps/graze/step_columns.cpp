#include "step_columns.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace graze::app {

namespace {

struct Column {
    std::string name;
    std::vector<double> values;
};

bool is_name(const std::string& text) {
    const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    return !text.empty() && std::all_of(text.begin(), text.end(), is_part);
}

std::vector<Column> read_columns(const std::filesystem::path& csv) {
    std::ifstream file(csv);
    std::string line, cell;
    std::vector<Column> columns;
    std::getline(file, line);
    for (std::istringstream names(line); std::getline(names, cell, ',');) {
        if (!is_name(cell)) return {};
        columns.push_back({cell, {}});
    }
    while (std::getline(file, line) && !file.eof()) {  // a row without its end is left out
        std::istringstream cells(line);
        for (Column& column : columns) {
            double value = 0;
            if (!std::getline(cells, cell, ',')) return {};
            const auto [end, error] =
                std::from_chars(cell.data(), cell.data() + cell.size(), value);
            const bool is_number = error == std::errc() && end == cell.data() + cell.size();
            if (!is_number || !std::isfinite(value)) return {};
            column.values.push_back(value);
        }
    }
    return columns;
}

// Four digits are more than a plot shows.
std::vector<double> means(const std::vector<double>& values, std::size_t row_count) {
    const std::size_t each = (values.size() + row_count - 1) / row_count;
    std::vector<double> result;
    for (std::size_t begin = 0; begin < values.size(); begin += each) {
        const std::size_t end = std::min(begin + each, values.size());
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
            sum += values[i];
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", sum / static_cast<double>(end - begin));
        result.push_back(std::strtod(text, nullptr));
    }
    return result;
}

}  // namespace

std::string read_step_columns(const std::filesystem::path& csv, std::size_t row_count) {
    nlohmann::ordered_json result;
    for (const Column& column : read_columns(csv))
        result[column.name] = means(column.values, row_count);
    if (!result.contains("time") || result["time"].empty()) return {};
    return result.dump();
}

}  // namespace graze::app
