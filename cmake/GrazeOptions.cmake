# The choices a builder has, and the compile flags that every target of the project shares.
set(GRAZE_CUDA AUTO CACHE STRING "Build the CUDA half: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE GRAZE_CUDA PROPERTY STRINGS AUTO ON OFF)
option(GRAZE_CUDA_CHECK "Compile the CUDA half only to see that it compiles: quickly, for slow kernels" OFF)
set(GRAZE_OPENVDB AUTO CACHE STRING "Read and write .vdb: AUTO (where OpenVDB is found), ON or OFF")
set_property(CACHE GRAZE_OPENVDB PROPERTY STRINGS AUTO ON OFF)
set(GRAZE_BULLET AUTO CACHE STRING "Build the Bullet plug-in: AUTO (where Bullet is found), ON or OFF")
set_property(CACHE GRAZE_BULLET PROPERTY STRINGS AUTO ON OFF)
set(GRAZE_CPU_ARCH x86-64-v3 CACHE STRING
    "Value of -march on x86-64; the default needs AVX2 (2013 and later). Empty: the compiler's own default")
option(GRAZE_BENCHMARKS "Build the benchmarks (need Google Benchmark, and Embree for comparison)" ${PROJECT_IS_TOP_LEVEL})
set(GRAZE_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
find_program(GRAZE_CCACHE ccache)
if(GRAZE_CCACHE AND PROJECT_IS_TOP_LEVEL)
    # ccache wants to be told that it may cache what is compiled with precompiled headers, and that joined files are the
    # same in any build folder.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${GRAZE_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Flags of every target: no contraction of a*b+c, so that exact predicates are exact and both machines compute
# the same bits (the CUDA side has -fmad=false for the same reason).
add_library(graze_flags INTERFACE)
target_compile_options(graze_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -ffp-contract=off>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)  # GCC 12 warns of std::string's own code
if(GRAZE_CPU_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(graze_flags INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-march=${GRAZE_CPU_ARCH}>
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=${GRAZE_CPU_ARCH}>)
endif()
if(GRAZE_SANITIZE)
    target_compile_options(graze_flags INTERFACE -fsanitize=${GRAZE_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(graze_flags INTERFACE -fsanitize=${GRAZE_SANITIZE})
    if(GRAZE_SANITIZE MATCHES address)
        # The address sanitizer itself finds what these checks could, which take a fifth of the time to compile.
        target_compile_options(graze_flags INTERFACE -fno-sanitize=object-size)
    endif()
endif()
