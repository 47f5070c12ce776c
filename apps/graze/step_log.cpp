#include "step_log.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "graze/error.h"
#include "graze/write_file.h"

namespace graze::app {

namespace {

constexpr const char* kColumns =
    "step,time,seconds,bodies,awake,pairs,found,contacts,deepest_penetration,kinetic_energy,"
    "potential_energy";

// Writes as many digits as it takes to read the same number.
template <class T>
std::string shortest(T value) {
    char text[40];
    const auto [end, status] = std::to_chars(text, text + sizeof(text), value);
    return {text, end};
}

// Makes broad_phase_seconds of "broad phase".
std::string column_of(const std::string& stage) {
    std::string column = stage + "_seconds";
    for (char& c : column) {
        if (c == ' ') c = '_';
    }
    return column;
}

double seconds_of(const StepStatistics& step, const std::string& stage) {
    for (const StepReport::Stage& one : step.stages) {
        if (one.name == stage) return one.seconds;
    }
    return 0;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');)
        cells.push_back(cell);
    return cells;
}

// JSON has no word for what is not a number.
std::string json_number(const std::string& cell) {
    return cell.find_first_of("naif") == cell.npos ? cell : "null";
}

}  // namespace

StepLog::StepLog(const std::filesystem::path& file)
    : path_(file), file_(std::fopen(file.c_str(), "wb")) {
    if (!file_) throw Error(path_.string() + ": cannot write: " + std::strerror(errno));
}

void StepLog::write(const std::string& line) {
    const bool is_written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
    if (!is_written || std::fflush(file_.get()) != 0)
        throw Error(path_.string() + ": cannot write: " + std::strerror(errno));
}

void StepLog::add(const StepStatistics& step) {
    std::string text;
    if (!has_header_) {
        text = kColumns;
        for (const Figure& figure : step.figures)
            text += "," + std::string(figure.name);
        for (const StepReport::Stage& stage : step.stages) {
            stages_.emplace_back(stage.name);
            text += "," + column_of(stages_.back());
        }
        text += "\n";
        has_header_ = true;
    }
    text += shortest(step.step) + "," + shortest(step.time) + "," + shortest(step.seconds);
    for (const std::int64_t count :
         {step.body_count, step.awake_count, step.pair_count, step.found_count, step.contact_count})
        text += "," + shortest(count);
    text += "," + shortest(step.deepest_penetration);
    text += "," + shortest(step.kinetic_energy) + "," + shortest(step.potential_energy);
    for (const Figure& figure : step.figures)
        text += "," + shortest(figure.value);
    for (const std::string& stage : stages_)
        text += "," + shortest(seconds_of(step, stage));
    write(text + "\n");
}

void write_steps_json(const std::filesystem::path& csv, const std::filesystem::path& json) {
    std::ifstream rows(csv);
    std::string line;
    if (!std::getline(rows, line)) throw Error(csv.string() + ": cannot read what was written");
    const std::vector<std::string> columns = cells_of(line);
    write_file(json, [&](const WriteBytes& put) {
        put("[");
        const char* separator = "\n";
        while (std::getline(rows, line)) {
            if (rows.eof()) break;  // no end of the line: a full disk cut it off
            const std::vector<std::string> cells = cells_of(line);
            std::string object = separator + std::string("{");
            for (std::size_t i = 0; i < columns.size() && i < cells.size(); ++i) {
                object += (i == 0 ? "\"" : ", \"") + columns[i] + "\": " + json_number(cells[i]);
            }
            put(object + "}");
            separator = ",\n";
        }
        if (rows.bad()) throw Error(csv.string() + ": cannot read what was written");
        put("\n]\n");
    });
}

}  // namespace graze::app
