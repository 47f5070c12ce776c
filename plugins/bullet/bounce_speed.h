// How fast what meets within a step is to part, by its restitution, so that it loses no more and
// gains nothing, however long the step is.
//
// A step knows a meeting from its two ends: the bodies are still apart at its begin, or overlap by
// what they moved in the last one, and arrive somewhere within it. Steps of v += a h, x += v h
// conserve v^2 / 2 - a x + a h v / 2 for a constant acceleration a, exactly (as
// response/restitution.h uses it for cloth). At the surface, x = 0, that is e^2 times as much after
// the meeting as before, so that with a restitution e a thing returns to e^2 of the height that it
// came from, wherever in the step it meets the ground.
//
// Bullet's solver knows restitution as a fraction of the speed at the step's begin, takes it also
// for what does not arrive within the step, and adds the speed at which overlaps are pushed apart.
#pragma once

#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/NarrowPhaseCollision/btManifoldPoint.h>

namespace graze::bullet {

// How two bodies meet at a point, along its normal.
struct Approach {
    btScalar speed = 0;         // [m/s] at which they part at the step's begin; below 0: they meet
    btScalar acceleration = 0;  // [m/s^2] by the forces of the step
    btScalar distance = 0;      // [m] at the step's begin
    btScalar time = 0;          // [s] of the step
    btScalar rest_speed = 0;    // [m/s] what meets slower than this does not bounce

    // True where they touch within the step, if nothing holds them.
    bool arrives() const;
    bool may_bounce() const { return speed < -rest_speed; }
    // True where they overlap by no more than they moved in a step, and did not before.
    bool is_new_overlap() const { return distance < 0 && distance > speed * time; }
    // [m/s] Returns how fast they shall part after the step, during which they already do.
    btScalar bounce_speed(btScalar restitution) const;
    // [m/s] The same where the step ends at this distance [m].
    btScalar bounce_speed_at(btScalar end_distance, btScalar restitution) const;

private:
    btScalar energy() const;  // [J/kg] at the surface
};

// Returns how two objects approach each other at a point, distance [m] apart, in a step of time
// [s]. The normal leads from object 1 to object 0; the arms [m] lead to the point from the centres
// of mass.
Approach approach_at(const btCollisionObject& object_0, const btVector3& arm_0,
                     const btCollisionObject& object_1, const btVector3& arm_1,
                     const btVector3& normal, btScalar distance, btScalar time);

// Changes the restitution of a point so that Bullet's solver gives it the right speed in a step of
// time [s]. What does not arrive in this step keeps its speed, and what bounces is not pushed apart
// besides. Returns the speed [m/s] of an impact that leaves an overlap behind; 0: there is none.
btScalar set_bounce(btManifoldPoint& point, const btCollisionObject& object_0,
                    const btCollisionObject& object_1, btScalar time);

// The solver makes velocities of overlaps, with which bodies would part that do not bounce. So an
// overlap that an impact left is pushed apart at a small part of the speed of that.
class SlowPush {
public:
    // The pair had an impact of that speed [m/s].
    void add_impact(btScalar speed);
    bool is_on() const { return speed_ > 0; }
    void grow(btScalar time);  // in each step [s]
    // Limits how fast the point is pushed apart in a step of time [s]. Returns true where it would
    // be faster.
    bool limit(btManifoldPoint& point, btScalar time) const;
    void end() { speed_ = 0; }

private:
    btScalar speed_ = 0;  // [m/s]
};

}  // namespace graze::bullet
