#include "simulation/cloth_scene.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "graze/error.h"
#include "response/distance_constraints.h"
#include "simulation/script_pose.h"

namespace graze {

namespace {

// The thickness that is chosen is this fraction of the mean edge.
constexpr double kThicknessOfEdge = 0.25;

bool is_by_script(const SceneBody& body) {
    return body.motion == BodyMotion::fixed || body.motion == BodyMotion::kinematic;
}
bool can_bodies_touch(const SceneBody& a, const SceneBody& b, bool is_same_part) {
    if (is_by_script(a) && is_by_script(b)) return false;
    if (is_same_part && a.motion == BodyMotion::dynamic) return false;
    return (a.mask & b.group) != 0 && (b.mask & a.group) != 0;
}

class ClothSceneBuilder {
public:
    explicit ClothSceneBuilder(const SceneDescription& scene) : scene_(scene) {}

    ClothScene build() {
        for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i)
            add_vertices(i);
        result_.first_vertices.push_back(vertex_count());
        world().rest = world().positions;
        world().next.resize(vertex_count());
        world().from.resize(vertex_count());
        world().velocities.assign(vertex_count(), Vec3d{0, 0, 0});
        world().inverse_masses.assign(vertex_count(), 0);
        world().units.assign(vertex_count(), kScriptUnit);
        choose_thickness();
        for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i) {
            if (scene_.bodies[i].motion == BodyMotion::dynamic) add_rigid(i);
        }
        for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i)
            add_motion(i);
        const std::vector<char> is_present = bodies_due(scene_, 0);
        find_waiting(is_present);
        result_.topology = describe_topology(scene_, world(), is_present);
        return std::move(result_);
    }

private:
    ClothWorld& world() { return result_.world; }
    std::uint32_t vertex_count() { return static_cast<std::uint32_t>(world().positions.size()); }
    const Mesh& mesh_of(const SceneBody& body) const {
        const SceneShape& shape = scene_.shapes.at(body.shape);
        if (!shape.shape.mesh())
            throw Error("the shape '" + shape.name + "' has no mesh, which the solver cloth needs");
        return *shape.shape.mesh();
    }
    const Material& material_of(const SceneBody& body) const {
        return scene_.materials.at(body.material);
    }

    void add_vertices(std::uint32_t index) {
        const SceneBody& body = scene_.bodies[index];
        const Mesh& mesh = mesh_of(body);
        const std::uint32_t first = vertex_count();
        result_.first_vertices.push_back(first);
        const Transformd pose = script_pose(body, centre_of(scene_, body), 0);
        for (const Vec3& p : mesh.positions) {
            const Vec3d position = transform_point(pose, static_cast<Vec3d>(p));
            world().positions.push_back(static_cast<Vec3>(position));
        }
        world().bodies.resize(vertex_count(), index);
        world().frictions.resize(vertex_count(), material_of(body).friction);
        world().restitutions.resize(vertex_count(), material_of(body).restitution);
        for (const Triangle& t : mesh.triangles)
            world().triangles.push_back({{first + t[0], first + t[1], first + t[2]}});
        if (vertex_count() > 0x40000000u) throw Error("the bodies have too many vertices together");
    }

    // The triangles of a body, by the world's vertices.
    std::vector<Triangle> triangles_of(std::uint32_t index) {
        const std::uint32_t first = result_.first_vertices[index];
        std::vector<Triangle> triangles = mesh_of(scene_.bodies[index]).triangles;
        for (Triangle& t : triangles)
            t = {{first + t[0], first + t[1], first + t[2]}};
        return triangles;
    }

    void choose_thickness() {
        result_.thickness = scene_.solver.cloth.thickness;
        if (result_.thickness > 0) return;
        double cloth = 0, all = 0;
        std::int64_t cloth_count = 0, all_count = 0;
        for (const Triangle& t : world().triangles) {
            const bool is_cloth = scene_.bodies[world().bodies[t[0]]].motion == BodyMotion::cloth;
            for (int i = 0; i < 3; ++i) {
                const double edge =
                    distance(world().positions[t[i]], world().positions[t[(i + 1) % 3]]);
                all += edge;
                ++all_count;
                cloth += is_cloth ? edge : 0;
                cloth_count += is_cloth ? 1 : 0;
            }
        }
        const double mean = cloth_count > 0
                                ? cloth / static_cast<double>(cloth_count)
                                : all / static_cast<double>(std::max<std::int64_t>(all_count, 1));
        result_.thickness = kThicknessOfEdge * mean;
    }

    void add_rigid(std::uint32_t index) {
        const SceneBody& body = scene_.bodies[index];
        const SceneShape& shape = scene_.shapes[body.shape];
        if (!shape.mass)
            throw Error("the body '" + body.name + "' has no mass; its mesh is not closed");
        const double scale = body.pose.scale, density = material_of(body).density;
        const double mass = shape.mass->volume * density * scale * scale * scale;
        RigidBody rigid;
        rigid.first_vertex = result_.first_vertices[index];
        rigid.inverse_mass = 1 / mass;
        rigid.inertia = shape.mass->inertia * (density * scale * scale * scale * scale * scale);
        rigid.inverse_inertia = inverse(rigid.inertia);
        const Transformd pose = script_pose(body, shape.mass->centre, 0);
        rigid.centre = transform_point(pose, shape.mass->centre);
        rigid.rotation = pose.rotation;
        for (const Vec3& p : mesh_of(body).positions)
            rigid.local.push_back((static_cast<Vec3d>(p) - shape.mass->centre) * scale);
        rigid.velocity = static_cast<Vec3d>(body.velocity);
        rigid.angular_velocity = static_cast<Vec3d>(body.angular_velocity);
        rigid.force = static_cast<Vec3d>(body.force);
        rigid.torque = static_cast<Vec3d>(body.torque);
        const std::uint32_t unit = world().unit_count++;
        for (std::size_t i = 0; i < rigid.local.size(); ++i)
            world().units[rigid.first_vertex + i] = unit;
        world().rigid.push_back(std::move(rigid));
        result_.rigid_bodies.push_back(index);
    }

    void add_motion(std::uint32_t index) {
        const SceneBody& body = scene_.bodies[index];
        if (body.motion == BodyMotion::cloth) {
            add_cloth(index);
        } else if (body.motion == BodyMotion::kinematic) {
            const Mesh& mesh = mesh_of(body);
            for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) {
                result_.scripted.push_back({result_.first_vertices[index] + i, index,
                                            static_cast<Vec3d>(mesh.positions[i])});
            }
        }
    }

    void add_cloth(std::uint32_t index) {
        const SceneBody& body = scene_.bodies[index];
        const std::vector<Triangle> triangles = triangles_of(index);
        const double density = material_of(body).density * result_.thickness;
        std::vector<double> masses(mesh_of(body).positions.size(), 0);
        const std::uint32_t first = result_.first_vertices[index];
        for (const Triangle& t : triangles) {
            const auto corner = [&](int i) { return static_cast<Vec3d>(world().positions[t[i]]); };
            const double area = length(cross(corner(1) - corner(0), corner(2) - corner(0))) / 2;
            for (int i = 0; i < 3; ++i)
                masses[t[i] - first] += density * area / 3;
        }
        has_vertex_.assign(body.pins.size(), 0);
        for (std::size_t i = 0; i < masses.size(); ++i) {
            const auto vertex = static_cast<std::uint32_t>(first + i);
            if (pin(body, vertex) || !(masses[i] > 0)) continue;
            world().inverse_masses[vertex] = 1 / masses[i];
            world().velocities[vertex] = static_cast<Vec3d>(body.velocity);
            world().units[vertex] = world().unit_count++;
        }
        for (std::size_t i = 0; i < has_vertex_.size(); ++i) {
            if (!has_vertex_[i]) {
                throw Error("pin " + std::to_string(i) + " of " + body.name +
                            " holds nothing: no vertex of the cloth is in its box; move the box, "
                            "which is in the world, or leave it out");
            }
        }
        add_distance_constraints(world(), triangles);
    }

    bool pin(const SceneBody& cloth, std::uint32_t vertex) {
        const Vec3 position = world().positions[vertex];
        for (std::size_t i = 0; i < cloth.pins.size(); ++i)
            if (contains(cloth.pins[i].box, position)) has_vertex_[i] = 1;
        for (const ClothPin& one : cloth.pins) {
            if (!contains(one.box, position)) continue;
            if (one.body == ClothPin::kNoBody) return true;
            const SceneBody& body = scene_.bodies.at(one.body);
            const Transformd pose = script_pose(body, centre_of(scene_, body), 0);
            result_.scripted.push_back(
                {vertex, one.body, transform_point(inverse(pose), static_cast<Vec3d>(position))});
            return true;
        }
        return false;
    }

    void find_waiting(const std::vector<char>& is_present) {
        world().is_waiting.assign(world().unit_count, 0);
        for (std::size_t v = 0; v < world().units.size(); ++v) {
            if (world().units[v] != kScriptUnit && !is_present[world().bodies[v]])
                world().is_waiting[world().units[v]] = 1;
        }
    }

    const SceneDescription& scene_;
    ClothScene result_;
    std::vector<char> has_vertex_;  // of each pin of the cloth at hand
};

}  // namespace

std::vector<char> bodies_due(const SceneDescription& scene, double time) {
    std::vector<char> is_due;
    is_due.reserve(scene.bodies.size());
    for (const SceneBody& body : scene.bodies)
        is_due.push_back(body.start_time <= time + scene.time_step / 2 ? 1 : 0);
    return is_due;
}

// Bodies that pass through the same others share a part; but each rigid body has its own, which
// does not collide with itself.
DeformingTopology describe_topology(const SceneDescription& scene, const ClothWorld& world,
                                    const std::vector<char>& is_present) {
    DeformingTopology topology;
    topology.vertex_count = static_cast<std::int64_t>(world.positions.size());
    for (const Triangle& t : world.triangles)
        if (is_present[world.bodies[t[0]]]) topology.triangles.push_back(t);
    using Key = std::tuple<bool, std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<Key, std::uint32_t> parts;
    std::vector<std::uint32_t> part_of_body, first_bodies;
    for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
        const SceneBody& body = scene.bodies[i];
        const std::uint32_t own = body.motion == BodyMotion::dynamic ? i + 1 : 0;
        const auto [entry, is_new] =
            parts.try_emplace(Key{is_by_script(body), own, body.group, body.mask},
                              static_cast<std::uint32_t>(first_bodies.size()));
        if (is_new) first_bodies.push_back(i);
        part_of_body.push_back(entry->second);
    }
    for (const std::uint32_t body : world.bodies)
        topology.parts.push_back(part_of_body[body]);
    for (std::uint32_t a = 0; a < first_bodies.size(); ++a) {
        for (std::uint32_t b = a; b < first_bodies.size(); ++b) {
            if (!can_bodies_touch(scene.bodies[first_bodies[a]], scene.bodies[first_bodies[b]],
                                  a == b))
                topology.ignored_parts.push_back({a, b});
        }
    }
    return topology;
}

Vec3d centre_of(const SceneDescription& scene, const SceneBody& body) {
    const SceneShape& shape = scene.shapes.at(body.shape);
    return shape.mass ? shape.mass->centre : Vec3d{0, 0, 0};
}

ClothScene build_cloth_scene(const SceneDescription& scene) {
    return ClothSceneBuilder(scene).build();
}

}  // namespace graze
