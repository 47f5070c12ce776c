// Memory: where the bytes of a Buffer live, the host or one GPU. It counts what it hands out, so
// that a test can prove that a repeated step allocates nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace graze {

class Memory {
public:
    virtual ~Memory() = default;
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    // Hands out a block that is aligned to 256 bytes. Throws Error, which names the size, where
    // there is no room.
    void* allocate(std::size_t bytes) {
        void* block = allocate_bytes(bytes);
        allocation_count_.fetch_add(1, std::memory_order_relaxed);
        return block;
    }
    virtual void release(void* block) noexcept = 0;

    // How many blocks were handed out since the start.
    std::int64_t allocation_count() const {
        return allocation_count_.load(std::memory_order_relaxed);
    }

protected:
    virtual void* allocate_bytes(std::size_t bytes) = 0;

private:
    std::atomic<std::int64_t> allocation_count_{0};
};

Memory& host_memory();
// The memory of one GPU, and host memory that a GPU copies from and to without the CPU's help. Only
// builds with CUDA have them.
Memory& cuda_memory(int device_index);
Memory& pinned_memory();

}  // namespace graze
