# The installed package: find_package(graze) gives the target graze::graze, find_package(graze COMPONENTS bullet) also
# graze::bullet.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS graze EXPORT graze-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/graze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Shared libraries (BUILD_SHARED_LIBS) are found beside each other and by the program, wherever all of it is put.
file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(graze_app PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
install(TARGETS graze_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT graze-targets NAMESPACE graze:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
if(GRAZE_WITH_BULLET)
    set(bullet_targets graze_bullet)
    if(TARGET graze_bullet_float64)
        list(APPEND bullet_targets graze_bullet_float64)
    endif()
    set_target_properties(${bullet_targets} PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS ${bullet_targets} EXPORT graze-bullet-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT bullet
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT bullet)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/plugins/bullet/graze_bullet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            COMPONENT bullet)
    install(EXPORT graze-bullet-targets NAMESPACE graze:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze
            COMPONENT bullet)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindGrazeBullet.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze
            COMPONENT bullet)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/graze-config.cmake.in graze-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
write_basic_package_version_file(graze-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/graze-config.cmake ${PROJECT_BINARY_DIR}/graze-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindGrazeZstd.cmake ${CMAKE_CURRENT_LIST_DIR}/FindGrazeOpenVDB.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
