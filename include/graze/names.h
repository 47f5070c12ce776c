// The names of public enums, as people write and read them: on the command line, in scene files, in
// JSON.
//
//     graze::name_of(graze::ParticleStep::over_relax)       // "over_relax"
//     graze::parse_name<graze::ParticleStep>("over_relax")  // throws Error for an unknown name
//
// Each enum has one table, below. A new value takes one line in it; the schema of scene files and
// the pages of docs/ are compared with the tables by tests.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/build_field.h"
#include "graze/compare_methods.h"
#include "graze/contact.h"
#include "graze/deforming.h"
#include "graze/detector.h"
#include "graze/recording.h"
#include "graze/scene_description.h"

namespace graze {

template <class Enum>
struct EnumName {
    Enum value;
    const char* name;     // as in C++, but for FieldOrder
    const char* meaning;  // in a few words, which follow the name in --help
};

// kNoun is what people call the enum; kTable has a line for each of its values, in their order.
template <class Enum>
struct EnumNames;

template <>
struct EnumNames<Method> {
    static constexpr const char* kNoun = "method";
    static constexpr EnumName<Method> kTable[] = {
        {Method::particles, "particles", "points projected onto the intersection of two fields"},
        {Method::features, "features", "triangles, vertices and edges of two meshes, exactly"},
        {Method::sweep, "sweep", "points of each body against the other's field, inside a step"},
        {Method::rays, "rays", "rays from the vertices of each mesh against the other"},
    };
};

template <>
struct EnumNames<SweepMotion> {
    static constexpr const char* kNoun = "motion";
    static constexpr EnumName<SweepMotion> kTable[] = {
        {SweepMotion::rigid, "rigid", "points move as their bodies do"},
        {SweepMotion::straight, "straight", "points move straight"},
    };
};

template <>
struct EnumNames<SweepRoles> {
    static constexpr const char* kNoun = "roles";
    static constexpr EnumName<SweepRoles> kTable[] = {
        {SweepRoles::both, "both", "points of both bodies"},
        {SweepRoles::points_of_a, "points_of_a", "points of the first body"},
        {SweepRoles::points_of_b, "points_of_b", "points of the second body"},
    };
};

template <>
struct EnumNames<PosePlacing> {
    static constexpr const char* kNoun = "placing";
    static constexpr EnumName<PosePlacing> kTable[] = {
        {PosePlacing::anywhere, "anywhere", "turned at random, near and in each other"},
        {PosePlacing::as_given, "as_given", "around the place that they have in their files"},
    };
};

template <>
struct EnumNames<ComparedMotion> {
    static constexpr const char* kNoun = "motion";
    static constexpr EnumName<ComparedMotion> kTable[] = {
        {ComparedMotion::none, "none", "poses are at an instant"},
        {ComparedMotion::straight, "straight", "the second body flies straight"},
        {ComparedMotion::rigid, "rigid", "and turns on its way"},
    };
};

template <>
struct EnumNames<ContactUse> {
    static constexpr const char* kNoun = "use";
    static constexpr EnumName<ContactUse> kTable[] = {
        {ContactUse::response, "response", "to push bodies apart: depths and normals count"},
        {ContactUse::check, "check", "to know whether they touch, and where"},
    };
};

template <>
struct EnumNames<RayCast> {
    static constexpr const char* kNoun = "cast";
    static constexpr EnumName<RayCast> kTable[] = {
        {RayCast::tree, "tree", "by the fastest tree of the machine"},
        {RayCast::stackless, "stackless", "by a binary tree, without a stack"},
        {RayCast::every_triangle, "every_triangle", "by looking at each triangle"},
    };
};

template <>
struct EnumNames<RayResponse> {
    static constexpr const char* kNoun = "response";
    static constexpr EnumName<RayResponse> kTable[] = {
        {RayResponse::reprojected, "reprojected", "along the normal of the face that is met"},
        {RayResponse::weighted, "weighted", "along the ray, as long as its projection"},
        {RayResponse::ray, "ray", "along the ray"},
    };
};

template <>
struct EnumNames<ParticleSampling> {
    static constexpr const char* kNoun = "sampling";
    static constexpr EnumName<ParticleSampling> kTable[] = {
        {ParticleSampling::grid, "grid", "at the centres of a grid"},
        {ParticleSampling::quasi_random, "quasi_random", "as many, evenly spread"},
        {ParticleSampling::adaptive, "adaptive", "the grid's, less those that cannot arrive"},
    };
};

template <>
struct EnumNames<ParticleStep> {
    static constexpr const char* kNoun = "step";
    static constexpr EnumName<ParticleStep> kTable[] = {
        {ParticleStep::project, "project", "onto the farther of the two surfaces"},
        {ParticleStep::over_relax, "over_relax", "farther than that where it pays"},
        {ParticleStep::tangent, "tangent", "onto both tangent planes at once"},
    };
};

template <>
struct EnumNames<NormalRule> {
    static constexpr const char* kNoun = "rule for normals";
    static constexpr EnumName<NormalRule> kTable[] = {
        {NormalRule::deeper, "deeper", "by the field that is farther from 0"},
        {NormalRule::smoother, "smoother", "likewise, or by the one that bends less"},
        {NormalRule::gradient_b, "gradient_b", "by the field of the second body"},
    };
};

template <>
struct EnumNames<FeatureKind> {
    static constexpr const char* kNoun = "feature";
    static constexpr EnumName<FeatureKind> kTable[] = {
        {FeatureKind::none, "none", "fields have none"},
        {FeatureKind::vertex, "vertex", "of a mesh"},
        {FeatureKind::edge, "edge", "of a mesh"},
        {FeatureKind::face, "face", "of a mesh"},
    };
};

template <>
struct EnumNames<FieldSign> {
    static constexpr const char* kNoun = "sign";
    static constexpr EnumName<FieldSign> kTable[] = {
        {FieldSign::automatic, "automatic", "crossings for closed meshes, else winding"},
        {FieldSign::crossings, "crossings", "exactly, for closed meshes"},
        {FieldSign::winding, "winding", "by generalised winding number, for meshes with holes"},
        {FieldSign::shell, "shell", "a solid around the surface, for sheets"},
    };
};

template <>
struct EnumNames<FieldOrder> {
    static constexpr const char* kNoun = "order";
    static constexpr EnumName<FieldOrder> kTable[] = {
        {FieldOrder::zero, "0", "a distance for each sample"},
        {FieldOrder::one, "1", "distance and gradient, more exact in the same memory"},
    };
};

template <>
struct EnumNames<PairSearch> {
    static constexpr const char* kNoun = "search";
    static constexpr EnumName<PairSearch> kTable[] = {
        {PairSearch::automatic, "automatic", "the one expected to be fastest"},
        {PairSearch::two_level_grid, "two_level_grid", "cells of two sizes"},
        {PairSearch::one_level_grid, "one_level_grid", "cells of one size"},
        {PairSearch::tree, "tree", "boxes in boxes, built anew every step"},
    };
};

template <>
struct EnumNames<TimeSolver> {
    static constexpr const char* kNoun = "solver";
    static constexpr EnumName<TimeSolver> kTable[] = {
        {TimeSolver::certified, "certified", "never too late, none missed"},
        {TimeSolver::cubic, "cubic", "floating point, no guarantee"},
    };
};

template <>
struct EnumNames<SolverKind> {
    static constexpr const char* kNoun = "solver";
    static constexpr EnumName<SolverKind> kTable[] = {
        {SolverKind::bullet, "bullet", "rigid bodies"},
        {SolverKind::cloth, "cloth", "cloth and rigid bodies"},
        {SolverKind::penalty, "penalty", "rigid bodies, by springs where they overlap"},
    };
};

template <>
struct EnumNames<PenaltyInterpolation> {
    static constexpr const char* kNoun = "interpolation";
    static constexpr EnumName<PenaltyInterpolation> kTable[] = {
        {PenaltyInterpolation::acceleration, "acceleration", "as bodies accelerate; exact normals"},
        {PenaltyInterpolation::linear, "linear", "straight from the step's begin to its end"},
    };
};

template <>
struct EnumNames<BodyMotion> {
    static constexpr const char* kNoun = "motion";
    static constexpr EnumName<BodyMotion> kTable[] = {
        {BodyMotion::dynamic, "dynamic", "moved by forces"},
        {BodyMotion::fixed, "fixed", "never moves"},
        {BodyMotion::kinematic, "kinematic", "moves by its velocities or its path"},
        {BodyMotion::cloth, "cloth", "deforms"},
    };
};

template <>
struct EnumNames<MassSource> {
    static constexpr const char* kNoun = "source of masses";
    static constexpr EnumName<MassSource> kTable[] = {
        {MassSource::mesh, "mesh", "the solid that the mesh bounds"},
        {MassSource::field, "field", "the solid where the field is negative"},
    };
};

template <>
struct EnumNames<RecordingTable> {
    static constexpr const char* kNoun = "table";
    static constexpr EnumName<RecordingTable> kTable[] = {
        {RecordingTable::poses, "poses", "a row for each body and frame"},
        {RecordingTable::contacts, "contacts", "a row for each contact and frame"},
    };
};

template <class Enum>
concept NamedEnum = requires { EnumNames<Enum>::kTable; };

// The table of an enum.
template <NamedEnum Enum>
constexpr std::span<const EnumName<Enum>> names_of() {
    return EnumNames<Enum>::kTable;
}

// The name of a value; empty where the enum has no such value.
template <NamedEnum Enum>
constexpr const char* name_of(Enum value) {
    for (const EnumName<Enum>& entry : names_of<Enum>()) {
        if (entry.value == value) return entry.name;
    }
    return "";
}

// Throws Error: "no step is called 'tangen'; did you mean 'tangent'?; there are: project, ...".
[[noreturn]] void refuse_name(const char* noun, std::string_view text,
                              const std::vector<std::string>& names);

// The value of a name; throws Error, as above, where there is none.
template <NamedEnum Enum>
Enum parse_name(std::string_view text) {
    std::vector<std::string> names;
    for (const EnumName<Enum>& entry : names_of<Enum>()) {
        if (text == entry.name) return entry.value;
        names.emplace_back(entry.name);
    }
    refuse_name(EnumNames<Enum>::kNoun, text, names);
}

}  // namespace graze
