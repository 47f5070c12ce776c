#include "page_recording.h"

#include <algorithm>
#include <cmath>

#include "graze/error.h"

namespace graze::app {

namespace {

// With these a page of 1,000 bodies that never come to rest, 600 frames long, stays below 3 MB.
constexpr std::uintmax_t kRoundedBytes = 2'200'000;
constexpr std::int64_t kContactBudget = 36'000;  // of all frames; each takes some nine bytes
constexpr std::int64_t kFewestContacts = 24;     // of a frame
constexpr int kFinestBits = 16, kCoarsestBits = 13;
constexpr float kFarAway = 1e9f;  // [m] nothing is near it

// The power of two of which at most 2^bits steps span the length [m].
float step_of(float length, int bits) {
    return std::exp2(std::ceil(std::log2(std::max(length, 1e-9f))) - static_cast<float>(bits));
}

struct Steps {
    float length, turn, vertices;  // as in PageRounding
};

// Rotations are rounded as places are, at the most to what still counts as a rotation.
Steps steps_of(const Aabb& box, int bits) {
    const Vec3 size = box.is_empty() ? Vec3{0, 0, 0} : extent(box);
    const float longest = std::max({size.x, size.y, size.z});
    return {step_of(longest, bits), std::exp2(static_cast<float>(4 - bits)),
            step_of(longest, kFinestBits)};
}

// Goes on as it went, or stays, where that is near enough; else it is rounded. What moves evenly
// and what trembles then takes next to nothing in a recording, which keeps differences from a
// straight line.
float settle(float value, float last, float before, float step) {
    const float straight_on = 2 * last - before;
    if (std::fabs(value - straight_on) < step) return straight_on;
    if (std::fabs(value - last) < step) return last;
    return std::round(value / step) * step;
}
Vec3 settle(const Vec3& value, const Vec3& last, const Vec3& before, float step) {
    return {settle(value.x, last.x, before.x, step), settle(value.y, last.y, before.y, step),
            settle(value.z, last.z, before.z, step)};
}
Transform settle(Transform pose, const Transform& last, const Transform& before,
                 const Steps& steps) {
    Quat q = pose.rotation;
    const Quat &l = last.rotation, &b = before.rotation;
    // Of the two quaternions of a rotation the one that is nearer to the last.
    if (q.w * l.w + q.x * l.x + q.y * l.y + q.z * l.z < 0) q = {-q.w, -q.x, -q.y, -q.z};
    pose.translation = settle(pose.translation, last.translation, before.translation, steps.length);
    pose.rotation = {settle(q.w, l.w, b.w, steps.turn), settle(q.x, l.x, b.x, steps.turn),
                     settle(q.y, l.y, b.y, steps.turn), settle(q.z, l.z, b.z, steps.turn)};
    return pose;
}

// What is known of a run before it is rounded.
struct RunExtent {
    Aabb box = Aabb::empty();  // [m] of what moves
    std::vector<std::int64_t> contact_counts;
};

RunExtent extent_of(const Recording& recording, const Progress& progress) {
    RunExtent run;
    const std::int64_t count = recording.frame_count();
    for (std::int64_t i = 0; i < count; ++i) {
        const RecordingFrame frame = recording.frame(i);
        for (std::size_t body = 0; body < frame.states.size(); ++body)
            if (recording.setup().bodies[body].motion != BodyMotion::fixed)
                run.box = merge(run.box, frame.states[body].pose.translation);
        for (const Vec3& position : frame.positions)
            run.box = merge(run.box, position);
        run.contact_counts.push_back(static_cast<std::int64_t>(frame.contacts.size()));
        if (progress && !progress(0.3 * static_cast<double>(i + 1) / static_cast<double>(count)))
            throw Error("interrupted");
    }
    return run;
}

// Keeps the deepest, in their order.
void keep_deepest(std::vector<Contact>& contacts, std::size_t count) {
    if (contacts.size() <= count) return;
    std::vector<float> distances;
    distances.reserve(contacts.size());
    for (const Contact& contact : contacts)
        distances.push_back(contact.distance);
    const auto last = distances.begin() + static_cast<std::ptrdiff_t>(count) - 1;
    std::nth_element(distances.begin(), last, distances.end());
    std::size_t kept = 0;
    std::erase_if(contacts, [&](const Contact& contact) {
        return contact.distance > *last || kept++ >= count;
    });
}

// The last two frames, as they were rounded.
struct Rounder {
    const RecordingSetup& setup;
    Steps steps;
    RecordingFrame last, before;
    int known = 0;  // of the two

    void round(RecordingFrame& frame) {
        const Vec3 nowhere{kFarAway, kFarAway, kFarAway};
        const Transform no_pose{nowhere, {kFarAway, kFarAway, kFarAway, kFarAway}, 1};
        for (std::size_t i = 0; i < frame.states.size(); ++i) {
            if (setup.bodies[i].motion == BodyMotion::fixed) continue;
            frame.states[i].pose =
                settle(frame.states[i].pose, known > 0 ? last.states[i].pose : no_pose,
                       known > 1 ? before.states[i].pose : no_pose, steps);
        }
        for (std::size_t i = 0; i < frame.positions.size(); ++i)
            frame.positions[i] = settle(frame.positions[i], known > 0 ? last.positions[i] : nowhere,
                                        known > 1 ? before.positions[i] : nowhere, steps.vertices);
        for (Contact& contact : frame.contacts)
            contact.position = settle(contact.position, nowhere, nowhere, steps.vertices);
    }
    void keep(RecordingFrame frame) {
        before = std::move(last);
        last = std::move(frame);
        known = std::min(known + 1, 2);
    }
};

void write_rounded(const Recording& recording, const std::filesystem::path& file,
                   const Steps& steps, std::size_t contact_count, const Progress& progress) {
    RecordingWriter writer(file, recording.setup());
    Rounder rounder{recording.setup(), steps, {}, {}};
    for (std::int64_t i = 0; i < recording.frame_count(); ++i) {
        RecordingFrame frame = recording.frame(i);
        keep_deepest(frame.contacts, contact_count);
        rounder.round(frame);
        writer.add(frame.time, frame.states, frame.contacts, frame.positions);
        rounder.keep(std::move(frame));
        if (progress && !progress(0.5)) throw Error("interrupted");
    }
}

}  // namespace

PageRounding round_recording(const Recording& recording, const std::filesystem::path& file,
                             const Progress& progress) {
    const RunExtent run = extent_of(recording, progress);
    PageRounding rounding;
    rounding.contact_counts = run.contact_counts;
    rounding.contacts_per_frame = std::max(
        kFewestContacts, kContactBudget / std::max<std::int64_t>(recording.frame_count(), 1));
    for (int bits = kFinestBits; bits >= kCoarsestBits; --bits) {
        const Steps steps = steps_of(run.box, bits);
        write_rounded(recording, file, steps, static_cast<std::size_t>(rounding.contacts_per_frame),
                      progress);
        rounding.length = steps.length;
        rounding.turn = steps.turn;
        rounding.vertices = rounding.contacts = steps.vertices;
        if (std::filesystem::file_size(file) <= kRoundedBytes) break;
    }
    return rounding;
}

}  // namespace graze::app
