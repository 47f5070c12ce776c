# What the files of fields need: zstd and xxHash, and OpenVDB for .vdb where it is there (GRAZE_WITH_OPENVDB).
find_package(GrazeZstd REQUIRED)
find_path(GRAZE_XXHASH_INCLUDE xxhash.h)  # all of it is in the header
if(NOT GRAZE_XXHASH_INCLUDE)
    message(FATAL_ERROR "xxhash.h was not found: install it (Debian: libxxhash-dev)")
endif()

set(GRAZE_WITH_OPENVDB OFF)
if(NOT GRAZE_OPENVDB STREQUAL "OFF")
    find_package(GrazeOpenVDB QUIET)
    if(GrazeOpenVDB_FOUND)
        set(GRAZE_WITH_OPENVDB ON)
        # For the sources that include it: Clang 19 takes a cast in Boost 1.74 for an error, and its sanitizer finds
        # undefined behaviour in the hash map of oneTBB that OpenVDB uses.
        set(GRAZE_OPENVDB_OPTIONS $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-enum-constexpr-conversion>)
        if(GRAZE_SANITIZE MATCHES undefined)
            list(APPEND GRAZE_OPENVDB_OPTIONS -fno-sanitize=undefined)
        endif()
    elseif(GRAZE_OPENVDB STREQUAL "ON")
        message(FATAL_ERROR "GRAZE_OPENVDB is ON but OpenVDB was not found: install it (Debian: libopenvdb-dev), "
                            "or set GRAZE_OPENVDB to OFF")
    endif()
endif()
message(STATUS "graze: OpenVDB ${GRAZE_WITH_OPENVDB}")
