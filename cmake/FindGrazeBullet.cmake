# Bullet's collision library by its header and libraries: GrazeBullet::collision. The package file that Debian ships
# names relative folders and no targets.
find_path(GRAZE_BULLET_INCLUDE BulletCollision/BroadphaseCollision/btDbvtBroadphase.h PATH_SUFFIXES bullet)
find_library(GRAZE_BULLET_COLLISION BulletCollision)
find_library(GRAZE_BULLET_MATH LinearMath)
mark_as_advanced(GRAZE_BULLET_INCLUDE GRAZE_BULLET_COLLISION GRAZE_BULLET_MATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GrazeBullet REQUIRED_VARS GRAZE_BULLET_COLLISION GRAZE_BULLET_MATH
    GRAZE_BULLET_INCLUDE REASON_FAILURE_MESSAGE "install it (Debian: libbullet-dev)")
if(GrazeBullet_FOUND AND NOT TARGET GrazeBullet::collision)
    add_library(GrazeBullet::collision INTERFACE IMPORTED)
    set_target_properties(GrazeBullet::collision PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${GRAZE_BULLET_INCLUDE} INTERFACE_INCLUDE_DIRECTORIES ${GRAZE_BULLET_INCLUDE}
        INTERFACE_LINK_LIBRARIES "${GRAZE_BULLET_COLLISION};${GRAZE_BULLET_MATH}")
endif()
