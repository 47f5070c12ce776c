// ContactSide: one of the two features of a contact, as a mass that can be pushed.
#pragma once

#include "response/contact_constraints.h"

namespace graze {

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
    // [1/kg] of the point, along a unit direction.
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
    // Moves the side; the impulse [kg m] is that of the first side, the second's is opposite.
    void push(ClothWorld& world, const ContactConstraint& contact, const Vec3d& impulse) const {
        if (!body) {
            push_cloth(world.next, world, contact, impulse);
            return;
        }
        const Vec3d own = begin == 0 ? impulse : -impulse;
        body->next_centre += own * body->inverse_mass;
        const Vec3d angle = turn(cross(arm, own)) * 0.5;
        const Quatd &q = body->next_rotation, change = Quatd{0, angle.x, angle.y, angle.z} * q;
        body->next_rotation =
            normalized(Quatd{q.w + change.w, q.x + change.x, q.y + change.y, q.z + change.z});
    }
    // Changes the side's velocities likewise, by an impulse [kg m/s].
    void speed_up(ClothWorld& world, const ContactConstraint& contact, const Vec3d& impulse) const {
        if (!body) {
            push_cloth(world.velocities, world, contact, impulse);
            return;
        }
        const Vec3d own = begin == 0 ? impulse : -impulse;
        body->velocity += own * body->inverse_mass;
        body->angular_velocity += turn(cross(arm, own));
    }

private:
    void push_cloth(std::vector<Vec3d>& values, const ClothWorld& world,
                    const ContactConstraint& contact, const Vec3d& impulse) const {
        for (int i = begin; i < end; ++i) {
            const std::uint32_t vertex = contact.vertices[i];
            const double inverse_mass = world.inverse_masses[vertex];
            // What nothing moves may be in several contacts of a batch: it is not written.
            if (inverse_mass > 0) values[vertex] += impulse * (contact.weights[i] * inverse_mass);
        }
    }
};

}  // namespace graze
