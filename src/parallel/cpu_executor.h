// CpuExecutor: the executor's verbs on the host's cores, by oneTBB.
//
// Work is cut into blocks whose size does not depend on the number of threads, so every verb gives
// the same bits for 1 and n threads, sums of floats included.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <cstdint>
#include <cstring>

#include "parallel/buffer.h"
#include "parallel/radix_sort.h"
#include "parallel/run_on_threads.h"
#include "parallel/stop_question.h"
#include "parallel/trace.h"

namespace graze {

class CpuExecutor {
public:
    // A thread_count of 0 means all cores, and so does one larger than their number.
    explicit CpuExecutor(int thread_count = 0)
        : arena_(thread_count > 0 && thread_count < tbb::info::default_concurrency()
                     ? thread_count
                     : tbb::task_arena::automatic) {}

    static constexpr bool kIsHost = true;
    Memory& memory() const { return host_memory(); }
    template <class T>
    Buffer<T> make_buffer(std::int64_t count = 0) const {
        return Buffer<T>(memory(), count);
    }
    int thread_count() const { return arena_.max_concurrency(); }
    // From now on every verb adds an entry to the trace; null stops that.
    void set_trace(Trace* trace) { trace_ = trace; }

    // Calls work(i) for every i in [0, count), in any order. grain is how many calls are worth
    // handing to a thread.
    template <class Work>
    void for_each(const char* name, std::int64_t count, const Work& work,
                  std::int64_t grain = 512) {
        const Timer timer(*this, name);
        for_each_range(count, grain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                work(i);
        });
    }

    // *result = initial op value_of(0) op ... op value_of(count - 1), with parentheses that depend
    // on count alone.
    template <class T, class ValueOf, class Op>
    void reduce(const char* name, std::int64_t count, const ValueOf& value_of, const Op& op,
                T initial, T* result) {
        const Timer timer(*this, name);
        T* partial = scratch<T>(block_count(count));
        for_each_block(count, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            T sum = value_of(begin);
            for (std::int64_t i = begin + 1; i < end; ++i)
                sum = op(sum, value_of(i));
            partial[block] = sum;
        });
        T total = initial;
        for (std::int64_t block = 0; block < block_count(count); ++block)
            total = op(total, partial[block]);
        *result = total;
    }

    // out[i] = in[0] + ... + in[i - 1] for i in [0, count]: out has count + 1 elements, the last is
    // the total. in and out do not overlap.
    template <class T>
    void exclusive_scan(const char* name, const T* in, T* out, std::int64_t count) {
        const Timer timer(*this, name);
        T* partial = scratch<T>(block_count(count));
        for_each_block(count, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            T sum{};
            for (std::int64_t i = begin; i < end; ++i)
                sum += in[i];
            partial[block] = sum;
        });
        T total{};
        for (std::int64_t block = 0; block < block_count(count); ++block) {
            const T sum = partial[block];
            partial[block] = total;
            total += sum;
        }
        for_each_block(count, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            T sum = partial[block];
            for (std::int64_t i = begin; i < end; ++i) {
                out[i] = sum;
                sum += in[i];
            }
        });
        out[count] = total;
    }

    // out[i] = the sum of in over the run of equal keys that i is in, up to and including i.
    template <class Key, class T>
    void segmented_scan(const char* name, const Key* keys, const T* in, T* out,
                        std::int64_t count) {
        const Timer timer(*this, name);
        struct Tail {  // what a block hands to the next one
            T sum;
            bool is_one_run;
        };
        Tail* tails = scratch<Tail>(block_count(count));
        for_each_block(count, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            T sum = in[begin];
            out[begin] = sum;
            bool is_one_run = true;
            for (std::int64_t i = begin + 1; i < end; ++i) {
                const bool same = keys[i] == keys[i - 1];
                is_one_run = is_one_run && same;
                sum = same ? sum + in[i] : in[i];
                out[i] = sum;
            }
            tails[block] = {sum, is_one_run};
        });
        for (std::int64_t block = 1; block < block_count(count); ++block) {
            const std::int64_t begin = block * kBlockSize;
            if (tails[block].is_one_run && keys[begin] == keys[begin - 1]) {
                tails[block].sum = tails[block - 1].sum + tails[block].sum;
            }
        }
        for_each_block(count, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            if (block == 0) return;
            for (std::int64_t i = begin; i < end && keys[i] == keys[begin - 1]; ++i) {
                out[i] = tails[block - 1].sum + out[i];
            }
        });
    }

    // Sorts pairs by key, ascending and stable, looking at bits [0, end_bit) of the unsigned keys.
    // The outputs do not overlap the inputs, which are left as they are.
    template <class Key, class Value>
    void sort_by_key(const char* name, const Key* keys_in, Key* keys_out, const Value* values_in,
                     Value* values_out, std::int64_t count, int end_bit = sizeof(Key) * 8) {
        const Timer timer(*this, name);
        RadixSort<Key, Value> sort(count, end_bit);
        sort.set_scratch(scratch<char>(sort.scratch_bytes(thread_count())), thread_count());
        sort.run(*this, keys_in, keys_out, values_in, values_out);
    }

    // The same without values.
    template <class Key>
    void sort_keys(const char* name, const Key* in, Key* out, std::int64_t count,
                   int end_bit = sizeof(Key) * 8) {
        struct Nothing {};
        const Timer timer(*this, name);
        RadixSort<Key, Nothing> sort(count, end_bit);
        char* memory = scratch<char>(sort.scratch_bytes(thread_count()) + 2 * count);
        Nothing* values = reinterpret_cast<Nothing*>(memory + sort.scratch_bytes(thread_count()));
        sort.set_scratch(memory, thread_count());
        sort.run(*this, in, out, values, values + count);
    }

    // Writes every i in [0, count) with keep(i), ascending, and how many there are. keep is called
    // twice.
    template <class Keep, class Index>
    void compact(const char* name, std::int64_t count, const Keep& keep, Index* out,
                 Index* out_count) {
        const Timer timer(*this, name);
        Index* partial = scratch<Index>(block_count(count));
        for_each_block(count, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            Index kept = 0;
            for (std::int64_t i = begin; i < end; ++i)
                kept += keep(i) ? 1 : 0;
            partial[block] = kept;
        });
        Index total = 0;
        for (std::int64_t block = 0; block < block_count(count); ++block) {
            const Index kept = partial[block];
            partial[block] = total;
            total += kept;
        }
        for_each_block(count, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            Index* next = out + partial[block];
            for (std::int64_t i = begin; i < end; ++i) {
                if (keep(i)) *next++ = static_cast<Index>(i);
            }
        });
        *out_count = total;
    }

    // Copies within this machine, to the host and from the host, which are the same here.
    template <class T>
    void copy(const char* name, const T* from, T* to, std::int64_t count) {
        const Timer timer(*this, name);
        for_each_range(count, kBlockSize, [&](std::int64_t begin, std::int64_t end) {
            std::memcpy(to + begin, from + begin,
                        static_cast<std::size_t>(end - begin) * sizeof(T));
        });
    }
    template <class T>
    void copy_to_host(const char* name, const T* from, T* to, std::int64_t count) {
        copy(name, from, to, count);
    }
    template <class T>
    void copy_from_host(const char* name, const T* from, T* to, std::int64_t count) {
        copy(name, from, to, count);
    }

    // Returns when everything issued so far is done, which it always is here.
    void wait() {}
    // The value at an address in this machine's memory, once everything issued so far is done.
    template <class T>
    T read(const T* source) {
        return *source;
    }

    // Cuts [0, count) into ranges of at least grain and calls range(begin, end) on each, in
    // parallel. Throws Stopped between them where the thread's StopScope says so.
    template <class Range>
    void for_each_range(std::int64_t count, std::int64_t grain, const Range& range) {
        const StopQuestion* question = stop_question();
        if (question == nullptr) return for_each_part(count, grain, range);
        ask_to_stop(question);
        // Ranges are so short that the question is asked often enough.
        constexpr std::int64_t kQuestions = 512;
        const std::int64_t piece = count / kQuestions > grain ? count / kQuestions : grain;
        const std::int64_t piece_count = (count + piece - 1) / piece;
        for_each_part(piece_count, 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) {
                if (i > first) ask_to_stop(question);
                range(i * piece, i + 1 == piece_count ? count : (i + 1) * piece);
            }
        });
    }

private:
    template <class Range>
    void for_each_part(std::int64_t count, std::int64_t grain, const Range& range) {
        if (count <= grain || thread_count() == 1) {
            if (count > 0) range(std::int64_t{0}, count);
            return;
        }
#if GRAZE_THREAD_SANITIZER
        run_on_threads(thread_count(), count, range);
#else
        arena_.execute([&] {
            tbb::parallel_for(
                tbb::blocked_range<std::int64_t>(0, count, static_cast<std::size_t>(grain)),
                [&](const tbb::blocked_range<std::int64_t>& r) { range(r.begin(), r.end()); });
        });
#endif
    }

    // A block is so large that its overhead vanishes, and so small that it fits the L1 and L2
    // caches.
    static constexpr std::int64_t kBlockSize = 8192;

    class Timer {
    public:
        Timer(CpuExecutor& executor, const char* name) : trace_(executor.trace_), name_(name) {
            if (trace_) start_ = std::chrono::steady_clock::now();
        }
        ~Timer() {
            if (!trace_) return;
            const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
            trace_->add(name_, elapsed.count());
        }
        Timer(const Timer&) = delete;
        Timer& operator=(const Timer&) = delete;

    private:
        Trace* trace_;
        const char* name_;
        std::chrono::steady_clock::time_point start_;
    };

    static std::int64_t block_count(std::int64_t count) {
        return (count + kBlockSize - 1) / kBlockSize;
    }

    template <class Block>
    void for_each_block(std::int64_t count, const Block& block) {
        for_each_range(block_count(count), 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t b = first; b < last; ++b) {
                block(b, b * kBlockSize,
                      b + 1 == block_count(count) ? count : (b + 1) * kBlockSize);
            }
        });
    }

    template <class T>
    T* scratch(std::int64_t count) {
        scratch_.resize(count * static_cast<std::int64_t>(sizeof(T)));
        return reinterpret_cast<T*>(scratch_.data());
    }

    tbb::task_arena arena_;
    Buffer<char> scratch_{host_memory()};
    Trace* trace_ = nullptr;
};

}  // namespace graze
