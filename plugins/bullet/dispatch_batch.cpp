#include "dispatch_batch.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "closest_points.h"
#include "convert.h"

namespace graze::bullet {

namespace {

using Clock = std::chrono::steady_clock;

// The thread sanitizer cannot see the synchronisation inside libtbb and would report every
// hand-over as a race.
#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif
#else
constexpr bool kThreadSanitizer = false;
#endif

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// [m] The diagonal of the smaller body's box.
float smaller_diagonal(const Body& a, const Body& b) {
    return std::min(length(extent(a.shape.field().bounds())) * a.pose.scale,
                    length(extent(b.shape.field().bounds())) * b.pose.scale);
}

// Bullet's boxes are larger than those of the bodies, so as to last for several steps.
bool boxes_touch(const Body& a, const Body& b, float gap) {
    const Aabb box_a = body_box(a), box_b = body_box(b);
    for (int axis = 0; axis < 3; ++axis) {
        if (!(box_a.min[axis] <= box_b.max[axis] + gap && box_b.min[axis] <= box_a.max[axis] + gap))
            return false;
    }
    return true;
}

}  // namespace

GrazeDispatcher::Batch::Batch(Device device, const DispatcherOptions& wanted)
    : options(wanted),
      detector_(wanted.method, device, wanted.detector),
      arena_(std::min(
          tbb::this_task_arena::max_concurrency(),
          device.threads() > 0 ? device.threads() : tbb::this_task_arena::max_concurrency())),
      shapes_(wanted.field_resolution),
      crossings_(device.is_cuda() ? Device::cpu(device.threads()) : device) {}

void GrazeDispatcher::Batch::begin() {
    entries_.clear();
    is_gathering_ = true;
}

std::uint32_t GrazeDispatcher::Batch::put_body(const PairSide& side, const PosedShape& posed) {
    const Transform pose = to_graze(side.world_from_shape) * posed.body_from_shape;
    const auto [found, is_new] =
        bodies_.try_emplace({side.object, posed.shape.id(), side.child}, scene_.size());
    if (is_new) {
        scene_.add(posed.shape, pose);
        objects.push_back(side.object);
    } else {
        scene_.set_pose(found->second, pose);
    }
    if (options.is_speculative) {
        const btTransform &at_t0 = side.object->getWorldTransform(), &at_t1 = side.object_t1();
        if (!(at_t0 == at_t1)) {
            const Transform pose_t1 =
                to_graze(at_t1 * at_t0.inverse() * side.world_from_shape) * posed.body_from_shape;
            scene_.set_motion(found->second, pose, pose_t1);
        }
    }
    return found->second;
}

void GrazeDispatcher::Batch::add(GrazeAlgorithm& algorithm, PairSide side_0,
                                 const PosedShape& posed_0, PairSide side_1,
                                 const PosedShape& posed_1) {
    side_0.body = put_body(side_0, posed_0);
    side_1.body = put_body(side_1, posed_1);
    entries_.push_back({&algorithm, std::move(side_0), std::move(side_1)});
}

// Bodies that left the world stay in the scene until most of its bodies are of that kind: what no
// pair names costs the detector next to nothing. Several dispatches count, as between those of the
// world there may be some of the few pairs of a ghost.
void GrazeDispatcher::Batch::drop_unused_bodies() {
    recent_entry_count_ = std::max(entries_.size(), recent_entry_count_ - recent_entry_count_ / 8);
    if (scene_.size() < 64 + 4 * recent_entry_count_) return;
    const Scene old = std::exchange(scene_, {});
    bodies_.clear();
    const std::vector<const btCollisionObject*> old_objects = std::exchange(objects, {});
    std::map<std::uint32_t, std::uint32_t> moved;
    for (Entry& entry : entries_) {
        for (PairSide* side : {&entry.side_0, &entry.side_1}) {
            const auto [found, is_new] = moved.try_emplace(side->body, scene_.size());
            if (is_new) {
                const Body& body = old[side->body];
                bodies_.try_emplace({side->object, body.shape.id(), side->child}, scene_.size());
                scene_.add(body);
                objects.push_back(side->object);
            }
            side->body = found->second;
        }
    }
}

void GrazeDispatcher::Batch::forget(GrazeAlgorithm& algorithm) {
    std::erase(in_step_, &algorithm);
    if (is_gathering_)
        std::erase_if(entries_, [&](const Entry& e) { return e.algorithm == &algorithm; });
    if (algorithm.dispatch() != dispatch_) return;  // none of the contacts are of it
    const std::lock_guard lock(ended_mutex_);
    ended_.push_back(algorithm.pair());
}

std::span<const Contact> GrazeDispatcher::Batch::contacts_of_lasting_pairs() {
    const std::lock_guard lock(ended_mutex_);
    if (!ended_.empty()) {
        std::sort(ended_.begin(), ended_.end());
        std::erase_if(contacts, [&](const Contact& contact) {
            return std::binary_search(ended_.begin(), ended_.end(),
                                      BodyPair{contact.body_a, contact.body_b});
        });
        ended_.clear();
    }
    return contacts;
}

void GrazeDispatcher::Batch::finish() {
    is_gathering_ = false;
    ended_.clear();
    if (!continues_step()) {
        ++dispatch_;
        drop_unused_bodies();
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.pair() < b.pair(); });
    pairs_.clear();
    pairs_.reserve(entries_.size());
    for (const Entry& entry : entries_) {
        const BodyPair pair = entry.pair();
        // Boxes are of the start of the step, which says nothing of its end.
        if (options.is_speculative ||
            boxes_touch(scene_[pair.body_a], scene_[pair.body_b], options.detector.gap))
            pairs_.push_back(pair);
    }
    const auto begin = Clock::now();
    const std::span<const Contact> found = detector_.detect(scene_, pairs_);
    const double detect = seconds_since(begin);
    report = detector_.report();
    assign(found);
    if (options.is_speculative)
        look();
    else
        give_back();
    const double manifolds = seconds_since(begin) - detect;
    // A SpeculativeWorld looks several times in a step, and begins the sums.
    times.detect = (bounces ? times.detect : 0) + detect;
    times.manifolds = (bounces ? times.manifolds : 0) + manifolds;
}

void GrazeDispatcher::Batch::assign(std::span<const Contact> found) {
    std::size_t begin = 0;
    for (Entry& entry : entries_) {
        const BodyPair pair = entry.pair();
        entry.algorithm->set_pair(pair, dispatch_);
        std::size_t end = begin;
        while (end < found.size() && found[end].body_a == pair.body_a &&
               found[end].body_b == pair.body_b)
            ++end;
        entry.found = found.subspan(begin, end - begin);
        begin = end;
    }
}

void GrazeDispatcher::Batch::choose_patches(const Entry& entry, PairPatches& chosen) const {
    chosen.contacts.clear();
    // No point is that near where none is to be tracked.
    const float tracked_gap =
        options.tracks_points ? options.detector.gap : -std::numeric_limits<float>::infinity();
    entry.algorithm->track(entry.side_0, entry.side_1, tracked_gap, entry.is_flipped(),
                           chosen.contacts);
    const auto tracked_count = static_cast<std::uint32_t>(chosen.contacts.size());
    chosen.contacts.insert(chosen.contacts.end(), entry.found.begin(), entry.found.end());
    const BodyPair pair = entry.pair();
    const float size = smaller_diagonal(scene_[pair.body_a], scene_[pair.body_b]);
    const auto patches =
        chosen.finder.find(chosen.contacts, tracked_count, options.patches,
                           options.patches.link_distance * size, options.detector.gap / 4);
    chosen.patches.assign(patches.begin(), patches.end());
    for (const ContactPatch& patch : chosen.patches) {
        for (int k = 0; k < patch.point_count; ++k) {
            const std::uint32_t i = patch.points[static_cast<std::size_t>(k)];
            Contact& contact = chosen.contacts[i];
            const bool is_of_fields = contact.feature_a.kind == FeatureKind::none &&
                                      contact.feature_b.kind == FeatureKind::none;
            if (i >= tracked_count && is_of_fields)
                entry.algorithm->centre_impact(entry.side_0, entry.side_1, entry.is_flipped(),
                                               contact);
        }
    }
}

void GrazeDispatcher::Batch::give_back() {
    if (chosen_.size() < entries_.size()) chosen_.resize(entries_.size());
    // Pairs are worked on at once; Bullet's manifolds are then changed by one thread, in order.
    const auto choose = [&](std::size_t i) { choose_patches(entries_[i], chosen_[i]); };
    if constexpr (kThreadSanitizer) {
        for (std::size_t i = 0; i < entries_.size(); ++i)
            choose(i);
    } else {
        arena_.execute([&] { tbb::parallel_for(std::size_t{0}, entries_.size(), choose); });
    }
    contacts.clear();
    left_out_count = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const PairPatches& chosen = chosen_[i];
        entry.algorithm->update(entry.side_0, entry.side_1, chosen.contacts, chosen.patches,
                                entry.is_flipped());
        left_out_count += chosen.finder.left_out_count();
        for (const ContactPatch& patch : chosen.patches) {
            for (int k = 0; k < patch.point_count; ++k)
                contacts.push_back(chosen.contacts[patch.points[static_cast<std::size_t>(k)]]);
        }
    }
}

void GrazeDispatcher::Batch::begin_step() {
    has_looked_ = false;
    bounces = true;
}

// In a world that does not say when a step begins, each dispatch is a step.
void GrazeDispatcher::Batch::look() {
    if (!continues_step()) {
        in_step_.clear();
        ++step_;
    }
    first_crossing = 2;
    for (const Entry& entry : entries_) {
        const BodyPair pair = entry.pair();
        const auto motion = [&](std::uint32_t index) {
            const Body& body = scene_[index];
            return StepMotion(body.pose, body.pose_t1.value_or(body.pose));
        };
        const StepMotion motion_a = motion(pair.body_a), motion_b = motion(pair.body_b);
        GrazeAlgorithm& algorithm = *entry.algorithm;
        if (algorithm.step() != step_) {
            algorithm.set_step(step_);
            in_step_.push_back(&algorithm);
            algorithm.look_first(entry.side_0, entry.side_1, entry.found, motion_a, motion_b,
                                 entry.is_flipped());
        }
        if (!continues_step()) continue;
        const auto crossings = crossings_.find(entry.found, scene_[pair.body_a].shape, motion_a,
                                               scene_[pair.body_b].shape, motion_b,
                                               options.detector.gap, static_cast<float>(slop()));
        for (const Crossing& crossing : crossings)
            first_crossing = std::min(first_crossing, crossing.time);
        algorithm.look_again(entry.side_0, entry.side_1, entry.found, crossings, motion_a, motion_b,
                             entry.is_flipped());
    }
    has_looked_ = true;
    collect_contacts();
}

btScalar GrazeDispatcher::Batch::add_broken(btScalar time) {
    btScalar worst = 0;
    for (GrazeAlgorithm* algorithm : in_step_)
        worst = std::max(worst, algorithm->add_broken(time));
    return worst;
}

bool GrazeDispatcher::Batch::refine(btScalar time) {
    btScalar off = 0;
    for (const Entry& entry : entries_) {
        const BodyPair pair = entry.pair();
        const Body &a = scene_[pair.body_a], &b = scene_[pair.body_b];
        off = std::max(off,
                       entry.algorithm->refine(time, a.shape, a.pose_t1.value_or(a.pose), b.shape,
                                               b.pose_t1.value_or(b.pose), entry.is_flipped()));
    }
    if (!(off > slop() / 8)) return false;
    for (const Entry& entry : entries_)
        entry.algorithm->take_refined();
    return true;
}

void GrazeDispatcher::Batch::remember_approach() {
    for (GrazeAlgorithm* algorithm : in_step_)
        algorithm->remember_approach();
}

void GrazeDispatcher::Batch::bounce(btScalar time, btScalar part, btScalar least_speed,
                                    btScalar most_spin) {
    // Bodies that hit several others at once need a few rounds to agree.
    constexpr int kRounds = 8;
    for (GrazeAlgorithm* algorithm : in_step_)
        algorithm->find_bounces(time, part, least_speed);
    for (int round = 0; round < kRounds; ++round) {
        for (GrazeAlgorithm* algorithm : in_step_)
            algorithm->bounce(most_spin);
    }
}

void GrazeDispatcher::Batch::limit_spin(btScalar most) {
    for (GrazeAlgorithm* algorithm : in_step_)
        algorithm->limit_spin(most);
}

void GrazeDispatcher::Batch::collect_contacts() {
    contacts.clear();
    left_out_count = 0;
    for (const GrazeAlgorithm* algorithm : in_step_) {
        left_out_count += algorithm->left_out_count();
        for (const std::uint32_t i : algorithm->speculative().active())
            contacts.push_back(algorithm->speculative().points()[i].contact);
    }
}

std::span<const Contact> GrazeDispatcher::Batch::query(const PairSide& side_0,
                                                       const PosedShape& posed_0,
                                                       const PairSide& side_1,
                                                       const PosedShape& posed_1, float gap) {
    Detector& detector = query_detector(gap);
    const Transform pose_0 = to_graze(side_0.world_from_shape) * posed_0.body_from_shape;
    const Transform pose_1 = to_graze(side_1.world_from_shape) * posed_1.body_from_shape;
    Scene pair;
    pair.add(posed_0.shape, pose_0);
    pair.add(posed_1.shape, pose_1);
    const auto found = detector.detect(pair);
    query_contacts_.assign(found.begin(), found.end());
    // The other methods go by meshes, which are where they are.
    if (options.method == Method::particles || options.method == Method::sweep) {
        const WorldShape a(posed_0.shape, pose_0), b(posed_1.shape, pose_1);
        std::erase_if(query_contacts_, [&](Contact& contact) {
            return contact.distance > options.detector.gap && !move_to_surfaces(contact, a, b);
        });
    }
    std::erase_if(query_contacts_, [&](const Contact& contact) { return contact.distance > gap; });
    return query_contacts_;
}

// A detector's gap is fixed when it is built, and who looks for the nearest of many bodies asks at
// another distance each time. So there is a detector for each power of 2, and the contacts beyond
// the gap are left out.
Detector& GrazeDispatcher::Batch::query_detector(float gap) {
    DetectorOptions wanted = options.detector;
    wanted.gap = gap;
    if (gap > 0 && std::isfinite(gap) && gap != options.detector.gap)
        wanted.gap = std::exp2(std::ceil(std::log2(gap)));
    const auto found = query_detectors_.find(wanted.gap);
    if (found != query_detectors_.end()) return found->second;
    return query_detectors_.emplace(wanted.gap, Detector(options.method, Device::cpu(), wanted))
        .first->second;
}

}  // namespace graze::bullet
