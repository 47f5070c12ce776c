# What the files of fields need: zstd and xxHash.
find_package(GrazeZstd REQUIRED)
find_path(GRAZE_XXHASH_INCLUDE xxhash.h)  # all of it is in the header
if(NOT GRAZE_XXHASH_INCLUDE)
    message(FATAL_ERROR "xxhash.h was not found: install it (Debian: libxxhash-dev)")
endif()
