// The generators of generate_mesh.h with their options described, for programs that let people
// choose: name, unit, default, range and meaning of each. Scene files and `graze generate` are read
// by these descriptions, and the generators check their options by them.
//
//     for (graze::MeshRecipe& recipe : graze::mesh_recipes()) {
//         for (const graze::GeneratorOption& option : recipe.options) ...  // show and assign
//         graze::Mesh mesh = recipe.make();
//     }
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "graze/generate_mesh.h"

namespace graze {

struct GeneratorOption {
    enum class Unit {
        none,
        metre,
        radian,  // people give degrees, in scene files and on the command line
    };
    // How a limit of detail, the largest number of segments and the like, bounds an option.
    enum class Detail {
        none,
        segments,      // the value is such a number
        subdivisions,  // 2 to the power of the value is
    };

    const char* name;     // in C++ and in scene files: "tube_radius"
    const char* meaning;  // in a few words, without its unit
    // The value, which is the default until another is assigned. A recipe owns it.
    std::variant<float*, int*, std::uint32_t*, std::vector<Vec3>*> value;
    Unit unit = Unit::none;
    double least = 0, most = 0;  // the range, in the unit; of a path, that of the number of points
    int factor = 1;              // the value is a multiple of it
    Detail detail = Detail::none;
    bool is_required = false;  // in scene files, whatever the default
    const char* group = "";    // the object that has it in scene files, as "thread"; empty: none
    const char* flag = "";     // on the command line, where the name alone would not do

    // "--tube-radius", or "-p" where the name is one letter.
    std::string command_flag() const;
    // The range as people see it: angles are in degrees, rounded inwards to tenths, and both ends
    // are multiples of the factor.
    struct Range {
        double least, most;
    };
    Range shown_range() const;
};

// A mesh to be made. Copies share their options.
struct MeshRecipe {
    const char* name;     // "torus"
    const char* meaning;  // "A ring around the z axis"
    std::vector<GeneratorOption> options;
    std::function<Mesh()> make;  // throws Error where the options make no sense
};

// One recipe for each generator, all options at their defaults, in the order of generate_mesh.h.
std::vector<MeshRecipe> mesh_recipes();

}  // namespace graze
