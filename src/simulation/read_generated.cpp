#include "simulation/read_generated.h"

#include <algorithm>
#include <numbers>

#include "graze/generate_mesh.h"

namespace graze {

namespace {

using Make = std::function<Mesh()>;

constexpr std::size_t kMaxGeneratedPoints = 10'000;
// These and all ranges below are those of the generators (src/geometry/generate_*.cpp), so that
// what they would refuse is told with its place in the file. Angles are rounded inwards.
constexpr NumberRange kMeasure{1e-6, 1e6}, kMeasureOrNone{0, 1e6};  // [m]
constexpr int kMaxCount = 4096;
// So that a sphere has 5 million triangles at most.
constexpr int kMaxSubdivisions = 9;
// Its cube is the work.
constexpr int kMinStatueResolution = 48, kMaxStatueResolution = 512;

// Members of one kind of mesh.
class Options {
public:
    Options(JsonCursor at, int detail_limit, const std::vector<std::string>& known)
        : at_(std::move(at)), detail_limit_(detail_limit) {
        at_.require_members(known);
    }

    const JsonCursor& at() const { return at_; }
    void size(const char* member, float& value) const { at_.read(member, value, kMeasure); }
    void size_or_none(const char* member, float& value) const {
        at_.read(member, value, kMeasureOrNone);
    }
    // A multiple of factor, as least is.
    void count(const char* member, int& value, int least, int factor = 1) const {
        const int limit = std::min(detail_limit_, kMaxCount);
        const int most = std::max(least, limit - limit % factor);
        at_.read(member, value, least, most);
        if (value % factor != 0) {
            at_.at(member).fail("is " + std::to_string(value) + "; give a multiple of " +
                                std::to_string(factor));
        }
        // A default may be finer than the limit.
        value = std::min(value, most);
    }
    // [degrees] in the file, [rad] in the options.
    void angle(const char* member, float& radians, const NumberRange& degrees) const {
        if (const auto found = at_.find(member))
            radians = static_cast<float>(found->number(degrees) * std::numbers::pi / 180);
    }

private:
    JsonCursor at_;
    int detail_limit_;
};

Make read_torus(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"radius", "tube_radius", "segments", "sides"});
    TorusMeshOptions torus;
    in.size("radius", torus.radius);
    in.size("tube_radius", torus.tube_radius);
    in.count("segments", torus.segments, 3);
    in.count("sides", torus.sides, 3);
    return [torus] { return make_torus(torus); };
}

Make read_knot(const JsonCursor& at, int limit) {
    const Options in(at, limit,
                     {"p", "q", "radius", "winding_radius", "tube_radius", "segments", "sides"});
    KnotMeshOptions knot;
    at.read("p", knot.p, 1, 64);
    at.read("q", knot.q, 1, 64);
    in.size("radius", knot.radius);
    in.size("winding_radius", knot.winding_radius);
    in.size("tube_radius", knot.tube_radius);
    in.count("segments", knot.segments, 3);
    in.count("sides", knot.sides, 3);
    return [knot] { return make_knot(knot); };
}

Make read_sphere(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"radius", "subdivisions"});
    const auto radius = static_cast<float>(at.at("radius").number(kMeasure));
    int subdivisions = 4, most = 0;
    while (most < kMaxSubdivisions && (2 << most) <= limit)
        ++most;
    at.read("subdivisions", subdivisions, 0, most);
    subdivisions = std::min(subdivisions, most);
    return [radius, subdivisions] { return make_sphere(radius, subdivisions); };
}

Make read_tube(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"path", "radius", "sides"});
    const JsonCursor path_at = at.at("path");
    std::vector<Vec3> path(path_at.size(2, kMaxGeneratedPoints));
    for (std::size_t i = 0; i < path.size(); ++i)
        path[i] = path_at[i].vector(kAnyLength);
    const auto radius = static_cast<float>(at.at("radius").number(kMeasure));
    int sides = 24;
    in.count("sides", sides, 3);
    return [path, radius, sides] { return make_tube(path, radius, sides); };
}

Make read_gear(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"teeth", "radius", "tooth_height", "thickness", "bore_radius"});
    GearMeshOptions gear;
    in.count("teeth", gear.teeth, 3);
    in.size("radius", gear.radius);
    in.size("tooth_height", gear.tooth_height);
    in.size("thickness", gear.thickness);
    in.size_or_none("bore_radius", gear.bore_radius);
    return [gear] { return make_gear(gear); };
}

void read_thread(const JsonCursor& parent, int limit, ThreadOptions& thread) {
    const auto at = parent.find("thread");
    if (!at) return;
    const Options in(*at, limit, {"radius", "pitch", "depth", "flank_angle", "segments"});
    in.size("radius", thread.radius);
    in.size("pitch", thread.pitch);
    in.size("depth", thread.depth);
    in.angle("flank_angle", thread.flank_angle, {2.9, 80.2});
    in.count("segments", thread.segments, 12, 6);
}

Make read_bolt(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"thread", "length", "head_radius", "head_height"});
    BoltMeshOptions bolt;
    read_thread(at, limit, bolt.thread);
    in.size("length", bolt.length);
    in.size("head_radius", bolt.head_radius);
    in.size("head_height", bolt.head_height);
    return [bolt] { return make_bolt(bolt); };
}

Make read_nut(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"thread", "clearance", "height", "radius"});
    NutMeshOptions nut;
    read_thread(at, limit, nut.thread);
    in.size_or_none("clearance", nut.clearance);
    in.size("height", nut.height);
    in.size("radius", nut.radius);
    return [nut] { return make_nut(nut); };
}

Make read_pipe(const JsonCursor& at, int limit) {
    const Options in(at, limit,
                     {"coil_radius", "rise", "turns", "inner_radius", "wall", "mouth_radius",
                      "segments", "sides"});
    PipeMeshOptions pipe;
    in.size("coil_radius", pipe.coil_radius);
    in.size("rise", pipe.rise);
    at.read("turns", pipe.turns, {0.05, 100});
    in.size("inner_radius", pipe.inner_radius);
    in.size("wall", pipe.wall);
    in.size_or_none("mouth_radius", pipe.mouth_radius);
    in.count("segments", pipe.segments, 8);
    in.count("sides", pipe.sides, 3);
    return [pipe] { return make_pipe(pipe); };
}

Make read_bowl(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"radius", "wall", "opening", "segments", "rings"});
    BowlMeshOptions bowl;
    in.size("radius", bowl.radius);
    in.size("wall", bowl.wall);
    in.angle("opening", bowl.opening, {0.6, 179.3});
    in.count("segments", bowl.segments, 3);
    in.count("rings", bowl.rings, 1);
    return [bowl] { return make_bowl(bowl); };
}

Make read_funnel(const JsonCursor& at, int limit) {
    const Options in(at, limit,
                     {"mouth_radius", "throat_radius", "cone_height", "throat_length", "wall",
                      "segments", "rings"});
    FunnelMeshOptions funnel;
    in.size("mouth_radius", funnel.mouth_radius);
    in.size("throat_radius", funnel.throat_radius);
    in.size("cone_height", funnel.cone_height);
    in.size("throat_length", funnel.throat_length);
    in.size("wall", funnel.wall);
    in.count("segments", funnel.segments, 3);
    in.count("rings", funnel.rings, 1);
    return [funnel] { return make_funnel(funnel); };
}

Make read_sheet(const JsonCursor& at, int limit) {
    const Options in(at, limit, {"width", "depth", "columns", "rows"});
    SheetMeshOptions sheet;
    in.size("width", sheet.width);
    in.size("depth", sheet.depth);
    in.count("columns", sheet.columns, 1);
    in.count("rows", sheet.rows, 1);
    return [sheet] { return make_sheet(sheet); };
}

Make read_skirt(const JsonCursor& at, int limit) {
    const Options in(
        at, limit,
        {"waist_radius", "hem_radius", "length", "pleats", "pleat_depth", "segments", "rings"});
    SkirtMeshOptions skirt;
    in.size("waist_radius", skirt.waist_radius);
    in.size("hem_radius", skirt.hem_radius);
    in.size("length", skirt.length);
    at.read("pleats", skirt.pleats, 0, 1000);
    in.size_or_none("pleat_depth", skirt.pleat_depth);
    in.count("segments", skirt.segments, 3);
    in.count("rings", skirt.rings, 1);
    return [skirt] { return make_skirt(skirt); };
}

Make read_terrain(const JsonCursor& at, int limit) {
    const Options in(at, limit,
                     {"size", "height", "wavelength", "rim_height", "depth", "cells", "seed"});
    TerrainMeshOptions terrain;
    in.size("size", terrain.size);
    in.size_or_none("height", terrain.height);
    in.size("wavelength", terrain.wavelength);
    in.size_or_none("rim_height", terrain.rim_height);
    in.size("depth", terrain.depth);
    in.count("cells", terrain.cells, 1);
    at.read("seed", terrain.seed);
    return [terrain] { return make_terrain(terrain); };
}

Make read_statue(const JsonCursor& at, int limit) {
    at.require_members({"seed", "resolution"});
    std::uint32_t seed = 1;
    int resolution = 96;
    at.read("seed", seed);
    const int most = std::clamp(limit, kMinStatueResolution, kMaxStatueResolution);
    at.read("resolution", resolution, kMinStatueResolution, most);
    resolution = std::min(resolution, most);
    return [seed, resolution] { return make_statue(seed, resolution); };
}

using Read = Make (*)(const JsonCursor& at, int limit);
constexpr std::pair<const char*, Read> kKinds[] = {
    {"torus", read_torus},     {"knot", read_knot},    {"sphere", read_sphere},
    {"tube", read_tube},       {"gear", read_gear},    {"bolt", read_bolt},
    {"nut", read_nut},         {"pipe", read_pipe},    {"bowl", read_bowl},
    {"funnel", read_funnel},   {"sheet", read_sheet},  {"skirt", read_skirt},
    {"terrain", read_terrain}, {"statue", read_statue}};

}  // namespace

GeneratedMesh read_generated(const JsonCursor& at, int detail_limit) {
    std::vector<std::string> kinds;
    for (const auto& [name, read] : kKinds)
        kinds.emplace_back(name);
    at.require_members(kinds);
    const std::string kind = at.require_one_of(kinds);
    for (const auto& [name, read] : kKinds) {
        if (kind == name) return {kind, read(at.at(kind), detail_limit)};
    }
    at.fail("is of no kind");  // not reached
}

}  // namespace graze
