// StepLog: what every step of a run did, row by row in a CSV file while it runs, and at its end as
// JSON. docs/commands/simulate.md has the columns.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "graze/simulation.h"

namespace graze::app {

class StepLog {
public:
    // Replaces what is there. Throws Error where the file cannot be written, here and below.
    explicit StepLog(const std::filesystem::path& file);

    // The operating system has the row when it returns: killing the program loses nothing. The
    // first step says what stages there are.
    void add(const StepStatistics& step);

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void write(const std::string& line);

    std::filesystem::path path_;
    std::unique_ptr<std::FILE, Closer> file_;
    std::vector<std::string> stages_;
    bool has_header_ = false;
};

// The rows of a CSV file as an array of objects whose keys are the columns; a last row without its
// end is left out. Written beside and renamed. Throws Error where either file fails.
void write_steps_json(const std::filesystem::path& csv, const std::filesystem::path& json);

}  // namespace graze::app
