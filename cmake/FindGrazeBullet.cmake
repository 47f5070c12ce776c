# Bullet by its headers and libraries: GrazeBullet::collision, GrazeBullet::dynamics, and where there is a build with
# doubles, GrazeBullet::dynamics_float64. The package file that Debian ships names relative folders and no targets.
find_path(GRAZE_BULLET_INCLUDE BulletCollision/BroadphaseCollision/btDbvtBroadphase.h PATH_SUFFIXES bullet)
foreach(part Dynamics Collision)
    find_library(GRAZE_BULLET_${part} Bullet${part})
    find_library(GRAZE_BULLET_${part}_FLOAT64 Bullet${part}-float64)
endforeach()
find_library(GRAZE_BULLET_Math LinearMath)
find_library(GRAZE_BULLET_Math_FLOAT64 LinearMath-float64)
mark_as_advanced(GRAZE_BULLET_INCLUDE GRAZE_BULLET_Dynamics GRAZE_BULLET_Collision GRAZE_BULLET_Math
    GRAZE_BULLET_Dynamics_FLOAT64 GRAZE_BULLET_Collision_FLOAT64 GRAZE_BULLET_Math_FLOAT64)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GrazeBullet REQUIRED_VARS GRAZE_BULLET_Dynamics GRAZE_BULLET_Collision
    GRAZE_BULLET_Math GRAZE_BULLET_INCLUDE REASON_FAILURE_MESSAGE "install it (Debian: libbullet-dev)")

function(graze_bullet_target name)
    if(NOT TARGET GrazeBullet::${name})
        add_library(GrazeBullet::${name} INTERFACE IMPORTED)
        set_target_properties(GrazeBullet::${name} PROPERTIES
            INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${GRAZE_BULLET_INCLUDE}
            INTERFACE_INCLUDE_DIRECTORIES ${GRAZE_BULLET_INCLUDE} INTERFACE_LINK_LIBRARIES "${ARGN}")
    endif()
endfunction()
if(GrazeBullet_FOUND)
    graze_bullet_target(collision ${GRAZE_BULLET_Collision} ${GRAZE_BULLET_Math})
    graze_bullet_target(dynamics ${GRAZE_BULLET_Dynamics} ${GRAZE_BULLET_Collision} ${GRAZE_BULLET_Math})
    if(GRAZE_BULLET_Dynamics_FLOAT64 AND GRAZE_BULLET_Collision_FLOAT64 AND GRAZE_BULLET_Math_FLOAT64)
        graze_bullet_target(dynamics_float64 ${GRAZE_BULLET_Dynamics_FLOAT64} ${GRAZE_BULLET_Collision_FLOAT64}
            ${GRAZE_BULLET_Math_FLOAT64})
        set_target_properties(GrazeBullet::dynamics_float64 PROPERTIES
            INTERFACE_COMPILE_DEFINITIONS BT_USE_DOUBLE_PRECISION)
    endif()
endif()
