// Buffer: an array in some machine's memory that grows and is reused; a steady step therefore
// allocates nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "graze/error.h"
#include "parallel/memory.h"

namespace graze {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>, "a Buffer's elements are moved as bytes");

public:
    explicit Buffer(Memory& memory) : memory_(&memory) {}
    Buffer(Memory& memory, std::int64_t count) : memory_(&memory) { resize(count); }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    ~Buffer() {
        if (data_) memory_->release(data_);
    }

    // Makes room for count elements. Their values are undefined wherever the buffer had to grow.
    void resize(std::int64_t count) {
        if (count > capacity_) grow(count);
        size_ = count;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::int64_t size() const { return size_; }
    std::int64_t capacity() const { return capacity_; }
    bool is_empty() const { return size_ == 0; }
    Memory& memory() const { return *memory_; }

    void swap(Buffer& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

private:
    void grow(std::int64_t count) {
        // A buffer that grew once is likely to grow again; a quarter more than needed keeps the
        // number of growths small.
        const std::int64_t wanted = capacity_ == 0 ? count : count + count / 4;
        if (wanted >
            std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T))) {
            throw Error("a buffer of " + std::to_string(count) + " elements is beyond any memory");
        }
        if (data_) memory_->release(data_);
        data_ = nullptr;
        capacity_ = 0;
        size_ = 0;  // this holds where allocate() throws
        data_ = static_cast<T*>(memory_->allocate(static_cast<std::size_t>(wanted) * sizeof(T)));
        capacity_ = wanted;
    }

    Memory* memory_ = nullptr;
    T* data_ = nullptr;
    std::int64_t size_ = 0;
    std::int64_t capacity_ = 0;
};

}  // namespace graze
