// ChunkedList: a list that grows by chunks. Its elements stay where they are, and it never has more
// room than a chunk beyond the most that it held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace graze {

template <class T>
class ChunkedList {
    static_assert(std::is_trivially_copyable_v<T>, "chunks are made without their elements");

public:
    static constexpr std::int64_t kChunk = 4096;  // elements

    void push_back(const T& value) {
        const auto chunk = static_cast<std::size_t>(size_ / kChunk);
        if (chunk == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
        chunks_[chunk][static_cast<std::size_t>(size_ % kChunk)] = value;
        ++size_;
    }
    const T& operator[](std::int64_t i) const {
        return chunks_[static_cast<std::size_t>(i / kChunk)][static_cast<std::size_t>(i % kChunk)];
    }
    std::int64_t size() const { return size_; }
    // Keeps the room.
    void clear() { size_ = 0; }
    // Gives the room back.
    void release() {
        size_ = 0;
        chunks_.clear();
    }
    // Copies all elements to where there is room for them.
    void copy_to(T* to) const {
        for (std::int64_t begin = 0; begin < size_; begin += kChunk) {
            std::copy_n(chunks_[static_cast<std::size_t>(begin / kChunk)].get(),
                        std::min(kChunk, size_ - begin), to + begin);
        }
    }

private:
    std::vector<std::unique_ptr<T[]>> chunks_;
    std::int64_t size_ = 0;
};

}  // namespace graze
