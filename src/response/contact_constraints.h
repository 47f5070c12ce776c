// Contacts between features, a vertex and a face or two edges: they are to be a gap apart along a
// normal that was found where they had not met yet, so that it is always the right side.
#pragma once

#include <span>

#include "graze/deforming.h"
#include "response/constraint_batches.h"

namespace graze {

struct ContactConstraint {
    std::uint32_t vertices[4];
    double weights[4];  // of the first feature's point, then those of the second's, negative
    int first_count;    // vertices of the first feature: 1 or 2
    float restitution;  // 0 to 1; 0 within one body
    Vec3d normal;       // unit, from the second to the first
    double gap;         // [m] when it has held
    double start_gap;   // [m] at first, not above gap: what is too near goes apart evenly
    double friction;    // Coulomb's
    // [kg m^2] So far, divided by the squared time of a small step: the work that the script did
    // on the other points. solve_contacts() adds to it.
    double script_work;
};

// Things that are too near go apart step by step, in each by this fraction of the thickness.
constexpr double kGrowth = 0.25;

// step_fraction: the contact holds for this fraction of a step.
ContactConstraint make_contact_constraint(const ClothWorld& world, const Proximity& proximity,
                                          double thickness, double step_fraction);
// The impact has a normal.
ContactConstraint make_contact_constraint(const ClothWorld& world, const Impact& impact,
                                          double thickness);

// Returns the units that the contact moves.
std::array<std::uint32_t, 4> units_of(const ClothWorld& world, const ContactConstraint& contact);
// One pass over them when this fraction of the step is done; batches are those of units_of.
void solve_contacts(CpuExecutor& executor, ClothWorld& world, std::span<ContactConstraint> contacts,
                    const ConstraintBatches& batches, double fraction);

}  // namespace graze
