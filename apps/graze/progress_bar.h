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

    // Draws the fraction done, 0 to 1, at most ten times a second; the note ends the line.
    void show(double fraction, const std::string& note = {});

private:
    using Clock = std::chrono::steady_clock;

    std::string label_;
    bool is_wanted_;
    bool is_drawn_ = false;
    Clock::time_point start_, next_;
};

// Returns the line without its colours, at most `width` characters: "label [####....]  42%  3 s, 4
// s left note".
std::string progress_line(const std::string& label, double fraction, double seconds, int width,
                          const std::string& note = {});

}  // namespace graze::app
