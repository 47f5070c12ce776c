// CudaExecutor: the executor's verbs on one GPU, by CUDA and CUB. Only .cu files include this.
//
// Everything is issued on one stream and returns at once; the host waits only in wait() and read().
// The verbs mean what CpuExecutor's comments say.
#pragma once

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/cub.cuh>

#include <deque>
#include <utility>

#include "parallel/buffer.h"
#include "parallel/cuda_check.h"
#include "parallel/trace.h"

namespace graze {

namespace cuda_detail {

constexpr int kBlockSize = 256;

// Work that shares memory within a block says how large a block it wants.
template <class Work>
constexpr int block_size() {
    if constexpr (requires { Work::kBlockSize; }) {
        return Work::kBlockSize;
    } else {
        return kBlockSize;
    }
}

template <class Work>
__global__ void __launch_bounds__(block_size<Work>()) call_for_each(std::int64_t count, Work work) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size<Work>() + threadIdx.x;
    if (i < count) work(i);
}

// An index -> value functor as the random-access iterator that CUB reads from.
template <class T, class ValueOf>
struct Apply {
    ValueOf value_of;
    __device__ T operator()(std::int64_t i) const { return value_of(i); }
};

// A short exclusive scan by one block, which takes one launch: each thread sums up a piece.
constexpr int kScanThreads = 1024;
template <class T>
__global__ void __launch_bounds__(kScanThreads)
    scan_short(const T* in, T* out, std::int64_t count) {
    using BlockScan = cub::BlockScan<T, kScanThreads>;
    __shared__ typename BlockScan::TempStorage storage;
    const std::int64_t piece = (count + kScanThreads - 1) / kScanThreads;
    const std::int64_t begin = min(static_cast<std::int64_t>(threadIdx.x) * piece, count);
    const std::int64_t end = min(begin + piece, count);
    T sum{};
    for (std::int64_t i = begin; i < end; ++i)
        sum += in[i];
    T before, total;
    BlockScan(storage).ExclusiveSum(sum, before, total);
    for (std::int64_t i = begin; i < end; ++i) {
        const T value = in[i];
        out[i] = before;
        before += value;
    }
    if (threadIdx.x == 0) out[count] = total;
}

}  // namespace cuda_detail

class CudaExecutor {
public:
    explicit CudaExecutor(int device_index = 0) : device_index_(device_index) {
        make_current();
        check_cuda(cudaDeviceGetAttribute(&multiprocessor_count_, cudaDevAttrMultiProcessorCount,
                                          device_index_),
                   "reading a device's properties");
        check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    }
    ~CudaExecutor() {
        for (const Mark& mark : marks_)
            release(mark);
        cudaStreamDestroy(stream_);
    }
    CudaExecutor(const CudaExecutor&) = delete;
    CudaExecutor& operator=(const CudaExecutor&) = delete;

    static constexpr bool kIsHost = false;
    Memory& memory() const { return cuda_memory(device_index_); }
    template <class T>
    Buffer<T> make_buffer(std::int64_t count = 0) const {
        return Buffer<T>(memory(), count);
    }
    cudaStream_t stream() const { return stream_; }
    int multiprocessor_count() const { return multiprocessor_count_; }
    // From now on every verb adds an entry, timed by events, when wait() is called; null stops
    // that.
    void set_trace(Trace* trace) { trace_ = trace; }

    template <class Work>
    void for_each(const char* name, std::int64_t count, const Work& work,
                  std::int64_t /*grain*/ = 0) {
        const Label label(*this, name);
        if (count == 0) return;
        constexpr int kSize = cuda_detail::block_size<Work>();
        const auto blocks = static_cast<unsigned>((count + kSize - 1) / kSize);
        cuda_detail::call_for_each<<<blocks, kSize, 0, stream_>>>(count, work);
        check_cuda(cudaGetLastError(), name);
    }

    // Launches a kernel of one's own, for what no verb can do, with so many blocks of so many
    // threads.
    template <class Kernel, class... Arguments>
    void launch(const char* name, std::int64_t block_count, int block_size, Kernel* kernel,
                const Arguments&... arguments) {
        const Label label(*this, name);
        if (block_count == 0) return;
        kernel<<<static_cast<unsigned>(block_count), block_size, 0, stream_>>>(arguments...);
        check_cuda(cudaGetLastError(), name);
    }

    template <class T, class ValueOf, class Op>
    void reduce(const char* name, std::int64_t count, const ValueOf& value_of, const Op& op,
                T initial, T* result) {
        const Label label(*this, name);
        const auto values = thrust::make_transform_iterator(
            thrust::counting_iterator<std::int64_t>(0), cuda_detail::Apply<T, ValueOf>{value_of});
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceReduce::Reduce(scratch, bytes, values, result, count, op, initial,
                                             stream_);
        });
    }

    template <class T>
    void exclusive_scan(const char* name, const T* in, T* out, std::int64_t count) {
        const Label label(*this, name);
        if (count <= kShortScan) {
            cuda_detail::scan_short<<<1, cuda_detail::kScanThreads, 0, stream_>>>(in, out, count);
            check_cuda(cudaGetLastError(), name);
            return;
        }
        check_cuda(cudaMemsetAsync(out, 0, sizeof(T), stream_), name);
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out + 1, count, stream_);
        });
    }

    template <class Key, class T>
    void segmented_scan(const char* name, const Key* keys, const T* in, T* out,
                        std::int64_t count) {
        const Label label(*this, name);
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, keys, in, out, count,
                                                      cuda::std::equal_to<>(), stream_);
        });
    }

    template <class Key, class Value>
    void sort_by_key(const char* name, const Key* keys_in, Key* keys_out, const Value* values_in,
                     Value* values_out, std::int64_t count, int end_bit = sizeof(Key) * 8) {
        const Label label(*this, name);
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_in, keys_out, values_in,
                                                   values_out, count, 0, end_bit, stream_);
        });
    }

    template <class Key>
    void sort_keys(const char* name, const Key* in, Key* out, std::int64_t count,
                   int end_bit = sizeof(Key) * 8) {
        const Label label(*this, name);
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count, 0, end_bit,
                                                  stream_);
        });
    }

    template <class Keep, class Index>
    void compact(const char* name, std::int64_t count, const Keep& keep, Index* out,
                 Index* out_count) {
        const Label label(*this, name);
        with_scratch(name, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Index>(0), out,
                                         out_count, count, cuda_detail::Apply<bool, Keep>{keep},
                                         stream_);
        });
    }

    template <class T>
    void copy(const char* name, const T* from, T* to, std::int64_t count) {
        copy_bytes(name, from, to, count, cudaMemcpyDeviceToDevice);
    }
    template <class T>
    void copy_to_host(const char* name, const T* from, T* to, std::int64_t count) {
        copy_bytes(name, from, to, count, cudaMemcpyDeviceToHost);
    }
    template <class T>
    void copy_from_host(const char* name, const T* from, T* to, std::int64_t count) {
        copy_bytes(name, from, to, count, cudaMemcpyHostToDevice);
    }

    void wait() {
        make_current();
        check_cuda(cudaStreamSynchronize(stream_), "waiting for the device");
        while (!marks_.empty()) {
            const Mark mark = marks_.front();
            marks_.pop_front();
            float milliseconds = 0;
            const cudaError_t status = cudaEventElapsedTime(&milliseconds, mark.start, mark.stop);
            release(mark);
            check_cuda(status, "reading a timer");
            if (trace_) trace_->add(mark.name, milliseconds * 1e-3);
        }
    }

    template <class T>
    T read(const T* source) {
        make_current();
        pinned_.resize(sizeof(T));
        check_cuda(
            cudaMemcpyAsync(pinned_.data(), source, sizeof(T), cudaMemcpyDeviceToHost, stream_),
            "reading a value");
        wait();
        return *reinterpret_cast<const T*>(pinned_.data());
    }

private:
    // Up to so many elements, one block is done before CUB has issued its launches.
    static constexpr std::int64_t kShortScan = 8192;

    struct Mark {  // a traced verb whose time is not yet known
        const char* name;
        cudaEvent_t start, stop;
    };

    // A label names the work for profilers, and times it where a trace is wanted.
    class Label {
    public:
        Label(CudaExecutor& executor, const char* name) : executor_(executor), name_(name) {
            nvtxRangePushA(name);
            executor_.make_current();
            if (executor_.trace_) start_ = executor_.record_event();
        }
        ~Label() {
            if (executor_.trace_)
                executor_.marks_.push_back({name_, start_, executor_.record_event()});
            nvtxRangePop();
        }
        Label(const Label&) = delete;
        Label& operator=(const Label&) = delete;

    private:
        CudaExecutor& executor_;
        const char* name_;
        cudaEvent_t start_ = nullptr;
    };

    // The current device belongs to the calling thread, which may have used another one since.
    void make_current() const { check_cuda(cudaSetDevice(device_index_), "choosing a device"); }

    cudaEvent_t record_event() {
        cudaEvent_t event = nullptr;
        cudaEventCreate(&event);
        cudaEventRecord(event, stream_);
        return event;
    }
    static void release(const Mark& mark) {
        cudaEventDestroy(mark.start);
        cudaEventDestroy(mark.stop);
    }

    // Runs a CUB call twice: for the size of its scratch memory, then for its result.
    template <class Call>
    void with_scratch(const char* name, const Call& call) {
        std::size_t bytes = 0;
        check_cuda(call(nullptr, bytes), name);
        scratch_.resize(static_cast<std::int64_t>(bytes));
        // An empty problem may need no scratch, but a null pointer would ask for the size again.
        if (!scratch_.data()) scratch_.resize(256);
        check_cuda(call(scratch_.data(), bytes), name);
    }

    template <class T>
    void copy_bytes(const char* name, const T* from, T* to, std::int64_t count,
                    cudaMemcpyKind kind) {
        const Label label(*this, name);
        if (count == 0) return;
        check_cuda(
            cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), kind, stream_),
            name);
    }

    int device_index_;
    int multiprocessor_count_ = 0;
    cudaStream_t stream_ = nullptr;
    Buffer<char> scratch_{cuda_memory(device_index_)};
    Buffer<char> pinned_{pinned_memory()};
    Trace* trace_ = nullptr;
    std::deque<Mark> marks_;
};

}  // namespace graze
