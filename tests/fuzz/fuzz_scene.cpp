// Feeds arbitrary bytes to the reader of scene files, with limits so low that what it builds takes
// no time. Only graze::Error may come out; what is read must be a scene that can be used.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graze/scene_description.h"
#include "tests/fuzz/require.h"

namespace {

using graze::fuzz::require;

graze::SceneLoadOptions tiny() {
    graze::SceneLoadOptions options;
    options.device = graze::Device::cpu();
    // One thread: the fuzzer follows what it does.
    options.threads = 1;
    options.cache.is_on = false;
    options.body_limit = 200;
    options.detail_limit = 12;
    return options;
}

bool is_unit(const graze::Quat& q) {
    return std::fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-3f;
}

// Requires that the scene can be simulated.
void check(const graze::SceneDescription& scene) {
    require(!scene.name.empty() && scene.bodies.size() <= 200);
    for (const graze::SceneBody& body : scene.bodies) {
        require(body.shape < scene.shapes.size() && body.material < scene.materials.size());
        require(is_finite(body.pose.translation) && is_unit(body.pose.rotation));
        require(body.pose.scale > 0 && std::isfinite(body.pose.scale) && !body.name.empty());
        const bool has_mass = scene.shapes[body.shape].mass.has_value();
        require(has_mass || body.motion != graze::BodyMotion::dynamic);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // A statue is never small.
    if (text.find("statue") != text.npos) return 0;
    try {
        check(graze::parse_scene(text, "fuzz", "/nowhere", tiny()));
    } catch (const graze::Error& error) {
        graze::fuzz::require_clear_message(error);
    }
    return 0;
}
