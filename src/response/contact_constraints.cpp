#include "response/contact_constraints.h"

#include <algorithm>

#include "response/contact_side.h"

namespace graze {

namespace {

// Features of one cloth that are near each other at rest are not pushed apart: stretching holds
// them, and contacts do so only from this fraction of their distance at rest on.
constexpr double kRestFraction = 0.5;

// [m] From the second point of a contact to the first.
Vec3d offset_of(const std::vector<Vec3>& positions, const ContactConstraint& contact) {
    Vec3d offset{0, 0, 0};
    for (int i = 0; i < 4; ++i)
        offset += static_cast<Vec3d>(positions[contact.vertices[i]]) * contact.weights[i];
    return offset;
}

template <class Found>
ContactConstraint constraint_from(const ClothWorld& world, const Found& found, double gap) {
    ContactConstraint contact{};
    contact.first_count = found.is_vertex_face() ? 1 : 2;
    for (int i = 0; i < 4; ++i) {
        contact.vertices[i] = found.vertices[i];
        contact.weights[i] =
            i < contact.first_count ? double{found.weights[i]} : -double{found.weights[i]};
    }
    contact.normal = static_cast<Vec3d>(found.normal);
    const std::uint32_t a = found.vertices[0], b = found.vertices[3];
    contact.friction = std::sqrt(double{world.frictions[a]} * double{world.frictions[b]});
    contact.gap = gap;
    const bool is_self = world.bodies[a] == world.bodies[b];
    contact.restitution = is_self ? 0 : std::sqrt(world.restitutions[a] * world.restitutions[b]);
    if (is_self)
        contact.gap = std::min(gap, kRestFraction * length(offset_of(world.rest, contact)));
    contact.start_gap =
        std::min(contact.gap, dot(contact.normal, offset_of(world.positions, contact)));
    return contact;
}

// Impulses [kg m] on a contact's points, weighted, add up to none. So what the script's points do
// against theirs is done on the others.
double script_work(const ClothWorld& world, const ContactConstraint& contact,
                   const Vec3d& impulse) {
    double work = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t v = contact.vertices[i];
        if (world.units[v] == kScriptUnit)
            work -= dot(impulse, world.next[v] - world.from[v]) * contact.weights[i];
    }
    return work;
}

// Moves the two points apart by this much along the direction.
void push_apart(ClothWorld& world, ContactConstraint& contact, const Vec3d& direction,
                double amount) {
    const ContactSide first(world, contact, 0, contact.first_count);
    const ContactSide second(world, contact, contact.first_count, 4);
    const double inverse_mass = first.inverse_mass(world, contact, direction) +
                                second.inverse_mass(world, contact, direction);
    if (!(inverse_mass > 0)) return;
    const Vec3d impulse = direction * (amount / inverse_mass);
    first.push(world, contact, impulse);
    second.push(world, contact, impulse);
    contact.script_work += script_work(world, contact, impulse);
}

void solve_contact(ClothWorld& world, ContactConstraint& contact, double fraction) {
    Vec3d offset{0, 0, 0};  // [m] from the second point to the first
    for (int i = 0; i < 4; ++i)
        offset += world.next_position(contact.vertices[i]) * contact.weights[i];
    const double gap = contact.start_gap + (contact.gap - contact.start_gap) * fraction;
    const double depth = gap - dot(contact.normal, offset);
    if (!(depth > 0)) return;
    push_apart(world, contact, contact.normal, depth);
    // How far the points slid; friction takes back as much as the push allows.
    Vec3d slip = offset;
    for (int i = 0; i < 4; ++i)
        slip -= world.from_position(contact.vertices[i]) * contact.weights[i];
    slip -= contact.normal * dot(contact.normal, slip);
    const double slid = length(slip), most = contact.friction * depth;
    if (slid > 0 && most > 0) push_apart(world, contact, slip * (-1 / slid), std::min(slid, most));
}

struct SolveContact {
    ClothWorld* world;
    ContactConstraint* contacts;
    double fraction;
    void operator()(std::int64_t i) const { solve_contact(*world, contacts[i], fraction); }
};

}  // namespace

ContactConstraint make_contact_constraint(const ClothWorld& world, const Proximity& proximity,
                                          double thickness, double step_fraction) {
    const double distance{static_cast<float>(proximity.distance)};
    const double gap = std::min(thickness, distance + kGrowth * step_fraction * thickness);
    return constraint_from(world, proximity, gap);
}

ContactConstraint make_contact_constraint(const ClothWorld& world, const Impact& impact,
                                          double thickness) {
    return constraint_from(world, impact, kGrowth * thickness);
}

std::array<std::uint32_t, 4> units_of(const ClothWorld& world, const ContactConstraint& contact) {
    std::array<std::uint32_t, 4> units{};
    for (std::size_t i = 0; i < 4; ++i)
        units[i] = world.units[contact.vertices[i]];
    return units;
}

void solve_contacts(CpuExecutor& executor, ClothWorld& world, std::span<ContactConstraint> contacts,
                    const ConstraintBatches& batches, double fraction) {
    solve_batches(executor, "solve contacts", batches,
                  SolveContact{&world, contacts.data(), fraction});
}

}  // namespace graze
