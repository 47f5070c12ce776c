# zstd by its header and library: GrazeZstd::zstd. Its own package files are missing on some systems.
find_path(GRAZE_ZSTD_INCLUDE zstd.h)
find_library(GRAZE_ZSTD_LIBRARY zstd)
mark_as_advanced(GRAZE_ZSTD_INCLUDE GRAZE_ZSTD_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GrazeZstd REQUIRED_VARS GRAZE_ZSTD_LIBRARY GRAZE_ZSTD_INCLUDE
    REASON_FAILURE_MESSAGE "install it (Debian: libzstd-dev)")
if(GrazeZstd_FOUND AND NOT TARGET GrazeZstd::zstd)
    add_library(GrazeZstd::zstd UNKNOWN IMPORTED)
    set_target_properties(GrazeZstd::zstd PROPERTIES IMPORTED_LOCATION ${GRAZE_ZSTD_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${GRAZE_ZSTD_INCLUDE})
endif()
