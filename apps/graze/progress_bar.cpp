#include "progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace graze::app {

namespace {

constexpr auto kFirstAfter = std::chrono::milliseconds(300);
constexpr auto kEvery = std::chrono::milliseconds(100);
// Before this fraction is done, the time that is left cannot be guessed.
constexpr double kLeastFraction = 0.02;

bool is_terminal() {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) && kind && std::strcmp(kind, "dumb") != 0;
}

int terminal_width() {
    winsize size{};
    const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : 80;
}

std::string duration(double seconds) {
    char text[32];
    if (seconds < 60) {
        std::snprintf(text, sizeof(text), "%.0f s", seconds);
    } else {
        const auto whole = static_cast<long long>(seconds);
        std::snprintf(text, sizeof(text), "%lld min %02lld s", whole / 60, whole % 60);
    }
    return text;
}

}  // namespace

std::string progress_line(const std::string& label, double fraction, double seconds, int width,
                          const std::string& note) {
    fraction = std::clamp(fraction, 0.0, 1.0);
    char percent[16];
    std::snprintf(percent, sizeof(percent), "%3.0f%%", 100 * fraction);
    std::string line = label;
    const int bar = std::min(40, width - static_cast<int>(label.size() + note.size()) - 36);
    if (bar >= 8) {
        const auto done = static_cast<std::size_t>(fraction * bar);
        line += " [" + std::string(done, '#') +
                std::string(static_cast<std::size_t>(bar) - done, '.') + "]";
    }
    line.append("  ").append(percent).append("  ").append(duration(seconds));
    if (fraction > kLeastFraction)
        line += ", " + duration(seconds * (1 - fraction) / fraction) + " left";
    if (!note.empty()) line += "  " + note;
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(width - 1, 0))));
    return line;
}

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)),
      is_wanted_(is_terminal()),
      start_(Clock::now()),
      next_(start_ + kFirstAfter) {}

ProgressBar::~ProgressBar() {
    if (is_drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double fraction, const std::string& note) {
    const Clock::time_point now = Clock::now();
    if (!is_wanted_ || now < next_) return;
    next_ = now + kEvery;
    const std::chrono::duration<double> elapsed = now - start_;
    const std::string line =
        progress_line(label_, fraction, elapsed.count(), terminal_width(), note);
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    std::fflush(stderr);
    is_drawn_ = true;
}

}  // namespace graze::app
