// Marks for code that is compiled more than once, each time for other instructions of the host, so
// that the machine it runs on can choose. What such headers define stands between GRAZE_LANES_BEGIN
// and GRAZE_LANES_END, in an inline namespace that has the instructions' name:
//
//     GRAZE_LANES_BEGIN
//     namespace graze {
//     inline namespace GRAZE_LANES {
//
// Nothing else is compiled for instructions that a machine may not have: a source that defines
// GRAZE_LANES_AVX512 is compiled with the flags of all others, and only functions between these
// marks get more. Since the namespace makes their names their own, a linker that keeps one of
// several copies of an inline function never takes one of these for the rest of the program.
#pragma once

#if !defined(GRAZE_LANES_AVX512)
#define GRAZE_LANES common_lanes
#define GRAZE_LANES_BEGIN
#define GRAZE_LANES_END
#else
#define GRAZE_LANES avx512_lanes
#if defined(__clang__)
#define GRAZE_LANES_BEGIN \
    _Pragma(              \
        "clang attribute push(__attribute__((target(\"avx512vl,avx512dq\"))), apply_to=function)")
#define GRAZE_LANES_END _Pragma("clang attribute pop")
#else
#define GRAZE_LANES_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx512vl,avx512dq\")")
#define GRAZE_LANES_END _Pragma("GCC pop_options")
#endif
#endif
