// upload, download: lists from the host's memory to an executor's and back.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/buffer.h"

namespace graze {

// Gives the buffer, in the executor's memory, the elements of a list. Does not wait: the list must
// stay as it is until the executor has waited.
template <class Executor, class T>
void upload(Executor& executor, const char* name, const T* from, std::int64_t count,
            Buffer<T>& to) {
    to.resize(count);
    executor.copy_from_host(name, from, to.data(), count);
}
template <class Executor, class List, class T>
void upload(Executor& executor, const char* name, const List& from, Buffer<T>& to) {
    upload(executor, name, from.data(), static_cast<std::int64_t>(from.size()), to);
}

// A new buffer in the executor's memory with the elements of a list. Waits.
template <class Executor, class T>
Buffer<T> upload(Executor& executor, const std::vector<T>& from) {
    Buffer<T> to(executor.memory());
    upload(executor, "upload", from, to);
    executor.wait();
    return to;
}

// The first elements of a buffer in the executor's memory, or all of them. Waits.
template <class Executor, class T>
std::vector<T> download(Executor& executor, const Buffer<T>& from, std::int64_t count) {
    std::vector<T> to(static_cast<std::size_t>(count));
    executor.copy_to_host("download", from.data(), to.data(), count);
    executor.wait();
    return to;
}
template <class Executor, class T>
std::vector<T> download(Executor& executor, const Buffer<T>& from) {
    return download(executor, from, from.size());
}

}  // namespace graze
