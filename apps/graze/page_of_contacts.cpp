#include "page_of_contacts.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "graze/deforming_contacts.h"
#include "graze/error.h"
#include "graze/names.h"
#include "run_page.h"
#include "terminal.h"

namespace graze::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A step is played in so many parts.
constexpr int kParts = 60;
constexpr std::size_t kMostPaths = 2000, kMostImpacts = 20'000;

// A recording that is gone when the page is there.
class PassingRecording {
public:
    PassingRecording()
        : file_(fs::temp_directory_path() /
                ("graze_contacts_" + std::to_string(::getpid()) + ".grec")) {}
    ~PassingRecording() {
        std::error_code ignored;
        fs::remove(file_, ignored);
    }
    PassingRecording(const PassingRecording&) = delete;
    PassingRecording& operator=(const PassingRecording&) = delete;
    const fs::path& file() const { return file_; }

private:
    fs::path file_;
};

// Straight, and evenly along the shorter arc.
Transform pose_at(const CollidedBody& body, float t) {
    if (!body.end) return body.pose;
    const Quat a = normalized(body.pose.rotation);
    Quat b = normalized(body.end->rotation);
    float cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    if (cosine < 0) {
        b = {-b.w, -b.x, -b.y, -b.z};
        cosine = -cosine;
    }
    const float angle = std::acos(std::min(cosine, 1.0f)), sine = std::sin(angle);
    const float from = sine > 1e-4f ? std::sin((1 - t) * angle) / sine : 1 - t;
    const float to = sine > 1e-4f ? std::sin(t * angle) / sine : t;
    const Vec3 way = body.end->translation - body.pose.translation;
    return {body.pose.translation + way * t,
            normalized(Quat{from * a.w + to * b.w, from * a.x + to * b.x, from * a.y + to * b.y,
                            from * a.z + to * b.z}),
            body.pose.scale};
}

RecordingSetup setup_of(const Collision& collision, const Scene& scene) {
    SceneDescription description;
    for (const std::uint32_t i : {0u, 1u}) {
        const CollidedBody& body = i == 0 ? collision.a : collision.b;
        const std::string name =
            std::string(i == 0 ? "a: " : "b: ") + fs::path(body.file).filename().string();
        description.shapes.push_back({name, scene[i].shape, body.file});
        SceneBody placed;
        placed.name = name;
        placed.shape = i;
        placed.pose = body.pose;
        description.bodies.push_back(placed);
    }
    description.name = description.shapes[0].name + ", " + description.shapes[1].name;
    description.time_step = 1.0 / kParts;
    return describe_recording(description);
}

// What a page has not all of, in words for its notice; null where it has all.
Json words_of_left_out(std::size_t shown, std::size_t all, const char* things) {
    if (shown == all) return nullptr;
    return with_separators(static_cast<std::int64_t>(shown)) + " of " +
           with_separators(static_cast<std::int64_t>(all)) + " " + things + " are shown";
}

// Points of bodies that move, in their own frames: [body, x, y, z, time of the contact]. Of more
// than kMostPaths the rest is counted.
Json tracked_points(const Collision& collision, std::size_t& count) {
    Json points = Json::array();
    count = 0;
    for (const Contact& contact : collision.contacts) {
        for (const std::uint32_t i : {0u, 1u}) {
            const CollidedBody& body = i == 0 ? collision.a : collision.b;
            const Feature& feature = i == 0 ? contact.feature_a : contact.feature_b;
            if (!body.end ||
                (collision.method == Method::sweep && feature.kind == FeatureKind::none))
                continue;
            if (++count > kMostPaths) continue;
            const Vec3 own =
                transform_point(inverse(pose_at(body, contact.time)), contact.position);
            points.push_back({i, own.x, own.y, own.z, contact.time});
        }
    }
    return points;
}

// Where a line from a vertex against its normal meets the face that a contact names; false where it
// is not that line which tells, as for a body inside another.
bool find_hit(const Body& target, std::uint32_t face, const Vec3& from, const Vec3& along,
              Vec3& hit) {
    const Mesh& mesh = *target.shape.mesh();
    if (face >= mesh.triangles.size()) return false;
    Vec3 corners[3];
    for (int k = 0; k < 3; ++k)
        corners[k] = transform_point(target.pose, mesh.positions[mesh.triangles[face][k]]);
    const Vec3 normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
    const float slope = dot(along, normal);
    if (slope == 0) return false;
    hit = from + along * (dot(corners[0] - from, normal) / slope);
    for (int k = 0; k < 3; ++k)
        if (dot(cross(corners[(k + 1) % 3] - corners[k], hit - corners[k]), normal) <
            -0.01f * length_sq(normal))
            return false;
    return true;
}

// From vertices to what their rays meet: [x, y, z, x, y, z]; likewise.
Json rays_of(const Collision& collision, const Scene& scene, std::size_t& count) {
    Json rays = Json::array();
    count = 0;
    for (const Contact& c : collision.contacts) {
        const bool is_of_a = c.feature_a.kind == FeatureKind::vertex;
        const Body &source = scene[is_of_a ? c.body_a : c.body_b],
                   &target = scene[is_of_a ? c.body_b : c.body_a];
        const Feature &vertex = is_of_a ? c.feature_a : c.feature_b,
                      &face = is_of_a ? c.feature_b : c.feature_a;
        const SurfacePoints& points = source.shape.points();
        if (vertex.kind != FeatureKind::vertex || face.kind != FeatureKind::face ||
            vertex.index >= points.positions.size())
            continue;
        const Vec3 from = transform_point(source.pose, points.positions[vertex.index]);
        const Vec3 normal = transform_direction(source.pose, points.normals[vertex.index]);
        Vec3 hit;
        if (length_sq(normal) > 0 && find_hit(target, face.index, from, -normal, hit) &&
            ++count <= kMostPaths)
            rays.push_back({from.x, from.y, from.z, hit.x, hit.y, hit.z});
    }
    return rays;
}

}  // namespace

void write_collision_page(const Collision& collision, const Scene& scene, const fs::path& file) {
    const PassingRecording passing;
    const RecordingSetup setup = setup_of(collision, scene);
    {
        RecordingWriter writer(passing.file(), setup);
        const int count = collision.is_moving() ? kParts : 0;
        for (int i = 0; i <= count; ++i) {
            const float t = count > 0 ? static_cast<float>(i) / static_cast<float>(count) : 0;
            std::vector<BodyState> states(2);
            states[0].pose = pose_at(collision.a, t);
            states[1].pose = pose_at(collision.b, t);
            states[0].is_present = states[1].is_present = true;
            writer.add(static_cast<double>(t), states, collision.contacts);
        }
        writer.finish();
    }
    PageContents contents{passing.file(), Json::object(), true};
    contents.about["method"] = name_of(collision.method);
    if (collision.is_moving()) {
        contents.about["is_step"] = true;
        std::size_t count = 0;
        contents.about["tracked"] = tracked_points(collision, count);
        contents.about["left_out"] =
            words_of_left_out(contents.about["tracked"].size(), count, "paths");
    }
    if (collision.method == Method::rays) {
        std::size_t count = 0;
        contents.about["rays"] = rays_of(collision, scene, count);
        contents.about["left_out"] =
            words_of_left_out(contents.about["rays"].size(), count, "rays");
    }
    write_run_page(contents, file, nullptr);
}

namespace {

std::vector<Vec3> floats_of(const std::vector<Vec3d>& positions) {
    std::vector<Vec3> result;
    result.reserve(positions.size());
    for (const Vec3d& position : positions)
        result.push_back(static_cast<Vec3>(position));
    return result;
}

}  // namespace

ImpactPage::ImpactPage(const fs::path& file, const Frame& first) : file_(file), first_(first) {
    if (is_wanted()) check_page();
}

void ImpactPage::begin_step(const Frame& t0, const Frame& t1) {
    if (!is_wanted()) return;
    steps_.push_back({floats_of(t0.mesh.positions), {}, 0});
    end_ = floats_of(t1.mesh.positions);
    t0_ = t0.mesh.positions;
    t1_ = t1.mesh.positions;
}

void ImpactPage::add(std::span<const Impact> impacts) {
    if (!is_wanted() || impacts.empty()) return;
    steps_.back().impact_count += impacts.size();
    std::vector<Contact>& contacts = steps_.back().contacts;
    const std::size_t room = kMostImpacts - std::min(kMostImpacts, contacts.size());
    if (room == 0) return;
    DeformingTopology topology;
    topology.vertex_count = static_cast<std::int64_t>(t0_.size());
    topology.triangles = first_.mesh.triangles;
    const DeformingBodies bodies(topology);
    for (Contact& contact :
         contacts_of(impacts.first(std::min(room, impacts.size())), bodies, t0_, t1_)) {
        contact.body_a = contact.body_b = 0;
        contacts.push_back(contact);
    }
}

void ImpactPage::write() const {
    const PassingRecording passing;
    RecordingSetup setup;
    setup.scene_name = "impacts from " + fs::path(first_.file).filename().string();
    setup.shapes.push_back(
        {setup.scene_name, {floats_of(first_.mesh.positions), first_.mesh.triangles}});
    setup.bodies.push_back({setup.scene_name, 0, BodyMotion::cloth});
    const bool is_step = steps_.size() == 1;
    const int parts = is_step ? kParts : 1;
    setup.frame_time = is_step ? 1.0 / kParts : 1;
    {
        RecordingWriter writer(passing.file(), setup);
        std::vector<BodyState> states(1);
        states[0].is_present = true;
        std::vector<Vec3> positions(end_.size());
        const auto add = [&](std::size_t step, int part) {
            const std::vector<Vec3>& from = steps_[step].positions;
            const std::vector<Vec3>& to =
                step + 1 < steps_.size() ? steps_[step + 1].positions : end_;
            const float t = static_cast<float>(part) / static_cast<float>(parts);
            for (std::size_t i = 0; i < positions.size(); ++i)
                positions[i] = part == parts ? to[i] : from[i] + (to[i] - from[i]) * t;
            writer.add(static_cast<double>(step) + static_cast<double>(t), states,
                       steps_[step].contacts, positions);
        };
        for (std::size_t step = 0; step < steps_.size(); ++step)
            for (int part = 0; part < parts; ++part)
                add(step, part);
        add(steps_.size() - 1, parts);
        writer.finish();
    }
    PageContents contents{passing.file()};
    contents.about["method"] = "impacts";
    contents.about["fields"] = Json::array();
    contents.about["is_step"] = is_step;
    contents.about["time_unit"] = is_step ? "" : "frames";
    std::size_t shown = 0, all = 0;
    for (const Step& step : steps_) {
        shown += step.contacts.size();
        all += step.impact_count;
    }
    contents.about["left_out"] = words_of_left_out(shown, all, "impacts");
    write_run_page(contents, file_, nullptr);
}

}  // namespace graze::app
