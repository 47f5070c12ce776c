// Functions that make the points of Bullet's manifolds, as btManifoldResult would make them.
#pragma once

#include "graze_algorithm.h"

namespace graze::bullet {

// on_0 and on_1 are [m] in the world, on both bodies; the normal leads from side 1 to side 0.
btManifoldPoint make_manifold_point(const btVector3& on_0, const btVector3& on_1,
                                    const btVector3& normal_on_1, btScalar distance,
                                    const PairSide& side_0, const PairSide& side_1);
// A user may change a point that is new or was found again, where one of the bodies asks for it.
void tell_user(btManifoldPoint& point, const PairSide& side_0, const PairSide& side_1);
// Replaces a manifold's points. What users attached to the old ones is not released here.
void overwrite_points(btPersistentManifold& manifold, std::span<const btManifoldPoint> points,
                      const PairSide& side_0, const PairSide& side_1);

}  // namespace graze::bullet
