// ProgressBar: one line on standard error that shows how far a long piece of work is.
#pragma once

#include <chrono>
#include <string>

namespace graze::app {

// Nothing appears where standard error is no terminal, or in the first moments.
class ProgressBar {
public:
    explicit ProgressBar(std::string label);
    // Clears the line.
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // part: 0 to 1. Draws at most ten times a second; the note stands at the end of the line.
    void show(double part, const std::string& note = {});

private:
    using Clock = std::chrono::steady_clock;

    std::string label_;
    bool is_wanted_;
    bool is_drawn_ = false;
    Clock::time_point start_, next_;
};

// The line without its colours, at most `width` characters: "label [####....]  42%  3 s, 4 s left
// note".
std::string progress_line(const std::string& label, double part, double seconds, int width,
                          const std::string& note = {});

}  // namespace graze::app
