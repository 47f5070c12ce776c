#include "simulation/read_formula.h"

#include "simulation/read_pose.h"

namespace graze {

namespace {

constexpr int kMaxFormulas = 1024;
constexpr std::int64_t kMaxHeightsAlong = 4096;

float length_at(const JsonCursor& at, const char* member, const NumberRange& range = kPositive) {
    return static_cast<float>(at.at(member).number(range));
}

Field read_plane(const JsonCursor& at) {
    at.require_members({"normal", "offset"});
    Vec3 normal{0, 0, 1};
    float offset = 0;
    at.read("normal", normal, kAnyLength);
    at.read("offset", offset, kAnyLength);
    if (!(length(normal) >= static_cast<float>(kLeastSize)))
        at.at("normal").fail("has no direction; give it a length above 0");
    return Field::plane(normal, offset);
}

Field read_sphere(const JsonCursor& at) {
    at.require_members({"radius", "centre"});
    Vec3 centre{0, 0, 0};
    at.read("centre", centre, kAnyLength);
    return Field::sphere(centre, length_at(at, "radius"));
}

Field read_box(const JsonCursor& at) {
    at.require_members({"half_extent"});
    return Field::box(at.at("half_extent").vector(kPositive));
}

Field read_rounded_box(const JsonCursor& at) {
    at.require_members({"half_extent", "radius"});
    return Field::rounded_box(at.at("half_extent").vector(kPositive),
                              length_at(at, "radius", kNotNegative));
}

Field read_capsule(const JsonCursor& at) {
    at.require_members({"a", "b", "radius"});
    return Field::capsule(at.at("a").vector(kAnyLength), at.at("b").vector(kAnyLength),
                          length_at(at, "radius"));
}

Field read_cylinder(const JsonCursor& at) {
    at.require_members({"radius", "half_height"});
    return Field::cylinder(length_at(at, "radius"), length_at(at, "half_height"));
}

Field read_cone(const JsonCursor& at) {
    at.require_members({"radius", "height"});
    return Field::cone(length_at(at, "radius"), length_at(at, "height"));
}

Field read_torus(const JsonCursor& at) {
    at.require_members({"ring_radius", "tube_radius"});
    return Field::torus(length_at(at, "ring_radius"), length_at(at, "tube_radius"));
}

Field read_height_map(const JsonCursor& at) {
    at.require_members({"origin", "spacing", "size", "heights"});
    HeightMap map{.origin = {0, 0, 0}, .spacing = length_at(at, "spacing"), .size = {}, .heights{}};
    at.read("origin", map.origin, kAnyLength);
    const JsonCursor size = at.at("size");
    size.size(2, 2);
    for (const std::size_t axis : {0, 1}) {
        map.size[axis] = static_cast<std::int32_t>(size[axis].integer(2, kMaxHeightsAlong));
    }
    const std::size_t count = std::size_t(map.size[0]) * std::size_t(map.size[1]);
    map.heights = at.at("heights").numbers(count, count, kAnyLength);
    return Field::height_map(std::move(map));
}

class FormulaReader {
public:
    Field read(const JsonCursor& at) {
        if (++count_ > kMaxFormulas)
            at.fail("more than " + std::to_string(kMaxFormulas) + " formulas in one shape");
        const std::string kind = kind_of(at);
        return at.located([&] {
            Field field = read_kind(at.at(kind), kind);
            const auto pose = at.find("pose");
            return pose ? field.transformed(read_pose(*pose)) : field;
        });
    }

private:
    using Read = Field (*)(const JsonCursor&);
    static constexpr std::pair<const char*, Read> kKinds[] = {{"plane", read_plane},
                                                              {"sphere", read_sphere},
                                                              {"box", read_box},
                                                              {"rounded_box", read_rounded_box},
                                                              {"capsule", read_capsule},
                                                              {"cylinder", read_cylinder},
                                                              {"cone", read_cone},
                                                              {"torus", read_torus},
                                                              {"height_map", read_height_map}};

    static std::string kind_of(const JsonCursor& at) {
        std::vector<std::string> kinds;
        for (const auto& [name, read] : kKinds)
            kinds.emplace_back(name);
        kinds.insert(kinds.end(), {"union", "intersection", "difference"});
        std::vector<std::string> known = kinds;
        known.emplace_back("pose");
        at.require_members(known);
        return at.require_one_of(kinds);
    }

    Field read_kind(const JsonCursor& at, const std::string& kind) {
        for (const auto& [name, read] : kKinds) {
            if (kind == name) return read(at);
        }
        return read_combination(at, kind);
    }

    Field read_combination(const JsonCursor& at, const std::string& kind) {
        const std::size_t count = at.size(1, kMaxFormulas);
        Field field = read(at[0]);
        for (std::size_t i = 1; i < count; ++i) {
            const Field other = read(at[i]);
            field = kind == "union"          ? unite(field, other)
                    : kind == "intersection" ? intersect(field, other)
                                             : subtract(field, other);
        }
        return field;
    }

    int count_ = 0;
};

}  // namespace

Field read_formula(const JsonCursor& at) {
    return FormulaReader().read(at);
}

}  // namespace graze
