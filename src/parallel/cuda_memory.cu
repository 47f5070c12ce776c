#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "parallel/cuda_check.h"
#include "parallel/memory.h"

namespace graze {
namespace {

class CudaMemory final : public Memory {
public:
    explicit CudaMemory(int device_index) : device_index_(device_index) {}
    void release(void* block) noexcept override { cudaFree(block); }

protected:
    void* allocate_bytes(std::size_t bytes) override {
        int current = 0;
        check_cuda(cudaGetDevice(&current), "asking for the current device");
        check_cuda(cudaSetDevice(device_index_), "choosing a device");
        void* block = nullptr;
        const cudaError_t status = cudaMalloc(&block, bytes);
        cudaSetDevice(current);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw Error("out of GPU memory: " + std::to_string(bytes >> 20) +
                        " MiB more were needed; use a smaller input or resolution, or the CPU");
        }
        check_cuda(status, "allocating device memory");
        return block;
    }

private:
    int device_index_;
};

class PinnedMemory final : public Memory {
public:
    void release(void* block) noexcept override { cudaFreeHost(block); }

protected:
    void* allocate_bytes(std::size_t bytes) override {
        void* block = nullptr;
        check_cuda(cudaMallocHost(&block, bytes), "allocating pinned host memory");
        return block;
    }
};

}  // namespace

Memory& cuda_memory(int device_index) {
    static std::mutex mutex;
    static std::vector<std::unique_ptr<CudaMemory>> memories;
    const std::lock_guard lock(mutex);
    while (static_cast<int>(memories.size()) <= device_index) {
        memories.push_back(std::make_unique<CudaMemory>(static_cast<int>(memories.size())));
    }
    return *memories[static_cast<std::size_t>(device_index)];
}

Memory& pinned_memory() {
    static PinnedMemory memory;
    return memory;
}

}  // namespace graze
