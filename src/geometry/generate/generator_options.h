// The options of each generator, described; the tables are in mesh_generators.cpp.
#pragma once

#include "graze/mesh_generators.h"

namespace graze {

// The options of generators that take them as arguments.
struct SphereMeshOptions {
    float radius = 0.5f;
    int subdivisions = 4;
};
struct TubeMeshOptions {
    std::vector<Vec3> path{};
    float radius = 0.1f;
    int sides = 24;
};
struct StatueMeshOptions {
    std::uint32_t seed = 1;
    int resolution = 96;
};

// The descriptions point into the options.
std::vector<GeneratorOption> options_of(TorusMeshOptions& torus);
std::vector<GeneratorOption> options_of(KnotMeshOptions& knot);
std::vector<GeneratorOption> options_of(SphereMeshOptions& sphere);
std::vector<GeneratorOption> options_of(TubeMeshOptions& tube);
std::vector<GeneratorOption> options_of(GearMeshOptions& gear);
std::vector<GeneratorOption> options_of(BoltMeshOptions& bolt);
std::vector<GeneratorOption> options_of(NutMeshOptions& nut);
std::vector<GeneratorOption> options_of(PipeMeshOptions& pipe);
std::vector<GeneratorOption> options_of(BowlMeshOptions& bowl);
std::vector<GeneratorOption> options_of(FunnelMeshOptions& funnel);
std::vector<GeneratorOption> options_of(SheetMeshOptions& sheet);
std::vector<GeneratorOption> options_of(SkirtMeshOptions& skirt);
std::vector<GeneratorOption> options_of(TerrainMeshOptions& terrain);
std::vector<GeneratorOption> options_of(StatueMeshOptions& statue);

}  // namespace graze
