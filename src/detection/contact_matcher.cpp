#include "graze/contact_matcher.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "contacts/match_points.h"
#include "geometry/rigid_motion.h"
#include "geometry/topology.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"
#include "parallel/thread_lists.h"

namespace graze {

static_assert(kNewContact == kNoIndex);

namespace contact_matcher_detail {

constexpr float kPartOfSize = 1.0f / 50;

// The points of two bodies, in the list of a step.
struct PairRun {
    BodyPair pair;
    std::uint32_t begin, end;
    std::uint32_t last_run;  // the same pair's in the last step; kNoIndex where there is none
    float reach;             // [m]
};

struct StepPoints {
    std::vector<MatchPoint> points;      // by pair
    std::vector<std::uint32_t> indices;  // of their contacts
    std::vector<PairRun> runs;           // ascending by pair
    std::vector<std::uint64_t> ids;      // by contact
    std::vector<BodyPair> pairs;         // by contact

    std::span<const MatchPoint> points_of(const PairRun& run) const {
        return std::span(points).subspan(run.begin, run.end - run.begin);
    }
};

// [m] The longest side of a body; infinite where it has no end.
float size_of(const Body& body) {
    const Vec3 sides = extent(body.shape.bounds());
    return std::max({sides.x, sides.y, sides.z}) * body.pose.scale;
}

// Where a body sees a point of the world at that time, in metres: its scale is left out.
Vec3 seen_from(const Body& body, const Vec3& position, float time) {
    const Transform pose = body.pose_t1 ? pose_at(body.pose, *body.pose_t1, time) : body.pose;
    return rotate(conjugate(normalized(pose.rotation)), position - pose.translation);
}

std::uint64_t features_of(const Contact& contact) {
    if (contact.feature_a.kind == FeatureKind::none || contact.feature_b.kind == FeatureKind::none)
        return 0;
    const auto bits = [](const Feature& feature) {
        return static_cast<std::uint64_t>(feature.kind) << 30 | feature.index;
    };
    return bits(contact.feature_a) << 32 | bits(contact.feature_b);
}

BodyPair pair_of(const Contact& contact) {
    return {contact.body_a, contact.body_b};
}

void require_contact(const Contact& contact, std::size_t index, std::uint32_t body_count) {
    const auto name = [&] { return "contact matcher: contact " + std::to_string(index); };
    if (contact.body_a >= body_count || contact.body_b >= body_count) {
        throw Error(name() + " is between bodies " + std::to_string(contact.body_a) + " and " +
                    std::to_string(contact.body_b) + ", and the scene has " +
                    std::to_string(body_count) + "; give the scene that it was found in");
    }
    if (!is_finite(contact.position) || !(contact.time >= 0 && contact.time <= 1)) {
        throw Error(name() + " has a position that is not finite or a time outside 0 to 1; give " +
                    "contacts as a detector returns them");
    }
}

}  // namespace contact_matcher_detail

using namespace contact_matcher_detail;

class ContactMatcher::Steps {
public:
    Steps(float reach, int thread_count) : executor_(thread_count), reach_(reach) {}

    // scene: null where positions are compared in the world.
    const ContactMatches& match(const Scene* scene, std::span<const Contact> contacts) {
        for (std::size_t i = 0; i < contacts.size(); ++i)
            require_contact(contacts[i], i, scene ? scene->size() : kNoIndex);
        if (contacts.size() >= kNoIndex)
            throw Error("contact matcher: 2^32 contacts or more; reduce them (ContactReduction)");
        std::swap(now_, last_);
        place(scene, contacts);
        find_runs(scene, contacts);
        match_runs();
        number(contacts.size());
        forgotten_.clear();
        forgets_all_ = false;
        return matches_;
    }

    void forget(std::uint32_t body) { forgotten_.push_back(body); }
    void forget_all() { forgets_all_ = true; }

private:
    // The contacts' order by pair, and where they are on their bodies.
    void place(const Scene* scene, std::span<const Contact> contacts) {
        const auto count = static_cast<std::int64_t>(contacts.size());
        now_.indices.resize(contacts.size());
        now_.pairs.resize(contacts.size());
        for (std::uint32_t i = 0; i < contacts.size(); ++i) {
            now_.indices[i] = i;
            now_.pairs[i] = pair_of(contacts[i]);
        }
        if (!std::is_sorted(now_.pairs.begin(), now_.pairs.end())) {
            std::sort(now_.indices.begin(), now_.indices.end(),
                      [&](std::uint32_t i, std::uint32_t j) {
                          return std::pair(now_.pairs[i], i) < std::pair(now_.pairs[j], j);
                      });
        }
        now_.points.resize(contacts.size());
        executor_.for_each("contacts: place", count, [&](std::int64_t i) {
            const Contact& contact = contacts[now_.indices[static_cast<std::size_t>(i)]];
            const auto on = [&](std::uint32_t body) {
                if (!scene) return contact.position;
                return seen_from((*scene)[body], contact.position, contact.time);
            };
            now_.points[static_cast<std::size_t>(i)] = {features_of(contact), on(contact.body_a),
                                                        on(contact.body_b)};
        });
    }

    void find_runs(const Scene* scene, std::span<const Contact> contacts) {
        now_.runs.clear();
        begun_pairs_.clear();
        ended_pairs_.clear();
        std::sort(forgotten_.begin(), forgotten_.end());
        auto last = last_.runs.begin();
        const auto skip_ended = [&](auto is_before) {
            for (; last != last_.runs.end() && is_before(*last); ++last)
                ended_pairs_.push_back(last->pair);
        };
        for (std::uint32_t i = 0; i < contacts.size();) {
            const BodyPair pair = now_.pairs[now_.indices[i]];
            PairRun run{pair, i, i, kNoIndex, scene ? reach_of(*scene, pair) : reach_};
            while (run.end < contacts.size() && now_.pairs[now_.indices[run.end]] == pair)
                ++run.end;
            skip_ended([&](const PairRun& ended) { return ended.pair < pair; });
            if (last != last_.runs.end() && last->pair == pair && !is_forgotten(pair)) {
                run.last_run = static_cast<std::uint32_t>(last - last_.runs.begin());
                ++last;
            } else {
                begun_pairs_.push_back(pair);
            }
            now_.runs.push_back(run);
            i = run.end;
        }
        skip_ended([](const PairRun&) { return true; });
    }

    float reach_of(const Scene& scene, BodyPair pair) const {
        if (reach_ > 0) return reach_;
        const float size = std::min(size_of(scene[pair.body_a]), size_of(scene[pair.body_b]));
        return std::isfinite(size) ? kPartOfSize * size : 0;
    }
    bool is_forgotten(BodyPair pair) const {
        const auto holds = [&](std::uint32_t body) {
            return std::binary_search(forgotten_.begin(), forgotten_.end(), body);
        };
        return forgets_all_ || holds(pair.body_a) || holds(pair.body_b);
    }

    void match_runs() {
        last_of_.assign(now_.points.size(), kNoIndex);
        constexpr std::int64_t kGrain = 16;  // pairs
        executor_.for_each_range(
            static_cast<std::int64_t>(now_.runs.size()), kGrain,
            [&](std::int64_t begin, std::int64_t end) {
                PointMatcher& matcher = matchers_.take();
                for (std::int64_t i = begin; i < end; ++i) {
                    const PairRun& run = now_.runs[static_cast<std::size_t>(i)];
                    if (run.last_run == kNoIndex) continue;
                    matcher.match(last_.points_of(last_.runs[run.last_run]), now_.points_of(run),
                                  run.reach, last_of_.data() + run.begin);
                }
                matchers_.give_back(matcher);
            });
    }

    // Ids of this step, and what has begun and ended.
    void number(std::size_t count) {
        last_indices_.assign(count, kNewContact);
        goes_on_.assign(last_.ids.size(), 0);
        for (const PairRun& run : now_.runs) {
            for (std::uint32_t i = run.begin; i < run.end; ++i) {
                if (last_of_[i] == kNoIndex) continue;
                const std::uint32_t in_last = last_.runs[run.last_run].begin + last_of_[i];
                last_indices_[now_.indices[i]] = last_.indices[in_last];
                goes_on_[last_.indices[in_last]] = 1;
            }
        }
        now_.ids.resize(count);
        begun_.clear();
        for (std::uint32_t i = 0; i < count; ++i) {
            const bool is_new = last_indices_[i] == kNewContact;
            now_.ids[i] = is_new ? ++last_id_ : last_.ids[last_indices_[i]];
            if (is_new) begun_.push_back(i);
        }
        ended_.clear();
        for (std::uint32_t i = 0; i < last_.ids.size(); ++i) {
            if (!goes_on_[i])
                ended_.push_back({last_.ids[i], last_.pairs[i].body_a, last_.pairs[i].body_b, i});
        }
        matches_ = {now_.ids, last_indices_, begun_, ended_, begun_pairs_, ended_pairs_};
    }

    CpuExecutor executor_;
    float reach_;
    StepPoints now_, last_;
    ThreadLists<PointMatcher> matchers_;
    std::vector<std::uint32_t> forgotten_;  // bodies
    bool forgets_all_ = false;
    std::vector<std::uint32_t> last_of_;  // by point: in the last step's run
    std::vector<std::uint32_t> last_indices_, begun_;
    std::vector<std::uint8_t> goes_on_;  // by contact of the last step
    std::vector<EndedContact> ended_;
    std::vector<BodyPair> begun_pairs_, ended_pairs_;
    std::uint64_t last_id_ = 0;
    ContactMatches matches_;
};

ContactMatcher::ContactMatcher(float reach, const Device& device) {
    if (!(reach >= 0 && std::isfinite(reach))) {
        throw Error("contact matcher: reach is " + std::to_string(reach) +
                    "; give a finite number of metres, 0 or more");
    }
    steps_ = std::make_unique<Steps>(reach, device.threads());
}
ContactMatcher::~ContactMatcher() = default;
ContactMatcher::ContactMatcher(ContactMatcher&&) noexcept = default;
ContactMatcher& ContactMatcher::operator=(ContactMatcher&&) noexcept = default;

const ContactMatches& ContactMatcher::match(const Scene& scene, std::span<const Contact> contacts) {
    return steps_->match(&scene, contacts);
}
const ContactMatches& ContactMatcher::match(std::span<const Contact> contacts) {
    return steps_->match(nullptr, contacts);
}
void ContactMatcher::forget(std::uint32_t body) {
    steps_->forget(body);
}
void ContactMatcher::forget_all() {
    steps_->forget_all();
}

}  // namespace graze
