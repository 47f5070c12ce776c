#include "simulation/arrange_bodies.h"

#include <cmath>
#include <numbers>

#include "simulation/random_numbers.h"
#include "simulation/spaced_points.h"

namespace graze {

namespace {

// What random numbers are drawn for. Each purpose has a stream of its own, so that one does not
// change the others.
enum Stream : std::uint32_t { kPositions, kShapes, kRotations, kScales, kJitter };

constexpr int kMaxSourcePoints = 100'000;
constexpr int kMaxPerRound = 1'000'000;
constexpr double kLeastDistance = 1e-6;  // [m] spaced_points can tell it from 0 everywhere

std::vector<std::string> with_shared(std::vector<std::string> members) {
    members.insert(members.end(), {"seed", "choose", "random_rotation", "scale", "jitter"});
    return members;
}

std::uint32_t seed_of(const JsonCursor& at) {
    std::uint32_t seed = 1;
    at.read("seed", seed);
    return seed;
}

std::int64_t read_count(const JsonCursor& at, std::int64_t limit) {
    return at.at("count").integer(1, limit);
}

// Reads one length for all axes, or three.
Vec3d lengths_at(const JsonCursor& at, const NumberRange& range) {
    if (at.is_array()) return static_cast<Vec3d>(at.vector(range));
    const double length = at.number(range);
    return {length, length, length};
}

std::vector<ArrangedBody> read_grid(const JsonCursor& at, std::int64_t limit) {
    at.require_members(with_shared({"counts", "spacing"}));
    const JsonCursor counts_at = at.at("counts");
    counts_at.size(3, 3);
    std::int64_t counts[3];
    std::int64_t all = 1;
    for (int axis = 0; axis < 3; ++axis) {
        // Limits are below 2^31, so that no product overflows before it is compared.
        counts[axis] = counts_at[static_cast<std::size_t>(axis)].integer(1, limit);
        all *= counts[axis];
        if (all > limit) {
            counts_at.fail("are more than " + std::to_string(limit) +
                           " bodies, as many as there can be");
        }
    }
    const Vec3d spacing = lengths_at(at.at("spacing"), kNotNegative);
    std::vector<ArrangedBody> bodies;
    bodies.reserve(static_cast<std::size_t>(all));
    const auto along = [&](int axis, std::int64_t i) {
        return spacing[axis] *
               (static_cast<double>(i) - 0.5 * static_cast<double>(counts[axis] - 1));
    };
    for (std::int64_t k = 0; k < counts[2]; ++k) {
        for (std::int64_t j = 0; j < counts[1]; ++j) {
            for (std::int64_t i = 0; i < counts[0]; ++i)
                bodies.push_back({.position = {along(0, i), along(1, j), along(2, k)}});
        }
    }
    return bodies;
}

PointSource read_region(const JsonCursor& at) {
    if (at.require_one_of({"box", "cylinder"}) == "box") {
        const JsonCursor box = at.at("box");
        box.require_members({"min", "max"});
        const auto low = static_cast<Vec3d>(box.at("min").vector(kAnyLength));
        const auto high = static_cast<Vec3d>(box.at("max").vector(kAnyLength));
        if (!(low.x <= high.x && low.y <= high.y && low.z <= high.z))
            box.fail("min is above max; exchange them");
        return [low, high](RandomNumbers& random) {
            const double x = random.between(low.x, high.x);
            const double y = random.between(low.y, high.y);
            return Vec3d{x, y, random.between(low.z, high.z)};
        };
    }
    const JsonCursor cylinder = at.at("cylinder");
    cylinder.require_members({"centre", "radius", "height"});
    Vec3 centre{0, 0, 0};
    cylinder.read("centre", centre, kAnyLength);
    const double radius = cylinder.at("radius").number(kNotNegative);
    const double height = cylinder.at("height").number(kNotNegative);
    return [base = static_cast<Vec3d>(centre), radius, height](RandomNumbers& random) {
        const Vec3d aside = random.in_disk() * radius;
        return base + aside + Vec3d{0, 0, random.between(0, height)};
    };
}

std::vector<ArrangedBody> read_random(const JsonCursor& at, std::int64_t limit) {
    at.require_members(with_shared({"count", "box", "cylinder", "minimum_distance"}));
    const auto count = static_cast<std::size_t>(read_count(at, limit));
    double distance = 0;
    at.read("minimum_distance", distance, {kLeastDistance, kMostLength});
    RandomNumbers random(seed_of(at), kPositions);
    const std::vector<Vec3d> points = spaced_points(count, distance, random, read_region(at));
    if (points.size() < count) {
        at.at("minimum_distance")
            .fail("leaves room for " + std::to_string(points.size()) + " of " +
                  std::to_string(count) + " bodies; make it smaller, or the region larger");
    }
    std::vector<ArrangedBody> bodies;
    bodies.reserve(count);
    for (const Vec3d& point : points)
        bodies.push_back({.position = point});
    return bodies;
}

// Returns the points of one round on a circle, which begins where it is farthest along x (or y,
// where the normal is x).
std::vector<Vec3d> read_circle(const JsonCursor& at, int per_round) {
    at.require_members({"centre", "radius", "normal"});
    Vec3 centre{0, 0, 0}, normal{0, 0, 1};
    at.read("centre", centre, kAnyLength);
    at.read("normal", normal, kAnyLength);
    const double radius = at.at("radius").number(kPositive);
    if (!(length(normal) >= static_cast<float>(kLeastSize)))
        at.at("normal").fail("has no direction; give it a length above 0");
    const Vec3d axis = normalized(static_cast<Vec3d>(normal));
    const Vec3d aside = std::fabs(axis.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d u = normalized(aside - axis * dot(axis, aside));
    const Vec3d v = cross(axis, u);
    std::vector<Vec3d> points;
    for (int i = 0; i < per_round; ++i) {
        const double angle = 2 * std::numbers::pi * i / per_round;
        points.push_back(static_cast<Vec3d>(centre) +
                         (u * std::cos(angle) + v * std::sin(angle)) * radius);
    }
    return points;
}

// Returns so many points at equal distances along the line through points, the ends included.
std::vector<Vec3d> along_line(const std::vector<Vec3d>& points, int count) {
    double whole = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        whole += distance(points[i - 1], points[i]);
    std::vector<Vec3d> result{points[0]};
    double before = 0;  // the length up to points[next - 1]
    std::size_t next = 1;
    for (int i = 1; i < count; ++i) {
        const double wanted = whole * i / (count - 1);
        while (next + 1 < points.size() &&
               before + distance(points[next - 1], points[next]) < wanted) {
            before += distance(points[next - 1], points[next]);
            ++next;
        }
        if (next >= points.size()) break;
        const double piece = distance(points[next - 1], points[next]);
        const double t = piece > 0 ? std::fmin((wanted - before) / piece, 1.0) : 0;
        result.push_back(points[next - 1] + (points[next] - points[next - 1]) * t);
    }
    return result;
}

std::vector<Vec3d> read_round(const JsonCursor& at) {
    std::optional<int> per_round;
    if (const auto found = at.find("per_round"))
        per_round = static_cast<int>(found->integer(1, kMaxPerRound));
    if (at.require_one_of({"circle", "points"}) == "circle")
        return read_circle(at.at("circle"), per_round.value_or(12));
    const JsonCursor points_at = at.at("points");
    std::vector<Vec3d> points(points_at.size(1, kMaxSourcePoints));
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = static_cast<Vec3d>(points_at[i].vector(kAnyLength));
    return per_round ? along_line(points, *per_round) : points;
}

std::vector<ArrangedBody> read_source(const JsonCursor& at, std::int64_t limit) {
    at.require_members(with_shared({"count", "interval", "circle", "points", "per_round"}));
    const auto count = static_cast<std::size_t>(read_count(at, limit));
    const double interval = at.at("interval").number({1e-6, 1e6});
    const std::vector<Vec3d> round = read_round(at);
    std::vector<ArrangedBody> bodies;
    bodies.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        bodies.push_back(
            {.position = round[i % round.size()], .delay = interval * static_cast<double>(i)});
    }
    return bodies;
}

void choose_shapes(const JsonCursor& at, std::size_t shape_count,
                   std::vector<ArrangedBody>& bodies) {
    bool is_random = false;
    at.read("choose", is_random, {{"cycle", false}, {"random", true}});
    RandomNumbers random(seed_of(at), kShapes);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        bodies[i].shape = is_random ? random.below(shape_count) : i % shape_count;
}

void vary(const JsonCursor& at, std::vector<ArrangedBody>& bodies) {
    const std::uint32_t seed = seed_of(at);
    bool is_turned = false;
    at.read("random_rotation", is_turned);
    if (is_turned) {
        RandomNumbers random(seed, kRotations);
        for (ArrangedBody& body : bodies)
            body.rotation = random.rotation();
    }
    if (const auto scale = at.find("scale")) {
        const std::vector<float> ends = scale->numbers(2, 2, kPositive);
        if (ends[0] > ends[1]) scale->fail("the least is above the most; exchange them");
        RandomNumbers random(seed, kScales);
        for (ArrangedBody& body : bodies)
            body.scale = random.between(ends[0], ends[1]);
    }
    if (const auto jitter = at.find("jitter")) {
        const Vec3d most = lengths_at(*jitter, kNotNegative);
        RandomNumbers random(seed, kJitter);
        for (ArrangedBody& body : bodies) {
            for (int axis = 0; axis < 3; ++axis)
                body.position[axis] += random.between(-most[axis], most[axis]);
        }
    }
}

}  // namespace

const std::vector<std::string>& body_generators() {
    static const std::vector<std::string> names{"grid", "random", "source"};
    return names;
}

std::vector<ArrangedBody> arrange_bodies(const JsonCursor& at, const std::string& kind,
                                         std::size_t shape_count, std::int64_t limit) {
    std::vector<ArrangedBody> bodies = kind == "grid"     ? read_grid(at, limit)
                                       : kind == "random" ? read_random(at, limit)
                                                          : read_source(at, limit);
    choose_shapes(at, shape_count, bodies);
    vary(at, bodies);
    return bodies;
}

}  // namespace graze
