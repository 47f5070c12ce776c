#include "graze/mesh_generators.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "geometry/generate/generator_options.h"

namespace graze {

namespace {

using Unit = GeneratorOption::Unit;
using Detail = GeneratorOption::Detail;

// A length is between a micrometre and 1,000 km: beyond, floats are too small or too coarse.
constexpr double kLeastMeasure = 1e-6, kMostMeasure = 1e6;  // [m]
constexpr double kMostSegments = 4096;                      // two of them make 33 million triangles
constexpr double kMostPathPoints = 10'000;
constexpr double kMostSeed = 4'294'967'295.0;

GeneratorOption length_option(const char* name, float& value, const char* meaning) {
    return {.name = name,
            .meaning = meaning,
            .value = &value,
            .unit = Unit::metre,
            .least = kLeastMeasure,
            .most = kMostMeasure};
}
// 0 means that the mesh has none.
GeneratorOption length_or_none(const char* name, float& value, const char* meaning) {
    GeneratorOption option = length_option(name, value, meaning);
    option.least = 0;
    return option;
}
GeneratorOption angle_option(const char* name, float& value, double least, double most,
                             const char* meaning) {
    return {.name = name,
            .meaning = meaning,
            .value = &value,
            .unit = Unit::radian,
            .least = least,
            .most = most};
}
template <class Number>
GeneratorOption number_option(const char* name, Number& value, double least, double most,
                              const char* meaning) {
    return {.name = name, .meaning = meaning, .value = &value, .least = least, .most = most};
}
// A number that says how fine the mesh is.
GeneratorOption segments_option(const char* name, int& value, int least, const char* meaning) {
    GeneratorOption option = number_option(name, value, least, kMostSegments, meaning);
    option.detail = Detail::segments;
    return option;
}
GeneratorOption seed_option(std::uint32_t& value) {
    return number_option("seed", value, 0, kMostSeed, "Another number, another one of them");
}
GeneratorOption required(GeneratorOption option) {
    option.is_required = true;
    return option;
}

std::vector<GeneratorOption> thread_options(ThreadOptions& thread) {
    std::vector<GeneratorOption> options{
        length_option("radius", thread.radius, "Radius of the bolt at the thread's crest"),
        length_option("pitch", thread.pitch, "Pitch of the thread, along the axis in one turn"),
        length_option("depth", thread.depth, "Depth of the thread, from crest to root"),
        angle_option("flank_angle", thread.flank_angle, 0.05, 1.4,
                     "Angle of the flanks to the plane across the axis"),
        segments_option("segments", thread.segments, 12, "Segments around the axis")};
    options[0].flag = "--thread-radius";  // a nut has a radius of its own
    options[4].factor = 6;                // for the hexagon
    for (GeneratorOption& option : options)
        option.group = "thread";
    return options;
}

std::vector<GeneratorOption> joined(std::vector<GeneratorOption> first,
                                    const std::vector<GeneratorOption>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

template <class Options, class Make>
MeshRecipe recipe_of(const char* name, const char* meaning, const Make& make) {
    const auto options = std::make_shared<Options>();
    return {name, meaning, options_of(*options), [options, make] { return make(*options); }};
}

}  // namespace

std::vector<GeneratorOption> options_of(TorusMeshOptions& torus) {
    return {length_option("radius", torus.radius, "Radius of the circle in the middle of the tube"),
            length_option("tube_radius", torus.tube_radius, "Radius of the tube, below radius"),
            segments_option("segments", torus.segments, 3, "Segments around the axis"),
            segments_option("sides", torus.sides, 3, "Segments around the tube")};
}

std::vector<GeneratorOption> options_of(KnotMeshOptions& knot) {
    return {number_option("p", knot.p, 1, 64, "Turns around the axis"),
            number_option("q", knot.q, 1, 64, "Turns around the torus's tube"),
            length_option("radius", knot.radius, "Radius of the torus"),
            length_option("winding_radius", knot.winding_radius,
                          "Radius of the torus's tube, on which the knot lies"),
            length_option("tube_radius", knot.tube_radius, "Radius of the knot's own tube"),
            segments_option("segments", knot.segments, 3, "Segments along the knot"),
            segments_option("sides", knot.sides, 3, "Segments around its tube")};
}

std::vector<GeneratorOption> options_of(SphereMeshOptions& sphere) {
    // 9 subdivisions make 5 million triangles.
    GeneratorOption subdivisions = number_option("subdivisions", sphere.subdivisions, 0, 9,
                                                 "How often each triangle becomes four");
    subdivisions.detail = Detail::subdivisions;
    return {required(length_option("radius", sphere.radius, "Radius of the ball")), subdivisions};
}

std::vector<GeneratorOption> options_of(TubeMeshOptions& tube) {
    const GeneratorOption path{.name = "path",
                               .meaning = "The points, \"x y z, x y z, ...\"",
                               .value = &tube.path,
                               .unit = Unit::metre,
                               .least = 2,
                               .most = kMostPathPoints,
                               .is_required = true};
    return {path, required(length_option("radius", tube.radius, "Radius of the bar")),
            segments_option("sides", tube.sides, 3, "Segments around it")};
}

std::vector<GeneratorOption> options_of(GearMeshOptions& gear) {
    return {segments_option("teeth", gear.teeth, 3, "How many teeth"),
            length_option("radius", gear.radius, "Radius to the middle of the teeth"),
            length_option("tooth_height", gear.tooth_height, "Height of a tooth, from root to tip"),
            length_option("thickness", gear.thickness, "Thickness along z"),
            length_or_none("bore_radius", gear.bore_radius, "Radius of the bore, 0 for none")};
}

std::vector<GeneratorOption> options_of(BoltMeshOptions& bolt) {
    return joined(
        thread_options(bolt.thread),
        {length_option("length", bolt.length, "Length of the shaft"),
         length_option("head_radius", bolt.head_radius, "Radius of the head, to its corners"),
         length_option("head_height", bolt.head_height, "Height of the head")});
}

std::vector<GeneratorOption> options_of(NutMeshOptions& nut) {
    return joined(thread_options(nut.thread),
                  {length_or_none("clearance", nut.clearance, "Distance between nut and bolt"),
                   length_option("height", nut.height, "Height along the axis"),
                   length_option("radius", nut.radius, "Radius to the corners")});
}

std::vector<GeneratorOption> options_of(PipeMeshOptions& pipe) {
    return {
        length_option("coil_radius", pipe.coil_radius, "Radius of the helix"),
        length_option("rise", pipe.rise, "Rise of the helix in one turn"),
        number_option("turns", pipe.turns, 0.05, 100, "Turns of the helix"),
        length_option("inner_radius", pipe.inner_radius, "Radius of the tube inside"),
        length_option("wall", pipe.wall, "Thickness of the wall"),
        length_or_none("mouth_radius", pipe.mouth_radius,
                       "Radius of the funnel on top, inside, 0 for none"),
        segments_option("segments", pipe.segments, 8, "Segments along the helix"),
        segments_option("sides", pipe.sides, 3, "Segments around the tube"),
    };
}

std::vector<GeneratorOption> options_of(BowlMeshOptions& bowl) {
    return {length_option("radius", bowl.radius, "Radius inside"),
            length_option("wall", bowl.wall, "Thickness of the wall"),
            angle_option("opening", bowl.opening, 0.01, 3.13,
                         "Angle of the rim from the downward axis"),
            segments_option("segments", bowl.segments, 3, "Segments around the axis"),
            segments_option("rings", bowl.rings, 1, "Segments from the bottom to the rim")};
}

std::vector<GeneratorOption> options_of(FunnelMeshOptions& funnel) {
    return {
        length_option("mouth_radius", funnel.mouth_radius, "Radius of the mouth on top, inside"),
        length_option("throat_radius", funnel.throat_radius,
                      "Radius of the tube, inside, below mouth_radius"),
        length_option("cone_height", funnel.cone_height, "Height from the throat to the mouth"),
        length_option("throat_length", funnel.throat_length, "Length of the tube"),
        length_option("wall", funnel.wall, "Thickness of the wall"),
        segments_option("segments", funnel.segments, 3, "Segments around the axis"),
        segments_option("rings", funnel.rings, 1, "Segments along the cone"),
    };
}

std::vector<GeneratorOption> options_of(SheetMeshOptions& sheet) {
    return {length_option("width", sheet.width, "Width along x"),
            length_option("depth", sheet.depth, "Depth along y"),
            segments_option("columns", sheet.columns, 1, "Cells along x"),
            segments_option("rows", sheet.rows, 1, "Cells along y")};
}

std::vector<GeneratorOption> options_of(SkirtMeshOptions& skirt) {
    return {
        length_option("waist_radius", skirt.waist_radius, "Radius of the waist, on top"),
        length_option("hem_radius", skirt.hem_radius, "Radius of the hem, below"),
        length_option("length", skirt.length, "Length from waist to hem along z"),
        number_option("pleats", skirt.pleats, 0, 1000, "Waves around the hem"),
        length_or_none("pleat_depth", skirt.pleat_depth, "Depth of the waves, to either side"),
        segments_option("segments", skirt.segments, 3, "Segments around the axis"),
        segments_option("rings", skirt.rings, 1, "Segments from waist to hem"),
    };
}

std::vector<GeneratorOption> options_of(TerrainMeshOptions& terrain) {
    return {
        length_option("size", terrain.size, "Length of a side of the square"),
        length_or_none("height", terrain.height,
                       "Height that hills stay below and hollows above minus it"),
        length_option("wavelength", terrain.wavelength, "Wavelength of the largest hills"),
        length_or_none("rim_height", terrain.rim_height,
                       "Height of a bank along the border, 0 for none"),
        length_option("depth", terrain.depth, "Depth of the floor below z = 0, above height"),
        segments_option("cells", terrain.cells, 1, "Cells along a side"),
        seed_option(terrain.seed),
    };
}

std::vector<GeneratorOption> options_of(StatueMeshOptions& statue) {
    // Fingers get lost below 48; the cube of the resolution is the work.
    GeneratorOption resolution =
        segments_option("resolution", statue.resolution, 48, "Cells along its height");
    resolution.most = 512;
    return {seed_option(statue.seed), resolution};
}

std::string GeneratorOption::command_flag() const {
    if (*flag != '\0') return flag;
    std::string text = name;
    std::replace(text.begin(), text.end(), '_', '-');
    return (text.size() == 1 ? "-" : "--") + text;
}

GeneratorOption::Range GeneratorOption::shown_range() const {
    if (unit == Unit::radian) {
        const double tenths = 1800 / std::numbers::pi;
        return {std::ceil(least * tenths) / 10, std::floor(most * tenths) / 10};
    }
    if (factor == 1) return {least, most};
    return {std::ceil(least / factor) * factor, std::floor(most / factor) * factor};
}

std::vector<MeshRecipe> mesh_recipes() {
    return {
        recipe_of<TorusMeshOptions>("torus", "A ring around the z axis", make_torus),
        recipe_of<KnotMeshOptions>("knot", "A tube along a torus knot", make_knot),
        recipe_of<SphereMeshOptions>(
            "sphere", "A ball of 20 * 4^N triangles",
            [](const SphereMeshOptions& o) { return make_sphere(o.radius, o.subdivisions); }),
        recipe_of<TubeMeshOptions>(
            "tube", "A bar along points, with flat ends",
            [](const TubeMeshOptions& o) { return make_tube(o.path, o.radius, o.sides); }),
        recipe_of<GearMeshOptions>("gear", "A spur gear around the z axis", make_gear),
        recipe_of<BoltMeshOptions>("bolt", "A right-handed bolt, its shaft upwards", make_bolt),
        recipe_of<NutMeshOptions>(
            "nut", "The nut of a bolt; it fits the bolt with the same options of a thread",
            make_nut),
        recipe_of<PipeMeshOptions>("pipe", "A tube with a wall along a helix", make_pipe),
        recipe_of<BowlMeshOptions>("bowl", "A part of a sphere with a wall, open upwards",
                                   make_bowl),
        recipe_of<FunnelMeshOptions>("funnel", "A cone over a tube, open at both ends",
                                     make_funnel),
        recipe_of<SheetMeshOptions>("sheet", "Cloth: a flat rectangle, open", make_sheet),
        recipe_of<SkirtMeshOptions>("skirt", "Cloth: a layer around the z axis, open", make_skirt),
        recipe_of<TerrainMeshOptions>("terrain", "Hills over a square, solid below", make_terrain),
        recipe_of<StatueMeshOptions>(
            "statue", "A standing figure, 1 m high",
            [](const StatueMeshOptions& o) { return make_statue(o.seed, o.resolution); }),
    };
}

}  // namespace graze
