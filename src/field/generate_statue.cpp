// make_statue: a standing figure of round parts that are joined smoothly. The seed decides how one
// figure differs from the next.
#include <cmath>
#include <random>

#include "core/random_unit.h"
#include "geometry/generate/check_generated.h"
#include "graze/build_field.h"
#include "graze/extract_surface.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

struct StatuePart {
    Field field;
    float blend;  // [m] how near to the rest it begins to melt into it
};

class StatueParts {
public:
    explicit StatueParts(std::uint32_t seed) : random_(seed) {}

    void add(const Vec3& a, const Vec3& b, float radius, float blend = 0.05f) {
        parts_.push_back({Field::capsule(a, b, radius), blend});
    }
    void add_ring(const Vec3& centre, float ring_radius, float tube_radius) {
        const Transform moved{centre, Quat::identity(), 1};
        parts_.push_back({Field::torus(ring_radius, tube_radius).transformed(moved), 0.02f});
    }
    // Returns the point, moved a little by chance.
    Vec3 near(float x, float y, float z) {
        const auto off = [&] { return 0.05f * static_cast<float>(random_unit(random_) - 0.5); };
        const float dx = off(), dy = off(), dz = off();
        return {x + dx, y + dy, z + dz};
    }
    const std::vector<StatuePart>& parts() const { return parts_; }

private:
    std::mt19937 random_;
    std::vector<StatuePart> parts_;
};

void add_legs(StatueParts& parts) {
    for (const float side : {-1.0f, 1.0f}) {
        const Vec3 heel{side * 0.14f, -0.02f, 0.05f}, knee = parts.near(side * 0.13f, 0.04f, 0.24f);
        parts.add(heel, {side * 0.17f, 0.13f, 0.05f}, 0.06f);
        parts.add(heel, knee, 0.055f);
        parts.add(knee, {side * 0.07f, 0, 0.41f}, 0.07f);
    }
    const Vec3 bend = parts.near(0, -0.25f, 0.22f);
    parts.add({0, -0.08f, 0.42f}, bend, 0.055f);
    parts.add(bend, {0.03f, -0.32f, 0.05f}, 0.045f);
}

// One arm is raised and spreads its fingers, the other is propped on the hip: a hole to reach
// through.
void add_arms(StatueParts& parts) {
    const Vec3 elbow = parts.near(0.28f, 0.03f, 0.66f), wrist = parts.near(0.33f, 0.06f, 0.86f);
    parts.add({0.12f, 0, 0.70f}, elbow, 0.05f);
    parts.add(elbow, wrist, 0.04f);
    for (const float spread : {-0.07f, 0.0f, 0.07f})
        parts.add(wrist, wrist + Vec3{spread, 0.02f, 0.11f}, 0.022f, 0.02f);
    const Vec3 propped = parts.near(-0.32f, -0.02f, 0.57f);
    parts.add({-0.12f, 0, 0.70f}, propped, 0.045f);
    parts.add(propped, {-0.13f, 0.05f, 0.43f}, 0.04f);
}

void add_trunk_and_head(StatueParts& parts) {
    parts.add({-0.06f, 0, 0.42f}, {0.06f, 0, 0.42f}, 0.10f);
    const Vec3 belly = parts.near(0, 0.03f, 0.53f);
    parts.add(belly, belly, 0.13f);
    parts.add({-0.07f, 0, 0.66f}, {0.07f, 0, 0.66f}, 0.11f);
    parts.add_ring({0, 0.01f, 0.47f}, 0.15f, 0.03f);
    const Vec3 head = parts.near(0, 0.04f, 0.88f);
    parts.add({0, 0, 0.72f}, head, 0.055f);
    parts.add(head, head, 0.085f);
    parts.add(head + Vec3{0, 0.05f, -0.02f}, head + Vec3{0, 0.12f, -0.04f}, 0.04f);
    for (const float side : {-1.0f, 1.0f})
        parts.add(head + Vec3{side * 0.05f, -0.01f, 0.05f},
                  head + Vec3{side * 0.12f, -0.02f, 0.15f}, 0.028f, 0.03f);
}

constexpr float kSole = 0.02f;  // [m] what is below is cut off, so that the figure can stand

// The value is the minimum of the parts', rounded off where two are nearly equally far. It is never
// above the minimum, and as its gradient is no longer than 1, a lower bound of the distance.
FieldValue evaluate_statue(const std::vector<StatuePart>& parts, const Vec3& point) {
    FieldValue value = parts.front().field.evaluate(point);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const FieldValue part = parts[i].field.evaluate(point);
        const float blend = parts[i].blend;
        const float mix = max_of(blend - std::fabs(value.distance - part.distance), 0.0f) / blend;
        const bool part_is_nearer = part.distance < value.distance;
        const FieldValue nearer = part_is_nearer ? part : value;
        const FieldValue farther = part_is_nearer ? value : part;
        value = {nearer.distance - mix * mix * blend / 4,
                 nearer.gradient * (1 - mix / 2) + farther.gradient * (mix / 2)};
    }
    if (kSole - point.z > value.distance) return {kSole - point.z, {0, 0, -1}};
    return {value.distance, normalized(value.gradient)};
}

}  // namespace

Mesh make_statue(std::uint32_t seed, int resolution) {
    constexpr const char* kKind = "statue";
    require_ranges(kKind, StatueMeshOptions{seed, resolution});
    StatueParts parts(seed);
    add_trunk_and_head(parts);
    add_legs(parts);
    add_arms(parts);

    // The figure of any seed is well within this box.
    const float spacing = 1.1f / static_cast<float>(resolution);
    const auto cells = [&](float side) { return static_cast<std::int32_t>(side / spacing) + 1; };
    const FieldGrid grid{
        {-0.52f, -0.50f, -0.05f}, spacing, {cells(1.04f), cells(0.85f), cells(1.2f)}};
    FieldOptions options;
    options.order = FieldOrder::zero;
    options.measure_error = false;
    const Field field = sample_field(
        [&](const Vec3& point) { return evaluate_statue(parts.parts(), point); }, grid, options);
    Mesh mesh = extract_surface(field, {.sharp = false});

    const Aabb box = bounds(mesh);
    const Vec3 foot{0, 0, box.min.z};
    const float scale = 1 / (box.max.z - box.min.z);
    for (Vec3& p : mesh.positions)
        p = (p - foot) * scale;
    return checked(std::move(mesh), kKind, "its surface is not sound; take another resolution");
}

}  // namespace graze
