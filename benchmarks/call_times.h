// What calls of something take, by the clock and by the cores.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <numeric>
#include <vector>

namespace graze {

// [ms]
struct CallTime {
    double wall, cpu;  // cpu: of all threads of the process together

    CallTime operator+(const CallTime& o) const { return {wall + o.wall, cpu + o.cpu}; }
};

inline double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

inline double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class CallTimes {
public:
    template <class Work>
    void time(const Work& work) {
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t cpu_start = std::clock();
        work();
        const std::clock_t cpu = std::clock() - cpu_start;
        const std::chrono::duration<double, std::milli> wall =
            std::chrono::steady_clock::now() - start;
        wall_.push_back(wall.count());
        cpu_.push_back(static_cast<double>(cpu) * 1e3 / CLOCKS_PER_SEC);
    }

    // [ms] By call.
    const std::vector<double>& wall() const { return wall_; }
    const std::vector<double>& cpu() const { return cpu_; }

    CallTime median() const { return {median_of(wall_), median_of(cpu_)}; }
    // What else runs on the machine only ever adds.
    CallTime fastest() const {
        return {*std::min_element(wall_.begin(), wall_.end()),
                *std::min_element(cpu_.begin(), cpu_.end())};
    }

private:
    std::vector<double> wall_, cpu_;
};

// Of so many calls behind a few that warm up.
template <class Work>
CallTimes time_calls(int warm_count, int timed_count, const Work& work) {
    for (int i = 0; i < warm_count; ++i)
        work();
    CallTimes times;
    for (int i = 0; i < timed_count; ++i)
        times.time(work);
    return times;
}

}  // namespace graze
