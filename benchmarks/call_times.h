// Times of calls, by the clock and by the processor.
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
    double wall, cpu;  // cpu is the time of all threads of the process together

    CallTime operator+(const CallTime& o) const { return {wall + o.wall, cpu + o.cpu}; }
};

// Runs work and returns what that takes.
template <class Work>
CallTime time_call(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    work();
    const std::clock_t cpu = std::clock() - cpu_start;
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    return {wall.count(), static_cast<double>(cpu) * 1e3 / CLOCKS_PER_SEC};
}

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
        const CallTime time = time_call(work);
        wall_.push_back(time.wall);
        cpu_.push_back(time.cpu);
    }

    // The times by call. [ms]
    const std::vector<double>& wall() const { return wall_; }
    const std::vector<double>& cpu() const { return cpu_; }

    CallTime median() const { return {median_of(wall_), median_of(cpu_)}; }
    // Other work on the machine only ever adds to a time, so the fastest is the truest.
    CallTime fastest() const {
        return {*std::min_element(wall_.begin(), wall_.end()),
                *std::min_element(cpu_.begin(), cpu_.end())};
    }

private:
    std::vector<double> wall_, cpu_;
};

// Times timed_count calls after warm_count calls that are not timed.
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
