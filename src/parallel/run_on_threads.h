// run_on_threads: for_each_range by plain threads, for builds under ThreadSanitizer only. The
// sanitizer cannot see the synchronisation inside libtbb and would report every hand-over of work
// as a race.
#pragma once

#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define GRAZE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GRAZE_THREAD_SANITIZER 1
#endif
#endif
#if !defined(GRAZE_THREAD_SANITIZER)
#define GRAZE_THREAD_SANITIZER 0
#endif

namespace graze {

// Cuts [0, count) into thread_count ranges, one a thread, and rethrows the exception of the first
// range that failed.
template <class Range>
void run_on_threads(int thread_count, std::int64_t count, const Range& range) {
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(thread_count));
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t) {
        threads.emplace_back([&, t] {
            try {
                const std::int64_t begin = count * t / thread_count;
                const std::int64_t end = count * (t + 1) / thread_count;
                if (begin < end) range(begin, end);
            } catch (...) {
                failures[static_cast<std::size_t>(t)] = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace graze
