# The plug-in for Bullet where Bullet is there (GRAZE_WITH_BULLET).
set(GRAZE_WITH_BULLET OFF)
if(NOT GRAZE_BULLET STREQUAL "OFF")
    find_package(GrazeBullet QUIET)
    if(GrazeBullet_FOUND)
        set(GRAZE_WITH_BULLET ON)
        include(GNUInstallDirs)
        add_subdirectory(plugins/bullet)
    elseif(GRAZE_BULLET STREQUAL "ON")
        message(FATAL_ERROR "GRAZE_BULLET is ON but Bullet was not found: install it (Debian: libbullet-dev), "
                            "or set GRAZE_BULLET to OFF")
    endif()
endif()
message(STATUS "graze: Bullet ${GRAZE_WITH_BULLET}")
