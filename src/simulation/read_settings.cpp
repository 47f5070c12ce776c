#include "simulation/read_settings.h"

namespace graze {

namespace {

constexpr std::size_t kMaxMaterials = 10'000;
constexpr NumberRange kFraction{0, 1};

Material read_material(const JsonCursor& at, const std::string& name) {
    at.require_members({"density", "friction", "restitution"});
    Material material{.name = name};
    at.read("density", material.density, {1e-6, 1e9});
    at.read("friction", material.friction, {0, 1e3});
    at.read("restitution", material.restitution, kFraction);
    return material;
}

void read_materials(const JsonCursor& root, std::vector<Material>& materials) {
    materials = {Material{.name = "default"}};
    const auto at = root.find("materials");
    if (!at) return;
    const std::vector<std::string> names = at->names();
    if (names.size() > kMaxMaterials)
        at->fail("there are more than " + std::to_string(kMaxMaterials));
    for (const std::string& name : names) {
        const Material material = read_material(at->at(name), name);
        if (name == "default") {
            materials[0] = material;
        } else {
            materials.push_back(material);
        }
    }
}

void read_particles(const JsonCursor& at, ParticleOptions& options) {
    at.require_members({"resolution", "sampling", "step", "normal", "max_steps", "tolerance",
                        "sharpens", "uses_last_contacts", "uses_textures"});
    at.read("resolution", options.resolution, 1, 128);
    at.read("sampling", options.sampling);
    at.read("step", options.step);
    at.read("normal", options.normal);
    at.read("max_steps", options.max_steps, 0, 1000);
    at.read("tolerance", options.tolerance, kNotNegative);
    at.read("sharpens", options.sharpens);
    at.read("uses_last_contacts", options.uses_last_contacts);
    at.read("uses_textures", options.uses_textures);
}

void read_sweep(const JsonCursor& at, SweepOptions& options) {
    at.require_members({"motion", "roles", "tolerance", "faces", "face_tolerance"});
    at.read("motion", options.motion);
    at.read("roles", options.roles);
    at.read("tolerance", options.tolerance, kNotNegative);
    at.read("faces", options.has_faces);
    at.read("face_tolerance", options.face_tolerance, kNotNegative);
}

void read_rays(const JsonCursor& at, RaysOptions& options) {
    at.require_members({"cast", "response", "is_iterative", "predicts", "confidence", "is_cautious",
                        "waits", "adapts", "displacement_threshold", "distance_extension",
                        "max_iterations", "confirms_inside"});
    at.read("cast", options.cast);
    at.read("response", options.response);
    at.read("is_iterative", options.is_iterative);
    at.read("predicts", options.predicts);
    at.read("confidence", options.confidence, {1, 1000});
    at.read("is_cautious", options.is_cautious);
    at.read("waits", options.waits);
    at.read("adapts", options.adapts);
    at.read("displacement_threshold", options.displacement_threshold, kNotNegative);
    at.read("distance_extension", options.distance_extension, kNotNegative);
    at.read("max_iterations", options.max_iterations, 1, 10'000);
    at.read("confirms_inside", options.confirms_inside);
}

void read_reduction(const JsonCursor& at, ContactReduction& reduction) {
    at.require_members({"cell_size", "deepest_count", "manifold_count", "manifold_slack"});
    at.read("cell_size", reduction.cell_size, kNotNegative);
    at.read("deepest_count", reduction.deepest_count, 0, 1 << 30);
    at.read("manifold_count", reduction.manifold_count, 0, 1 << 30);
    at.read("manifold_slack", reduction.manifold_slack, kNotNegative);
}

void read_detector(const JsonCursor& at, DetectorOptions& options, Device& device) {
    at.require_members({"gap", "thread_count", "particles", "sweep", "rays", "reduction"});
    at.read("gap", options.gap, kNotNegative);
    int threads = device.threads();
    at.read("thread_count", threads, 0, 1024);
    device = device.with_threads(threads);
    if (const auto particles = at.find("particles")) read_particles(*particles, options.particles);
    if (const auto sweep = at.find("sweep")) read_sweep(*sweep, options.sweep);
    if (const auto rays = at.find("rays")) read_rays(*rays, options.rays);
    if (const auto reduction = at.find("reduction")) read_reduction(*reduction, options.reduction);
}

void read_cloth(const JsonCursor& at, ClothOptions& options) {
    at.require_members({"thickness", "stretch_compliance", "bend_compliance", "push_rounds",
                        "checks_intersections"});
    at.read("thickness", options.thickness, kNotNegative);
    at.read("stretch_compliance", options.stretch_compliance, kNotNegative);
    at.read("bend_compliance", options.bend_compliance, kNotNegative);
    at.read("push_rounds", options.push_rounds, 0, 100);
    at.read("checks_intersections", options.checks_intersections);
}

void read_penalty(const JsonCursor& at, PenaltyOptions& options) {
    at.require_members(
        {"stiffness", "damping", "is_continuous", "interpolation", "limits_damping", "uses_tree"});
    if (at.find("stiffness")) at.read("stiffness", options.stiffness.emplace(), {1e-9, 1e12});
    if (at.find("damping")) at.read("damping", options.damping.emplace(), {0, 1e12});
    at.read("is_continuous", options.is_continuous);
    at.read("interpolation", options.interpolation);
    at.read("limits_damping", options.limits_damping);
    at.read("uses_tree", options.uses_tree);
}

void read_solver(const JsonCursor& at, SolverOptions& options) {
    at.require_members(
        {"kind", "iterations", "linear_damping", "angular_damping", "sleeps", "cloth", "penalty"});
    at.read("kind", options.kind);
    if (const auto cloth = at.find("cloth")) {
        if (options.kind != SolverKind::cloth)
            cloth->fail("is of the solver cloth; say \"kind\": \"cloth\", or leave it out");
        read_cloth(*cloth, options.cloth);
    }
    if (const auto penalty = at.find("penalty")) {
        if (options.kind != SolverKind::penalty)
            penalty->fail("is of the solver penalty; say \"kind\": \"penalty\", or leave it out");
        read_penalty(*penalty, options.penalty);
    }
    at.read("iterations", options.iterations, 1, 10'000);
    at.read("linear_damping", options.linear_damping, kFraction);
    at.read("angular_damping", options.angular_damping, kFraction);
    at.read("sleeps", options.sleeps);
}

// A device that is not there is no mistake where another was asked for.
void read_device(const JsonCursor& root, const SceneLoadOptions& options, Device& device) {
    const auto at = root.find("device");
    if (at) at->string();
    if (options.device) {
        device = *options.device;
    } else if (at) {
        device = at->located([&] { return Device::parse(at->string()); });
    }
}

}  // namespace

std::vector<std::string> setting_names() {
    return {"name",      "description", "device",      "method", "detector",  "gravity",
            "time_step", "duration",    "frame_steps", "solver", "materials", "$schema"};
}

void read_settings(const JsonCursor& root, const SceneLoadOptions& options,
                   SceneDescription& scene) {
    for (const char* text : {"$schema", "description"}) {
        if (const auto at = root.find(text)) at->string();
    }
    root.read("name", scene.name);
    if (scene.name.empty()) root.at("name").fail("is empty; give the scene a name");
    read_device(root, options, scene.device);
    root.read("method", scene.method);
    if (const auto at = root.find("detector")) read_detector(*at, scene.detector, scene.device);
    if (options.threads) scene.device = scene.device.with_threads(*options.threads);
    root.read("gravity", scene.gravity, {-1e6, 1e6});
    // Bullet takes steps below 1.2e-7 for none at all.
    root.read("time_step", scene.time_step, {1e-6, 1});
    root.read("duration", scene.duration, {0, 1e6});
    root.read("frame_steps", scene.frame_steps, 1, 1'000'000);
    if (const auto at = root.find("solver")) read_solver(*at, scene.solver);
    read_materials(root, scene.materials);
}

}  // namespace graze
