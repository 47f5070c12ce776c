#include "simulation/read_bodies.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/nearest_name.h"
#include "simulation/arrange_bodies.h"
#include "simulation/read_motion.h"
#include "simulation/read_pose.h"

namespace graze {

namespace {

constexpr std::size_t kMaxShapesOfEntry = 10'000;
constexpr std::size_t kLongestName = 200;

// Finds the index of a name, and refuses names that are not there.
class NameTable {
public:
    NameTable(const char* kind, std::vector<std::string> names)
        : kind_(kind), names_(std::move(names)) {
        for (std::size_t i = 0; i < names_.size(); ++i)
            index_.emplace(names_[i], static_cast<std::uint32_t>(i));
    }

    const std::string& name(std::uint32_t index) const { return names_[index]; }
    std::uint32_t find(const JsonCursor& at) const {
        const auto found = index_.find(at.string());
        if (found != index_.end()) return found->second;
        at.fail(unknown_name(kind_, at.string(), names_));
    }

private:
    const char* kind_;
    std::vector<std::string> names_;
    std::map<std::string, std::uint32_t, std::less<>> index_;
};

const std::vector<std::string>& body_members() {
    static const std::vector<std::string> members{
        "name",  "shape",  "material",   "motion", "pose", "velocity", "angular_velocity",
        "force", "torque", "start_time", "group",  "mask", "path",     "pins"};
    return members;
}

class BodyReader {
public:
    BodyReader(const std::vector<std::string>& shape_names, std::int64_t limit,
               SceneDescription& scene)
        : shapes_("shape", shape_names),
          materials_("material", material_names(scene)),
          limit_(limit),
          scene_(scene) {}

    void read_entry(const JsonCursor& at) {
        std::vector<std::string> kinds = body_generators();
        kinds.emplace_back("instances");
        std::vector<std::string> known = body_members();
        known.insert(known.end(), kinds.begin(), kinds.end());
        known.emplace_back("shapes");
        at.require_members(known);
        const auto is_there = [&](const std::string& kind) { return at.has(kind); };
        if (std::none_of(kinds.begin(), kinds.end(), is_there)) return read_single(at);
        const std::string kind = at.require_one_of(kinds);
        if (kind == "instances") return read_instances(at);
        read_generator(at, kind);
    }

    // Called at the end, because pins may name bodies that come after them.
    void find_pinned_to() {
        std::map<std::string, std::uint32_t, std::less<>> index;
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
            index.emplace(scene_.bodies[i].name, static_cast<std::uint32_t>(i));
        for (const PinName& pin : pins_) {
            const auto found = index.find(pin.at.string());
            if (found == index.end())
                pin.at.fail("no body is called " + in_quotes(pin.at.string()));
            const BodyMotion motion = scene_.bodies[found->second].motion;
            if (motion != BodyMotion::fixed && motion != BodyMotion::kinematic)
                pin.at.fail("names a body that is neither fixed nor kinematic");
            scene_.bodies[pin.body].pins[pin.pin].body = found->second;
        }
    }

private:
    struct PinName {
        JsonCursor at;          // where the name stands
        std::size_t body, pin;  // indices of the body and of its pin
    };

    static std::vector<std::string> material_names(const SceneDescription& scene) {
        std::vector<std::string> names;
        names.reserve(scene.materials.size());
        for (const Material& material : scene.materials)
            names.push_back(material.name);
        return names;
    }

    std::int64_t room() const { return limit_ - static_cast<std::int64_t>(scene_.bodies.size()); }
    void require_room(const JsonCursor& at) const {
        if (room() < 1) at.fail("there are more than " + std::to_string(limit_) + " bodies");
    }

    // Reads all but shape and name. What the file leaves out stays as it is in body.
    void read_state(const JsonCursor& at, SceneBody& body) const {
        if (const auto material = at.find("material")) body.material = materials_.find(*material);
        at.read("motion", body.motion);
        if (const auto pose = at.find("pose")) body.pose = read_pose(*pose);
        at.read("velocity", body.velocity, kAnyLength);
        at.read("angular_velocity", body.angular_velocity, kAnyLength);
        at.read("force", body.force, kAnyLength);
        at.read("torque", body.torque, kAnyLength);
        at.read("start_time", body.start_time, {0, 1e6});
        at.read("group", body.group);
        at.read("mask", body.mask);
        if (const auto path = at.find("path")) body.path = read_path(*path, body.pose);
        if (const auto pins = at.find("pins")) body.pins = read_pins(*pins);
    }

    void check_motion(const JsonCursor& at, const SceneBody& body) const {
        const Vec3 none{0, 0, 0};
        const bool moves = body.velocity != none || body.angular_velocity != none;
        const bool is_pushed = body.force != none || body.torque != none;
        if (body.motion == BodyMotion::fixed && moves)
            at.fail("is fixed and has a velocity; leave that out, or make it kinematic");
        if (body.motion != BodyMotion::dynamic && is_pushed)
            at.fail("has a force or torque, which move only dynamic bodies; leave them out");
        check_cloth_motion(at, body, scene_.solver.kind);
    }

    std::string read_name(const JsonCursor& at) const {
        const auto found = at.find("name");
        if (!found) return {};
        if (found->string().empty() || found->string().size() > kLongestName)
            found->fail("give a name of 1 to " + std::to_string(kLongestName) + " bytes");
        return found->string();
    }

    // Bodies without a name are called after their shape and numbered through the scene.
    std::string number_by_shape(std::uint32_t shape) {
        return shapes_.name(shape) + "[" + std::to_string(unnamed_counts_[shape]++) + "]";
    }

    // shared is the entry, where at is one of its instances.
    void add(const JsonCursor& at, SceneBody body, const std::string& name,
             const JsonCursor* shared = nullptr) {
        require_room(at);
        body.name = name.empty() ? number_by_shape(body.shape) : name;
        if (!names_.insert(body.name).second)
            at.fail("another body is called " + in_quotes(body.name) + ", too; rename one");
        const JsonCursor& pins_of = at.has("pins") || !shared ? at : *shared;
        for (std::size_t i = 0; i < body.pins.size(); ++i) {
            if (const auto to = pins_of.at("pins")[i].find("to"))
                pins_.push_back({*to, scene_.bodies.size(), i});
        }
        scene_.bodies.push_back(std::move(body));
    }

    void read_single(const JsonCursor& at) {
        if (at.has("shapes"))
            at.at("shapes").fail("a single body has one shape; name it in \"shape\"");
        SceneBody body;
        body.shape = shapes_.find(at.at("shape"));
        read_state(at, body);
        check_motion(at, body);
        add(at, std::move(body), read_name(at));
    }

    void read_instances(const JsonCursor& at) {
        if (at.has("shapes")) at.at("shapes").fail("name the shape of each instance in \"shape\"");
        SceneBody shared;
        read_state(at, shared);
        const std::string name = read_name(at);
        const std::optional<JsonCursor> shape = at.find("shape");
        if (shape) shared.shape = shapes_.find(*shape);
        const JsonCursor list = at.at("instances");
        const std::size_t count = list.size(1, static_cast<std::size_t>(limit_));
        for (std::size_t i = 0; i < count; ++i) {
            const JsonCursor one = list[i];
            one.require_members(body_members());
            SceneBody body = shared;
            if (one.has("shape") || !shape) body.shape = shapes_.find(one.at("shape"));
            read_state(one, body);
            check_motion(one, body);
            std::string own = read_name(one);
            if (own.empty() && !name.empty()) own = name + "[" + std::to_string(i) + "]";
            add(one, std::move(body), own, &at);
        }
    }

    std::vector<std::uint32_t> read_shapes(const JsonCursor& at) const {
        if (at.require_one_of({"shape", "shapes"}) == "shape")
            return {shapes_.find(at.at("shape"))};
        const JsonCursor list = at.at("shapes");
        std::vector<std::uint32_t> shapes(list.size(1, kMaxShapesOfEntry));
        for (std::size_t i = 0; i < shapes.size(); ++i)
            shapes[i] = shapes_.find(list[i]);
        return shapes;
    }

    void read_generator(const JsonCursor& at, const std::string& kind) {
        const std::vector<std::uint32_t> shapes = read_shapes(at);
        SceneBody shared;
        read_state(at, shared);
        check_motion(at, shared);
        const std::string name = read_name(at);
        require_room(at);
        const std::vector<ArrangedBody> arranged =
            arrange_bodies(at.at(kind), kind, shapes.size(), room());
        for (std::size_t i = 0; i < arranged.size(); ++i) {
            SceneBody body = shared;
            body.shape = shapes[arranged[i].shape];
            body.start_time += arranged[i].delay;
            apply(arranged[i], body.pose);
            if (!(body.pose.scale >= static_cast<float>(kLeastSize) &&
                  body.pose.scale <= static_cast<float>(kMostLength))) {
                at.at("pose").at("scale").fail("gives a body that is too small or too large");
            }
            add(at, std::move(body), name.empty() ? name : name + "[" + std::to_string(i) + "]");
        }
    }

    // Takes the pose of the entry to that of one of its bodies.
    static void apply(const ArrangedBody& one, Transform& pose) {
        pose.translation = static_cast<Vec3>(static_cast<Vec3d>(pose.translation) + one.position);
        const Quat& own = pose.rotation;
        const Quatd q = normalized(Quatd{own.w, own.x, own.y, own.z} * one.rotation);
        pose.rotation = {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
                         static_cast<float>(q.z)};
        pose.scale = static_cast<float>(pose.scale * one.scale);
    }

    NameTable shapes_, materials_;
    std::int64_t limit_;
    SceneDescription& scene_;
    std::set<std::string> names_;
    std::map<std::uint32_t, std::int64_t> unnamed_counts_;  // by shape
    std::vector<PinName> pins_;
};

}  // namespace

std::vector<BodyOrigin> read_bodies(const JsonCursor& at,
                                    const std::vector<std::string>& shape_names,
                                    std::int64_t body_limit, SceneDescription& scene) {
    BodyReader reader(shape_names, body_limit, scene);
    std::vector<BodyOrigin> origins;
    const std::size_t count = at.size(0, static_cast<std::size_t>(body_limit));
    for (std::size_t i = 0; i < count; ++i) {
        origins.push_back({i, scene.bodies.size()});
        reader.read_entry(at[i]);
    }
    reader.find_pinned_to();
    return origins;
}

}  // namespace graze
