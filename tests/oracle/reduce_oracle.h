// The contacts of a pair that a reduction keeps, by one rule after the other as they are
// documented.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "graze/detector.h"

namespace graze::oracle {

// Returns the cell of x, which is the n with n cell_size <= x < (n + 1) cell_size. The products are
// exact in long double up to 2^40 cells.
inline long double cell_along(float x, float cell_size) {
    long double n = std::floor(static_cast<long double>(x) / cell_size);
    while (n * cell_size > x)
        --n;
    while ((n + 1) * cell_size <= x)
        ++n;
    return n;
}

inline std::vector<Contact> contacts_at(const std::vector<Contact>& contacts,
                                        const std::set<std::size_t>& indices) {
    std::vector<Contact> result;
    result.reserve(indices.size());
    for (const std::size_t i : indices)
        result.push_back(contacts[i]);
    return result;
}

inline std::vector<Contact> deepest_of_cells(const std::vector<Contact>& contacts,
                                             float cell_size) {
    std::map<std::array<long double, 3>, std::size_t> best;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const Vec3 p = contacts[i].position;
        const auto [cell, is_new] = best.insert(
            {{cell_along(p.x, cell_size), cell_along(p.y, cell_size), cell_along(p.z, cell_size)},
             i});
        if (!is_new && contacts[i].distance < contacts[cell->second].distance) cell->second = i;
    }
    std::set<std::size_t> kept;
    for (const auto& entry : best)
        kept.insert(entry.second);
    return contacts_at(contacts, kept);
}

inline std::vector<Contact> deepest(const std::vector<Contact>& contacts, int count) {
    std::vector<std::size_t> order(contacts.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const float of_a = contacts[a].distance, of_b = contacts[b].distance;
        return of_a < of_b || (of_a == of_b && a < b);
    });
    order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
    return contacts_at(contacts, {order.begin(), order.end()});
}

inline double distance_sq_to_nearest(const Contact& contact, const std::vector<Contact>& chosen) {
    double nearest = INFINITY;
    for (const Contact& other : chosen) {
        const double x = static_cast<double>(contact.position.x) - other.position.x;
        const double y = static_cast<double>(contact.position.y) - other.position.y;
        const double z = static_cast<double>(contact.position.z) - other.position.z;
        nearest = std::min(nearest, x * x + y * y + z * z);
    }
    return nearest;
}

inline std::vector<Contact> manifold(const std::vector<Contact>& contacts, int count, float slack) {
    std::vector<Contact> chosen = deepest(contacts, 1);
    while (!contacts.empty() && chosen.size() < static_cast<std::size_t>(count)) {
        const Contact* farthest = nullptr;
        // Contacts half as deep as the deepest, or nearly as deep, come first.
        for (const bool takes_all : {false, true}) {
            double farthest_sq = 0;
            for (const Contact& contact : contacts) {
                const float deepest_distance = chosen[0].distance;
                const bool is_deep = (deepest_distance >= 0 && slack == 0) ||
                                     contact.distance <= deepest_distance / 2 ||
                                     contact.distance <= deepest_distance + slack;
                const double to_nearest_sq = distance_sq_to_nearest(contact, chosen);
                if ((is_deep || takes_all) && to_nearest_sq > farthest_sq) {
                    farthest = &contact;
                    farthest_sq = to_nearest_sq;
                }
            }
            if (farthest != nullptr) break;
        }
        if (farthest == nullptr) break;  // all others are at the positions of chosen ones
        chosen.push_back(*farthest);
    }
    return chosen;
}

inline std::vector<Contact> reduce(std::vector<Contact> contacts,
                                   const ContactReduction& reduction) {
    if (reduction.cell_size > 0) contacts = deepest_of_cells(contacts, reduction.cell_size);
    if (reduction.deepest_count > 0) contacts = deepest(contacts, reduction.deepest_count);
    if (reduction.manifold_count > 0) {
        contacts = manifold(contacts, reduction.manifold_count, reduction.manifold_slack);
    }
    return contacts;
}

}  // namespace graze::oracle
