#include "graze_algorithm.h"

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bounce_speed.h"
#include "convert.h"
#include "dispatch_batch.h"
#include "graze/error.h"
#include "manifold_points.h"

namespace graze::bullet {

namespace {

// The cosines of the angles by which a normal may turn in a step: where the contact is tracked, and
// where a new one near it takes over its impulse.
constexpr float kGoesOn = 0.98f, kSameNormal = 0.8f;

// Returns a hash of the indices of a child and of its parents.
std::uint64_t child_of(const btCollisionObjectWrapper& wrapper) {
    std::uint64_t mixed = 0;
    for (const btCollisionObjectWrapper* at = &wrapper; at != nullptr; at = at->m_parent)
        mixed = (mixed ^ static_cast<std::uint32_t>(at->m_index)) * 0x9e3779b97f4a7c15ULL + 1;
    return mixed;
}

PairSide side_of(const btCollisionObjectWrapper& wrapper) {
    return {wrapper.getCollisionObject(),
            wrapper.getCollisionShape(),
            wrapper.getWorldTransform(),
            wrapper.m_partId,
            wrapper.m_index,
            child_of(wrapper)};
}

// Points on both surfaces, each half of the distance away from the contact.
struct SurfacePoints {
    btVector3 normal_on_1, on_0, on_1;
};
SurfacePoints surface_points(const Contact& contact, bool flipped) {
    const btVector3 normal = to_bullet(flipped ? -contact.normal : contact.normal);
    const btVector3 half = normal * (contact.distance * btScalar(0.5));
    const btVector3 middle = to_bullet(contact.position);
    return {normal, middle + half, middle - half};
}

btManifoldPoint make_point(const Contact& contact, bool flipped, const PairSide& side_0,
                           const PairSide& side_1) {
    const SurfacePoints at = surface_points(contact, flipped);
    return make_manifold_point(at.on_0, at.on_1, at.normal_on_1, contact.distance, side_0, side_1);
}

// [m] Returns a fraction of the smaller body's size.
btScalar same_point_distance(const btCollisionShape& a, const btCollisionShape& b) {
    return std::min(a.getAngularMotionDisc(), b.getAngularMotionDisc()) * btScalar(0.04);
}

// Returns the distance of a world point to a shape, and its gradient in the world.
FieldValue evaluate_at(const Vec3& point, const PosedShape& posed, const PairSide& side) {
    const Transform world_from_shape = to_graze(side.world_from_shape) * posed.body_from_shape;
    const FieldValue value =
        posed.shape.field().evaluate(transform_point(inverse(world_from_shape), point));
    return {value.distance * world_from_shape.scale,
            transform_direction(world_from_shape, value.gradient)};
}

}  // namespace

GrazeAlgorithm::GrazeAlgorithm(const btCollisionAlgorithmConstructionInfo& construction,
                               const btCollisionObjectWrapper* side_0,
                               const btCollisionObjectWrapper* side_1, bool is_query)
    : btActivatingCollisionAlgorithm(construction, side_0, side_1),
      owner_(static_cast<GrazeDispatcher*>(construction.m_dispatcher1)),
      is_query_(is_query),
      same_point_distance_(
          same_point_distance(*side_0->getCollisionShape(), *side_1->getCollisionShape())),
      posed_0_(owner_->batch_->find_shape(*side_0->getCollisionShape())),
      posed_1_(owner_->batch_->find_shape(*side_1->getCollisionShape())) {}

GrazeAlgorithm::~GrazeAlgorithm() {
    owner_->batch_->forget(*this);
    for (btPersistentManifold* manifold : manifolds_)
        owner_->releaseManifold(manifold);
}

void GrazeAlgorithm::processCollision(const btCollisionObjectWrapper* side_0,
                                      const btCollisionObjectWrapper* side_1,
                                      const btDispatcherInfo& /*settings*/,
                                      btManifoldResult* result) {
    GrazeDispatcher::Batch& batch = *owner_->batch_;
    batch.refresh_shape(*side_0->getCollisionShape(), posed_0_);
    batch.refresh_shape(*side_1->getCollisionShape(), posed_1_);
    PairSide first = side_of(*side_0), second = side_of(*side_1);
    face_sheets(first, second);
    // Queries ask children of compounds in this way too.
    if (is_query_ || !batch.is_gathering())
        answer_query(first, second, *result);
    else
        batch.add(*this, std::move(first), posed_0_, std::move(second), posed_1_);
}

void GrazeAlgorithm::face_sheets(const PairSide& side_0, const PairSide& side_1) {
    const auto face = [&](PosedShape& posed, const PairSide& side, const PosedShape& other,
                          const PairSide& other_side) {
        if (!posed.sheet) return;
        const Aabb box = other.shape.bounds();
        const Vec3 middle = (box.min + box.max) * 0.5f;
        if (!std::isfinite(length(middle))) return;  // it is on both sides
        const Transform world_from_other =
            to_graze(other_side.world_from_shape) * other.body_from_shape;
        posed.face(
            transform_point(inverse(to_graze(side.world_from_shape)) * world_from_other, middle),
            has_faced_);
    };
    face(posed_0_, side_0, posed_1_, side_1);
    face(posed_1_, side_1, posed_0_, side_0);
    has_faced_ = true;
}

void GrazeAlgorithm::answer_query(const PairSide& side_0, const PairSide& side_1,
                                  btManifoldResult& result) {
    // The result looks at the order of its manifold's bodies.
    if (manifolds_.empty()) add_manifold(side_0, side_1);
    result.setPersistentManifold(manifolds_[0]);
    const auto gap = static_cast<float>(result.m_closestPointDistanceThreshold);
    for (const Contact& contact : owner_->batch_->query(side_0, posed_0_, side_1, posed_1_, gap)) {
        const SurfacePoints at = surface_points(contact, false);
        result.addContactPoint(at.normal_on_1, at.on_1, contact.distance);
    }
}

void GrazeAlgorithm::add_manifold(const PairSide& side_0, const PairSide& side_1) {
    btPersistentManifold* manifold = owner_->getNewManifold(side_0.object, side_1.object);
    if (manifold == nullptr)
        throw Error(
            "GrazeDispatcher: Bullet's pool of manifolds is full; raise "
            "m_defaultMaxPersistentManifoldPoolSize");
    // Points up to the gap apart are kept; those of a motion, however far they are.
    manifold->setContactBreakingThreshold(
        owner_->options().is_speculative
            ? btScalar(BT_LARGE_FLOAT)
            : std::max(manifold->getContactBreakingThreshold(),
                       static_cast<btScalar>(owner_->options().detector.gap)));
    manifolds_.push_back(manifold);
}

void GrazeAlgorithm::remember_points() {
    old_points_.clear();
    for (btPersistentManifold* manifold : manifolds_) {
        for (int i = 0; i < manifold->getNumContacts(); ++i)
            old_points_.push_back({manifold->getContactPoint(i), manifold});
    }
}

// Users may have given points another restitution by then.
void GrazeAlgorithm::set_bounces() {
    const btScalar time = owner_->batch_->time_step;
    push_.grow(time);
    const auto for_each_point = [&](const auto& visit) {
        for (btPersistentManifold* manifold : manifolds_) {
            for (int i = 0; i < manifold->getNumContacts(); ++i)
                visit(*manifold, manifold->getContactPoint(i));
        }
    };
    for_each_point([&](const btPersistentManifold& manifold, btManifoldPoint& point) {
        push_.add_impact(set_bounce(point, *manifold.getBody0(), *manifold.getBody1(), time));
    });
    if (!push_.is_on()) return;
    bool is_limited = false;
    for_each_point([&](const btPersistentManifold& /*manifold*/, btManifoldPoint& point) {
        if (push_.limit(point, time)) is_limited = true;
    });
    if (!is_limited) push_.end();
}

void GrazeAlgorithm::track(const PairSide& side_0, const PairSide& side_1, float gap, bool flipped,
                           std::vector<Contact>& contacts) {
    remember_points();
    tracked_.clear();
    const btTransform &world_from_0 = side_0.object->getWorldTransform(),
                      &world_from_1 = side_1.object->getWorldTransform();
    for (std::size_t i = 0; i < old_points_.size(); ++i) {
        const btManifoldPoint& old = old_points_[i].point;
        const Vec3 position = to_graze(
            (world_from_0 * old.m_localPointA + world_from_1 * old.m_localPointB) * btScalar(0.5));
        const FieldValue at_0 = evaluate_at(position, posed_0_, side_0);
        const FieldValue at_1 = evaluate_at(position, posed_1_, side_1);
        // Gradients differ at edges; the one that turned less is taken. Where both turned, the
        // detector has to say what is there now.
        const Vec3 old_normal = to_graze(old.m_normalWorldOnB);
        const float by_0 = -dot(at_0.gradient, old_normal), by_1 = dot(at_1.gradient, old_normal);
        const Vec3 normal = by_1 >= by_0 ? at_1.gradient : -at_0.gradient;
        const float distance = at_0.distance + at_1.distance;
        if (!(distance <= gap) || !(dot(normal, old_normal) > kGoesOn)) continue;
        const std::uint32_t body_a = std::min(side_0.body, side_1.body);
        const std::uint32_t body_b = std::max(side_0.body, side_1.body);
        contacts.push_back({body_a, body_b, kNoFeature, kNoFeature, position, distance,
                            flipped ? -normal : normal, 0});
        tracked_.push_back(static_cast<int>(i));
    }
}

// What touches at rest is found near the middle anyway.
void GrazeAlgorithm::centre_impact(const PairSide& side_0, const PairSide& side_1, bool flipped,
                                   Contact& contact) const {
    const btVector3 position = to_bullet(contact.position);
    const Approach approach =
        approach_at(*side_0.object, position - side_0.object->getWorldTransform().getOrigin(),
                    *side_1.object, position - side_1.object->getWorldTransform().getOrigin(),
                    to_bullet(flipped ? -contact.normal : contact.normal), contact.distance,
                    owner_->batch_->time_step);
    if (!approach.may_bounce() || !approach.arrives()) return;
    const float at_0 = evaluate_at(contact.position, posed_0_, side_0).distance;
    const float at_1 = evaluate_at(contact.position, posed_1_, side_1).distance;
    contact.position += contact.normal * ((flipped ? at_1 - at_0 : at_0 - at_1) / 2);
}

// Gives the point what the solver knows of the old point that it is, or is near to. Returns the old
// point's index, or -1 where there is none.
int GrazeAlgorithm::inherit(btManifoldPoint& point, int tracked) {
    int best = tracked;
    if (best < 0) {
        btScalar nearest = std::numeric_limits<btScalar>::max();
        for (std::size_t i = 0; i < old_points_.size(); ++i) {
            const OldPoint& old = old_points_[i];
            const btScalar distance_sq = (old.point.m_localPointA - point.m_localPointA).length2();
            if (old.is_inherited || !(distance_sq < nearest) ||
                !(distance_sq < same_point_distance_ * same_point_distance_) ||
                !(point.m_normalWorldOnB.dot(old.point.m_normalWorldOnB) > kSameNormal))
                continue;
            nearest = distance_sq;
            best = static_cast<int>(i);
        }
    }
    if (best < 0) return best;
    OldPoint& old = old_points_[static_cast<std::size_t>(best)];
    old.is_inherited = true;
    point.m_appliedImpulse = old.point.m_appliedImpulse;
    point.m_prevRHS = old.point.m_prevRHS;
    point.m_appliedImpulseLateral1 = old.point.m_appliedImpulseLateral1;
    point.m_appliedImpulseLateral2 = old.point.m_appliedImpulseLateral2;
    point.m_userPersistentData = old.point.m_userPersistentData;
    point.m_lifeTime = old.point.m_lifeTime + 1;
    return best;
}

// Returns, of the manifolds beyond those filled, the one that most of the points come from; it is
// moved to the end of the filled ones.
btPersistentManifold& GrazeAlgorithm::manifold_for(std::span<const int> inherited,
                                                   std::size_t filled, const PairSide& side_0,
                                                   const PairSide& side_1) {
    std::size_t best = filled;
    std::ptrdiff_t best_count = -1;
    for (std::size_t m = filled; m < manifolds_.size(); ++m) {
        const auto count = std::count_if(inherited.begin(), inherited.end(), [&](int old) {
            return old >= 0 && old_points_[static_cast<std::size_t>(old)].manifold == manifolds_[m];
        });
        if (count > best_count) {
            best_count = count;
            best = m;
        }
    }
    if (best == manifolds_.size()) add_manifold(side_0, side_1);
    std::swap(manifolds_[filled], manifolds_[best]);
    return *manifolds_[filled];
}

void GrazeAlgorithm::update(const PairSide& side_0, const PairSide& side_1,
                            std::span<const Contact> contacts,
                            std::span<const ContactPatch> patches, bool flipped) {
    // Tracked contacts have the first claim on their own past.
    for (const ContactPatch& patch : patches) {
        for (int i = 0; i < patch.point_count; ++i) {
            const std::uint32_t contact = patch.points[static_cast<std::size_t>(i)];
            if (contact < tracked_.size())
                old_points_[static_cast<std::size_t>(tracked_[contact])].is_inherited = true;
        }
    }
    std::size_t filled = 0;
    for (const ContactPatch& patch : patches) {
        std::array<btManifoldPoint, ContactPatch::kMaxPoints> points;
        std::array<int, ContactPatch::kMaxPoints> inherited{};
        const auto count = static_cast<std::size_t>(patch.point_count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t contact = patch.points[i];
            points[i] = make_point(contacts[contact], flipped, side_0, side_1);
            inherited[i] = inherit(points[i], contact < tracked_.size() ? tracked_[contact] : -1);
        }
        btPersistentManifold& manifold =
            manifold_for({inherited.data(), count}, filled++, side_0, side_1);
        overwrite_points(manifold, {points.data(), count}, side_0, side_1);
    }
    for (OldPoint& old : old_points_) {  // users are told of points that are gone
        if (!old.is_inherited) old.manifold->clearUserCache(old.point);
    }
    while (manifolds_.size() > filled) {
        overwrite_points(*manifolds_.back(), {}, side_0, side_1);
        owner_->releaseManifold(manifolds_.back());
        manifolds_.pop_back();
    }
    set_bounces();
}

void GrazeAlgorithm::getAllContactManifolds(btManifoldArray& manifolds) {
    for (btPersistentManifold* manifold : manifolds_)
        manifolds.push_back(manifold);
}

btCollisionAlgorithm* GrazeCreateFunc::CreateCollisionAlgorithm(
    btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper* side_0,
    const btCollisionObjectWrapper* side_1) {
    void* memory = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(GrazeAlgorithm));
    try {
        return new (memory) GrazeAlgorithm(info, side_0, side_1, is_query);
    } catch (...) {  // a shape has no counterpart
        info.m_dispatcher1->freeCollisionAlgorithm(memory);
        throw;
    }
}

}  // namespace graze::bullet
