# OpenVDB by its header and library: GrazeOpenVDB::openvdb. Debian ships no package file, and the find module that it
# ships defines targets of TBB that differ from TBB's own.
find_path(GRAZE_OPENVDB_INCLUDE openvdb/openvdb.h)
find_library(GRAZE_OPENVDB_LIBRARY openvdb)
mark_as_advanced(GRAZE_OPENVDB_INCLUDE GRAZE_OPENVDB_LIBRARY)
find_package(Imath CONFIG QUIET)  # whose half floats its headers use
find_package(TBB QUIET)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GrazeOpenVDB REQUIRED_VARS GRAZE_OPENVDB_LIBRARY GRAZE_OPENVDB_INCLUDE
    Imath_FOUND TBB_FOUND REASON_FAILURE_MESSAGE "install it (Debian: libopenvdb-dev)")
if(GrazeOpenVDB_FOUND AND NOT TARGET GrazeOpenVDB::openvdb)
    add_library(GrazeOpenVDB::openvdb UNKNOWN IMPORTED)
    set_target_properties(GrazeOpenVDB::openvdb PROPERTIES IMPORTED_LOCATION ${GRAZE_OPENVDB_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${GRAZE_OPENVDB_INCLUDE})
    set_property(TARGET GrazeOpenVDB::openvdb APPEND PROPERTY INTERFACE_LINK_LIBRARIES Imath::Imath TBB::tbb)
endif()
