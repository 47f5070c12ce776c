// track_contacts: what points that the method sweep found do in the whole step, not only when they
// first come within the gap.
#pragma once

#include <span>
#include <vector>

#include "graze/detector.h"
#include "graze/segment_search.h"

namespace graze {

struct SweepTrack {
    // When the point is within the gap, ascending and apart; times are fractions of the step.
    std::vector<TimeInterval> intervals;
    // When it is deepest, how far from the surface it is then [m], negative inside, and where [m],
    // in the world. It is the least value at steps of half a voxel along the path, or of 1/64 of
    // an interval where these are shorter, and refined from there.
    float deepest_time;
    float deepest_distance;
    Vec3 deepest_position;
};

// The tracks of contacts that a detector with the method sweep and these options returned for this
// very scene, all of them or some. The work is the host's; device says by how many threads. Throws
// Error where a contact is not one of the scene's bodies and points.
std::vector<SweepTrack> track_contacts(const Scene& scene, std::span<const Contact> contacts,
                                       const DetectorOptions& options = {},
                                       const Device& device = Device::cpu());

}  // namespace graze
