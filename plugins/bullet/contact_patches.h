// PatchFinder makes of all contacts of a pair patches of at most four points, which fit Bullet's
// manifolds.
//
// A solver starts from the impulses of the last step. That helps only where a contact is found
// again, so the choice must not depend on small differences: the points of a patch are its
// extremes, those of the last step are preferred, and the deepest is added where it lies deeper
// than all of them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "graze_bullet/graze_dispatcher.h"

namespace graze::bullet {

struct ContactPatch {
    static constexpr int kMaxPoints = 4;             // of a btPersistentManifold
    std::array<std::uint32_t, kMaxPoints> points{};  // indices of contacts
    int point_count = 0;

    void add(std::uint32_t contact) { points[static_cast<std::size_t>(point_count++)] = contact; }
};

class PatchFinder {
public:
    // Grows a patch from the deepest contact that is in none, again and again: it takes contacts
    // within link_distance [m] of one of its own whose normal is like the first one's. Contacts
    // beyond the last patch, and those without a normal, are left out. The points are chosen among
    // contacts level with the deepest, at most slack [m] above it, as others carry no load. The
    // first tracked_count contacts are those of the last step.
    std::span<const ContactPatch> find(std::span<const Contact> contacts,
                                       std::uint32_t tracked_count, const PatchOptions& options,
                                       float link_distance, float slack);

    // Returns how many contacts were beyond the last patch in the last call.
    std::int64_t left_out_count() const { return left_out_count_; }

private:
    // Takes the first of those left, and all that belong to its patch.
    void grow(std::span<const Contact> contacts, float cosine, float link_distance);
    ContactPatch choose_extremes(std::span<const Contact> contacts,
                                 std::uint32_t tracked_count) const;

    // These are kept from call to call, so that a steady step allocates nothing.
    std::vector<std::uint32_t> left_;     // contacts that are in no patch, deepest first
    std::vector<std::uint32_t> members_;  // of the patch that grows
    std::vector<ContactPatch> patches_;
    std::int64_t left_out_count_ = 0;
};

}  // namespace graze::bullet
