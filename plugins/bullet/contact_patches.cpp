#include "contact_patches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graze::bullet {

namespace {

// The fraction of the slack by which the deepest contact must lie below the extremes to be added,
// and, where it was there in the last step, to stay. Smaller differences are errors of the fields,
// and a flat body that rests on all of its extremes would rock on a point that comes and goes.
constexpr float kClearlyDeeper = 0.35f, kStillDeeper = 0.25f;

// How much farther, squared, a new contact must lie to be chosen instead of one of the last step.
constexpr float kMuchFartherSq = 1.5f;

// How steeply a contact may lie above the deepest one and carry load with it. A solver lets the gap
// at a contact close in this step, but no faster. Ahead of a rolling ball it closes faster, without
// the bodies ever meeting there: with 0.005 a ball loses a twentieth of its speed in 5 s, and all
// of it where height does not count. With 0.001 flat bodies of coarse fields begin to rock. A
// contact half as deep as the deepest one pushes with it, unless it is on the side of a ball.
constexpr float kLevel = 0.002f, kLevelInside = 0.02f;

bool is_level(const Contact& contact, const Contact& deepest, float slack) {
    const float height = contact.distance - deepest.distance;
    const float along = length(contact.position - deepest.position);
    return height <= std::min(slack, kLevel * along) ||
           height <= std::min(deepest.distance * -0.5f, kLevelInside * along);
}

}  // namespace

void PatchFinder::grow(std::span<const Contact> contacts, float cosine, float link_distance) {
    const float link_sq = link_distance * link_distance;
    const Vec3 first_normal = contacts[left_[0]].normal;
    members_.assign(1, left_[0]);
    left_.erase(left_.begin());
    // Most of a patch is near its first contact, so that few contacts are left for the others.
    for (std::size_t next = 0; next < members_.size() && !left_.empty(); ++next) {
        const Vec3 from = contacts[members_[next]].position;
        std::size_t kept = 0;
        for (const std::uint32_t i : left_) {
            if (length_sq(contacts[i].position - from) <= link_sq &&
                dot(contacts[i].normal, first_normal) >= cosine)
                members_.push_back(i);
            else
                left_[kept++] = i;
        }
        left_.resize(kept);
    }
}

// Chooses the contact farthest from the middle, then again and again the one farthest from all
// chosen.
ContactPatch PatchFinder::choose_extremes(std::span<const Contact> contacts,
                                          std::uint32_t tracked_count) const {
    Vec3 sum{0, 0, 0};
    for (const std::uint32_t i : members_)
        sum += contacts[i].position - contacts[members_[0]].position;
    const Vec3 middle =
        contacts[members_[0]].position + sum * (1 / static_cast<float>(members_.size()));
    ContactPatch patch;
    while (patch.point_count < ContactPatch::kMaxPoints) {
        float farthest_sq = patch.point_count == 0 ? -1.0f : 0.0f;
        std::uint32_t farthest = 0;
        for (const std::uint32_t i : members_) {
            float nearest_sq = std::numeric_limits<float>::max();
            if (patch.point_count == 0) nearest_sq = length_sq(contacts[i].position - middle);
            for (int k = 0; k < patch.point_count; ++k) {
                const std::uint32_t chosen = patch.points[static_cast<std::size_t>(k)];
                nearest_sq = std::min(nearest_sq,
                                      length_sq(contacts[i].position - contacts[chosen].position));
            }
            if (i < tracked_count) nearest_sq *= kMuchFartherSq;
            if (nearest_sq > farthest_sq) {
                farthest_sq = nearest_sq;
                farthest = i;
            }
        }
        if (patch.point_count > 0 && !(farthest_sq > 0)) break;  // the others lie where one is
        patch.add(farthest);
    }
    return patch;
}

std::span<const ContactPatch> PatchFinder::find(std::span<const Contact> contacts,
                                                std::uint32_t tracked_count,
                                                const PatchOptions& options, float link_distance,
                                                float slack) {
    left_.clear();
    for (std::uint32_t i = 0; i < contacts.size(); ++i) {
        if (length_sq(contacts[i].normal) > 0) left_.push_back(i);
    }
    std::sort(left_.begin(), left_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const float da = contacts[a].distance, db = contacts[b].distance;
        return da != db ? da < db : a < b;
    });
    patches_.clear();
    const float cosine = std::cos(options.angle);
    for (int grown = 0; grown < options.max_patches && !left_.empty(); ++grown) {
        const std::uint32_t first = left_[0];
        grow(contacts, cosine, link_distance);
        std::erase_if(members_, [&](std::uint32_t i) {
            return !is_level(contacts[i], contacts[first], slack);
        });
        const ContactPatch extremes = choose_extremes(contacts, tracked_count);
        float deepest = std::numeric_limits<float>::max();
        for (int i = 0; i < extremes.point_count; ++i) {
            const std::uint32_t point = extremes.points[static_cast<std::size_t>(i)];
            deepest = std::min(deepest, contacts[point].distance);
        }
        patches_.push_back(extremes);
        const float clearly = first < tracked_count ? kStillDeeper : kClearlyDeeper;
        if (contacts[first].distance < deepest - slack * clearly) {
            patches_.emplace_back();
            patches_.back().add(first);
        }
    }
    left_out_count_ = static_cast<std::int64_t>(left_.size());
    return patches_;
}

}  // namespace graze::bullet
