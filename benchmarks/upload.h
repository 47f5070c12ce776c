// Puts a list into the memory of an executor's machine.
#pragma once

#include <vector>

#include "parallel/buffer.h"

namespace graze {

template <class Executor, class T>
Buffer<T> upload(Executor& executor, const std::vector<T>& host) {
    auto buffer = executor.template make_buffer<T>(static_cast<std::int64_t>(host.size()));
    executor.copy_from_host("upload", host.data(), buffer.data(), buffer.size());
    executor.wait();
    return buffer;
}

}  // namespace graze
