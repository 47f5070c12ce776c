// SpeculativePoints are the contacts of a pair that a step may meet, each as a bound on the
// velocities of both bodies, and which of them the solver is given.
//
// A point that touches at time t, with normal n and levers r as they are then, keeps the bodies
// from coming nearer along n than they do until t: the move along n of the step, n * (v + w x r) h,
// may not be below -distance. The solver gets the few points that the predicted motion would break;
// after it, all of them are asked again, and those that the solved motion would break are added.
#pragma once

#include <LinearMath/btVector3.h>

#include <span>
#include <vector>

#include "graze/contact.h"

namespace graze::bullet {

struct SpeculativePoint {
    Contact contact;             // with the distance below
    btVector3 arm_0, arm_1;      // [m] from both centres of mass to where it touches, then
    btVector3 local_0, local_1;  // [m] the parts of both bodies that meet, in the bodies' frames
    btVector3 normal;            // unit, from body 1 towards body 0
    btScalar distance = 0;       // [m] how far the bodies may come nearer along the normal
    btScalar approach = 0;       // [m/s] how fast they did before the step was solved
    btScalar parting = 0;        // [m/s] how fast they shall part, where the point bounces
    btScalar stop = 0;           // [N s] the impulse that stopped the bodies where they touch
    // [N s] The impulses at the step's end: along the normal by restitution, across by friction.
    btScalar bounce = 0;
    btVector3 rub{0, 0, 0};
    bool is_active = false;  // the solver has it
    bool bounces = false;    // it stopped the bodies, which shall move apart
};

// What a body does in a step: [m], [rad].
struct StepMove {
    btVector3 move{0, 0, 0}, turn{0, 0, 0};

    btVector3 at(const btVector3& arm) const { return move + turn.cross(arm); }
};

class SpeculativePoints {
public:
    void clear();
    void add(const SpeculativePoint& point) { points_.push_back(point); }
    // Makes a point one of those that the solver has.
    void activate(std::size_t point);

    // [m] Returns how much the point is broken by these moves: how much farther the bodies come
    // together than they may. Bodies that overlap shall come apart by a fraction of that, push.
    static btScalar need(const SpeculativePoint& point, const StepMove& move_0,
                         const StepMove& move_1, btScalar push);
    // [m] Returns the most by which any point is broken.
    btScalar measure(const StepMove& move_0, const StepMove& move_1, btScalar push);
    // Activates at most count points of those broken by more than tolerance [m], as measured: the
    // one that is broken most, then such as are broken much and lie away from those that the solver
    // has, link [m] being far. Returns how many there are in all.
    int choose(int count, btScalar tolerance, btScalar link);

    std::span<SpeculativePoint> points() { return points_; }
    std::span<const SpeculativePoint> points() const { return points_; }
    // Indices of points, in the order in which the solver got them.
    std::span<const std::uint32_t> active() const { return active_; }

private:
    // Returns 0 where the other point says the same, up to 2 where it says nothing about this one.
    static btScalar newness(const SpeculativePoint& point, const SpeculativePoint& other,
                            btScalar link);

    std::vector<SpeculativePoint> points_;
    std::vector<std::uint32_t> active_;
    std::vector<btScalar> needs_;    // of all points, as measured
    std::vector<btScalar> newness_;  // of all points, by the active ones
};

}  // namespace graze::bullet
