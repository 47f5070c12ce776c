# The installed package: find_package(graze) gives the target graze::graze.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS graze EXPORT graze-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/graze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS graze_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT graze-targets NAMESPACE graze:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/graze-config.cmake.in graze-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
write_basic_package_version_file(graze-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/graze-config.cmake ${PROJECT_BINARY_DIR}/graze-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindGrazeZstd.cmake ${CMAKE_CURRENT_LIST_DIR}/FindGrazeOpenVDB.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
