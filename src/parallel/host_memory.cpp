#include <cstdlib>
#include <new>
#include <string>

#include "parallel/memory.h"
#include "parallel/out_of_memory.h"

namespace graze {
namespace {

class HostMemory final : public Memory {
public:
    void release(void* block) noexcept override { ::operator delete(block, kAlignment); }

protected:
    void* allocate_bytes(std::size_t bytes) override {
        void* block = ::operator new(bytes, kAlignment, std::nothrow);
        if (!block) {
            throw OutOfMemory("out of memory: " + std::to_string((bytes >> 20) + 1) +
                              " MiB more were needed; use a smaller input or resolution");
        }
        return block;
    }

private:
    static constexpr std::align_val_t kAlignment{256};
};

}  // namespace

Memory& host_memory() {
    static HostMemory memory;
    return memory;
}

}  // namespace graze
