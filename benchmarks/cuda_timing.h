// Times by CUDA events: warm-up, then the median of many runs.
#pragma once

#include <algorithm>
#include <vector>

#include "parallel/cuda_executor.h"

namespace graze {

struct IssueNothing {
    void operator()() const {}
};

// Milliseconds of one call of work, which issues everything on the executor's stream; what before
// issues there is not counted.
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
