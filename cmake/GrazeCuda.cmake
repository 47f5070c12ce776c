# Decides whether the CUDA half is built (GRAZE_WITH_CUDA) and sets the flags of .cu files.
set(GRAZE_WITH_CUDA OFF)
if(NOT GRAZE_CUDA STREQUAL "OFF")
    include(CheckLanguage)
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
        set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        set(GRAZE_WITH_CUDA ON)
    elseif(GRAZE_CUDA STREQUAL "ON")
        message(FATAL_ERROR "GRAZE_CUDA is ON but no CUDA compiler was found: install nvcc, set CUDACXX, "
                            "or set GRAZE_CUDA to OFF")
    endif()
endif()

if(GRAZE_WITH_CUDA)
    # Named, not `native`: the machine that builds may have no GPU. PTX for older and newer cards, code for sm_90.
    if(GRAZE_CUDA_CHECK)
        # One pass makes PTX, and the code for sm_90 is made from that; neither side is optimised much. Four times faster
        # for a large kernel. (What differs by architecture gets a second pass in src/CMakeLists.txt.)
        set(CMAKE_CUDA_ARCHITECTURES OFF)
        set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -DNDEBUG")
        set(graze_cuda_flags --generate-code=arch=compute_75,code=[compute_75,sm_90] -Xcicc=-O1)
    else()
        if(NOT CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
        endif()
        set(graze_cuda_flags -lineinfo)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    # CMake 3.25 knows no C++20 for CUDA and would drop the standard silently.
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    target_compile_options(graze_flags INTERFACE
        $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -fmad=false ${graze_cuda_flags}
                                   -Xcompiler=-Wall,-Wextra,-ffp-contract=off -diag-suppress=20012>)
endif()
message(STATUS "graze: CUDA ${GRAZE_WITH_CUDA}")
