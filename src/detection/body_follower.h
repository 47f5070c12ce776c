// BodyFollower: which body of the last step each body of this step most likely is, where bodies
// have been added, removed or put into another order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/vec3.h"

namespace graze {

// A body as the follower sees it.
struct FollowedBody {
    const void* shape;  // its id; null: of no body
    Vec3 position;      // [m] world
    float reach;        // [m] so far it may have moved and still count as near where it was
};

// A body that is near where the body of its index was, and of its shape, is that body. All others
// are compared with the bodies of the last step that are left: of those of the same shape within
// reach, each is the nearest; where there is none, it is that of its index, if that is left and of
// the same shape, however far it went. Bodies of one shape within reach of each other may so be
// mistaken, which whoever uses the answer has to bear.
class BodyFollower {
public:
    // last_of: for each body its index in the last step, kNoIndex where it was not there. Empty
    // where every body has the index that it had; there may be more or fewer at the end.
    const std::vector<std::uint32_t>& follow(std::span<const FollowedBody> last,
                                             std::span<const FollowedBody> now);

private:
    std::uint32_t take_nearest(std::span<const FollowedBody> last, const FollowedBody& body);

    std::vector<std::uint32_t> last_of_;
    std::vector<std::uint8_t> is_taken_;  // by body of the last step
    std::vector<std::uint32_t> left_;     // bodies of the last step, by shape and then by x
};

}  // namespace graze
