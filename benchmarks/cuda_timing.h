// Times on a GPU by CUDA events: the median of many runs after a warm-up.
#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

#include "graze/device.h"
#include "parallel/cuda_executor.h"

namespace graze {

// Returns true where there is a GPU to measure on, and prints a line where there is none.
inline bool find_gpu() {
    if (Device::list().size() > 1) return true;
    std::printf("no GPU\n");
    return false;
}

struct IssueNothing {
    void operator()() const {}
};

// Returns the milliseconds of one call of work, which issues everything on the executor's stream.
// What `before` issues there is not counted.
template <class Work, class Before = IssueNothing>
double median_milliseconds(CudaExecutor& executor, const Work& work, int run_count = 51,
                           const Before& before = {}) {
    cudaEvent_t start = nullptr, stop = nullptr;
    check_cuda(cudaEventCreate(&start), "creating a timer");
    check_cuda(cudaEventCreate(&stop), "creating a timer");
    for (int i = 0; i < 5; ++i)
        work();
    executor.wait();
    std::vector<float> times;
    for (int i = 0; i < run_count; ++i) {
        before();
        check_cuda(cudaEventRecord(start, executor.stream()), "timing");
        work();
        check_cuda(cudaEventRecord(stop, executor.stream()), "timing");
        check_cuda(cudaEventSynchronize(stop), "timing");
        float milliseconds = 0;
        check_cuda(cudaEventElapsedTime(&milliseconds, start, stop), "timing");
        times.push_back(milliseconds);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::nth_element(times.begin(), times.begin() + run_count / 2, times.end());
    return times[static_cast<std::size_t>(run_count / 2)];
}

}  // namespace graze
