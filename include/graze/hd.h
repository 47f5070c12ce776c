// GRAZE_HD marks a function that runs on both machines: the host, and a CUDA device when nvcc
// compiles it. This is the only file that looks at __CUDACC__. GRAZE_APART_ON_DEVICE marks one that
// nvcc must not put into its callers, because it then gets them wrong.
#pragma once

#ifdef __CUDACC__
#define GRAZE_HD __host__ __device__
#define GRAZE_INLINE __host__ __device__ __forceinline__
#define GRAZE_NOINLINE __host__ __device__ __noinline__
#define GRAZE_APART_ON_DEVICE __host__ __device__ __noinline__
#else
#define GRAZE_HD
#define GRAZE_INLINE inline __attribute__((always_inline))
#define GRAZE_NOINLINE __attribute__((noinline))
#define GRAZE_APART_ON_DEVICE
#endif

// True only while nvcc compiles the device half of a file. GRAZE_DEVICE_ARCH is what it compiles
// for then, 900 for compute capability 9.0.
#ifdef __CUDA_ARCH__
#define GRAZE_ON_DEVICE 1
#define GRAZE_DEVICE_ARCH __CUDA_ARCH__
#else
#define GRAZE_ON_DEVICE 0
#define GRAZE_DEVICE_ARCH 0
#endif
