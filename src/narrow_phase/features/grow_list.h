// grow_list makes room in a list and keeps its elements, which Buffer::resize does not.
#pragma once

#include "parallel/buffer.h"

namespace graze {

// Resizes list to count elements, of which the first kept_count keep their values; spare is memory
// to work with. Waits only where the list has to grow.
template <class Executor, class T>
void grow_list(Executor& executor, const char* name, std::int64_t kept_count, std::int64_t count,
               Buffer<T>& list, Buffer<T>& spare) {
    if (count > list.capacity() && kept_count > 0) {
        spare.resize(count);
        executor.copy(name, list.data(), spare.data(), kept_count);
        executor.wait();  // until the copy has ended, before the old elements are released
        list.swap(spare);
    }
    list.resize(count);
}

}  // namespace graze
