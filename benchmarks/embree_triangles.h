// Adds the triangles of a mesh to an Embree scene.
#pragma once

#include <embree3/rtcore.h>

#include "graze/mesh.h"

namespace graze {

// Embree reads the mesh's own arrays, so the mesh must outlive the scene.
inline void add_embree_triangles(RTCDevice device, RTCScene scene, const Mesh& mesh) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               mesh.positions.data(), 0, sizeof(Vec3), mesh.positions.size());
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               mesh.triangles.data(), 0, sizeof(Triangle), mesh.triangles.size());
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
}

}  // namespace graze
