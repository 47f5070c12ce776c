// For tests that need a GPU: without one they are skipped, and say so.
#pragma once

#include <gtest/gtest.h>

#include "graze/device.h"
#include "parallel/cuda_executor.h"

namespace graze {

class CudaTest : public testing::Test {
protected:
    void SetUp() override {
        if (Device::list().size() < 2) GTEST_SKIP() << "no GPU";
        executor_ = std::make_unique<CudaExecutor>();
    }
    CudaExecutor& executor() { return *executor_; }

private:
    std::unique_ptr<CudaExecutor> executor_;
};

}  // namespace graze
