#include "response/contact_constraints.h"

#include <algorithm>

namespace graze {

namespace {

// Parts of one cloth that are near by nature are not pushed apart; stretching keeps them in place,
// and contacts only when they come to this part of the distance that they have at rest.
constexpr double kRestPart = 0.5;

// Of the points at rest.
double rest_distance(const ClothWorld& world, const ContactConstraint& contact) {
    Vec3d way{0, 0, 0};
    for (int i = 0; i < 4; ++i)
        way += static_cast<Vec3d>(world.rest[contact.vertices[i]]) * contact.weights[i];
    return length(way);
}

template <class Found>
ContactConstraint contact_of(const ClothWorld& world, const Found& found, double gap) {
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
    if (world.bodies[a] == world.bodies[b])
        contact.gap = std::min(gap, kRestPart * rest_distance(world, contact));
    return contact;
}

// One of the two features, as a mass that can be pushed.
struct ContactSide {
    int begin, end;      // of the contact's vertices
    RigidBody* body;     // null where it is cloth or goes by the script
    Vec3d arm{0, 0, 0};  // [m] from the body's centre of mass to the point

    ContactSide(ClothWorld& world, const ContactConstraint& contact, int first, int last)
        : begin(first), end(last), body(nullptr) {
        const std::uint32_t vertex = contact.vertices[first];
        if (!world.is_rigid(vertex)) return;
        body = &world.body_of(vertex);
        for (int i = begin; i < end; ++i) {
            const auto& local = body->local[contact.vertices[i] - body->first_vertex];
            arm += local * std::fabs(contact.weights[i]);
        }
        arm = rotate(body->next_rotation, arm);
    }

    // [rad/(N m)] times a moment.
    Vec3d turn(const Vec3d& moment) const {
        const Quatd& q = body->next_rotation;
        return rotate(q, body->inverse_inertia * rotate(conjugate(q), moment));
    }
    double inverse_mass(const ClothWorld& world, const ContactConstraint& contact,
                        const Vec3d& direction) const {
        if (body) {
            const Vec3d moment = cross(arm, direction);
            return body->inverse_mass + dot(moment, turn(moment));
        }
        double sum = 0;
        for (int i = begin; i < end; ++i) {
            sum +=
                contact.weights[i] * contact.weights[i] * world.inverse_masses[contact.vertices[i]];
        }
        return sum;
    }
    void push(ClothWorld& world, const ContactConstraint& contact, const Vec3d& impulse) const {
        if (!body) {
            for (int i = begin; i < end; ++i) {
                const std::uint32_t vertex = contact.vertices[i];
                const double inverse_mass = world.inverse_masses[vertex];
                // What nothing moves may be in several contacts of a batch: it is not written.
                if (inverse_mass > 0)
                    world.next[vertex] += impulse * (contact.weights[i] * inverse_mass);
            }
            return;
        }
        const Vec3d own = begin == 0 ? impulse : -impulse;
        body->next_centre += own * body->inverse_mass;
        const Vec3d angle = turn(cross(arm, own)) * 0.5;
        const Quatd &q = body->next_rotation, change = Quatd{0, angle.x, angle.y, angle.z} * q;
        body->next_rotation =
            normalized(Quatd{q.w + change.w, q.x + change.x, q.y + change.y, q.z + change.z});
    }
};

// Moves the two points apart by this much along the direction.
void push_apart(ClothWorld& world, const ContactConstraint& contact, const Vec3d& direction,
                double amount) {
    const ContactSide first(world, contact, 0, contact.first_count);
    const ContactSide second(world, contact, contact.first_count, 4);
    const double inverse_mass = first.inverse_mass(world, contact, direction) +
                                second.inverse_mass(world, contact, direction);
    if (!(inverse_mass > 0)) return;
    const Vec3d impulse = direction * (amount / inverse_mass);
    first.push(world, contact, impulse);
    second.push(world, contact, impulse);
}

void solve_contact(ClothWorld& world, const ContactConstraint& contact) {
    Vec3d way{0, 0, 0}, way_before{0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t vertex = contact.vertices[i];
        way += world.next_place(vertex) * contact.weights[i];
        way_before += static_cast<Vec3d>(world.positions[vertex]) * contact.weights[i];
    }
    const double depth = contact.gap - dot(contact.normal, way);
    if (!(depth > 0)) return;
    push_apart(world, contact, contact.normal, depth);
    // How far the points slid in this step; friction takes back as much as the push allows.
    Vec3d slip = way - way_before;
    slip -= contact.normal * dot(contact.normal, slip);
    const double slid = length(slip), most = contact.friction * depth;
    if (slid > 0 && most > 0) push_apart(world, contact, slip * (-1 / slid), std::min(slid, most));
}

struct SolveContact {
    ClothWorld* world;
    const ContactConstraint* contacts;
    void operator()(std::int64_t i) const { solve_contact(*world, contacts[i]); }
};

}  // namespace

ContactConstraint make_contact(const ClothWorld& world, const Proximity& proximity,
                               double thickness) {
    const double gap = std::min(thickness, double{proximity.distance} + kGrowth * thickness);
    return contact_of(world, proximity, gap);
}

ContactConstraint make_contact(const ClothWorld& world, const Impact& impact, double thickness) {
    return contact_of(world, impact, kGrowth * thickness);
}

std::array<std::uint32_t, 4> units_of(const ClothWorld& world, const ContactConstraint& contact) {
    std::array<std::uint32_t, 4> units{};
    for (std::size_t i = 0; i < 4; ++i)
        units[i] = world.units[contact.vertices[i]];
    return units;
}

void solve_contacts(CpuExecutor& executor, ClothWorld& world,
                    std::span<const ContactConstraint> contacts, const ConstraintBatches& batches) {
    solve_batches(executor, "solve contacts", batches, SolveContact{&world, contacts.data()});
}

}  // namespace graze
