// compare_methods: which method of detection suits two given meshes. Every method that applies to
// them answers at the same poses, an exact judge tells how well, and rules that look at nothing but
// what was measured make a recommendation of it. docs/methods.md states the rules.
//
//     const graze::MethodComparison found = graze::compare_methods(bolt, nut);
//     std::puts(found.recommendation.summary.c_str());
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graze/detector.h"

namespace graze {

// Where the bodies of a comparison are.
enum class PosePlacing {
    anywhere,  // turned at random, from a near miss to deep in each other
    as_given,  // around the place that they have in their files
};

// What happens within a step.
enum class ComparedMotion {
    none,      // poses are at an instant
    straight,  // the second body flies straight
    rigid,     // and turns on its way
};

// What contacts are for.
enum class ContactUse {
    response,  // to push bodies apart: depths and normals must be right
    check,     // to know whether they touch, and where
};

struct ComparisonOptions {
    int pose_count = 24;
    unsigned seed = 1;
    // The fraction of the poses in which bodies are made to touch; those placed as given touch or
    // not as they come.
    double touching_share = 0.75;
    PosePlacing placing = PosePlacing::anywhere;
    ComparedMotion motion = ComparedMotion::none;
    // How far the second body flies in a step, in diagonals of the smaller body's box.
    double travel = 3;
    ContactUse use = ContactUse::response;
    // [m] What is smaller than that does not matter; 0 means 0.005 of the diagonal of the smaller
    // body's box.
    double accuracy = 0;
    // [s] A method that takes more of the clock and of the processor for a pair is given up:
    // impacts of bodies that fly all through each other can be more than memory holds.
    double patience = 5;
    FieldOptions field = {};  // how fields of the meshes are built; their progress is not asked
    Device device = Device::cpu();
    // Stops the comparison with an Error by returning false.
    Progress progress = nullptr;
};

// One of the poses; the first body stays where its file has it.
struct ComparedPose {
    Transform b = Transform::identity();  // world from the second body, at the step's start
    std::optional<Transform> b_t1 = std::nullopt;  // and at its end, where it moves
};

// What the judge says of a pose. A part is a piece of the boundary of what both bodies have in
// common that hangs together; of bodies without an inside, a curve in which their surfaces cross.
struct PoseTruth {
    bool touches = false;  // anywhere in the step, where the body moves
    // Whether a part is larger than the accuracy, or the pose is one with motion and touches: then
    // a method must find it.
    bool must_be_found = false;
    bool has_contained = false;  // a whole piece of one body lies inside the other
    int part_count = 0;          // parts larger than the accuracy
    // [m] How far the deepest point of either surface is below the other: the deepest of all
    // vertices and of points spread over both surfaces. 0 where neither body has an inside.
    double depth = 0;
    double time = 0;  // when they first touch in the step; 0 to 1
};

// What a method says of a pose.
struct PoseScore {
    std::int64_t contact_count = 0;
    int found_part_count = 0;
    int judged_count = 0, false_count = 0;  // contacts: a false one is not on both bodies
    double depth = 0;                       // [m] of the deepest contact
    std::vector<float> normal_errors;       // [rad] of those judged, where it is deep
    double time = 1;                        // of the first contact
    double seconds = 0;                     // the least of several calls

    bool touches() const { return contact_count > 0; }
};

// A method with its options, and how it did over all poses.
struct MethodScore {
    std::string name;  // as people say it, such as "particles, 30"
    std::string hint;  // the options of graze collide that ask for it
    Method method = Method::particles;
    DetectorOptions options = {};
    bool applies = true;
    std::string reason = {};  // why it does not apply, or was given up: a pair took too long

    std::vector<PoseScore> poses = {};
    int must_count = 0, missed_count = 0;        // poses that must be found, and those that are not
    int graze_count = 0, found_graze_count = 0;  // poses that touch by less than the accuracy
    int apart_count = 0, false_pair_count = 0;   // poses that do not touch, and those reported
    int part_count = 0, found_part_count = 0;
    std::int64_t judged_count = 0, false_count = 0;  // contacts
    // How far depths are off, over the depth: the median of the poses that are deeper than the
    // accuracy. None where no such pose was found.
    std::optional<double> depth_error = {};
    std::optional<double> normal_error = {};  // [rad] the median of the contacts
    // [m] How far the body still is from where it first touches at the time that the method says,
    // or how far past it: the median. None where nothing moves.
    std::optional<double> time_error = {};
    double seconds = 0;             // of a pair, the median of the poses
    double prepare_seconds = 0;     // for both shapes, fields included
    std::int64_t memory_bytes = 0;  // kept for both shapes and the detector
    int worst_pose = -1;            // none where nothing is wrong

    double pair_recall() const;
    double part_recall() const;
    double false_share() const;
};

// What the judge found out about one of the meshes.
struct ComparedBody {
    std::int64_t triangle_count = 0;
    double size = 0;  // [m] the diagonal of the box
    // Whether the mesh tells inside from outside: of points next to its surface, 95% and more have
    // a winding number that is nearly whole. What has no inside has no depth.
    bool has_inside = false;
    double whole_share = 0;  // of those points
    double field_error = 0;  // [m] Field::error; 0 where no field was built
};

struct MethodRecommendation {
    int score = -1;                    // in MethodComparison::scores
    bool meets_all = false;            // it fulfils every rule; else it only comes nearest
    std::string summary;               // one sentence
    std::vector<std::string> reasons;  // a sentence for each other method
    std::vector<std::string> options;  // what would change it
};

struct MethodComparison {
    ComparedBody a, b;
    double accuracy = 0;  // [m]
    std::vector<ComparedPose> poses;
    std::vector<PoseTruth> truths;
    std::vector<MethodScore> scores;
    MethodRecommendation recommendation;
    double judge_seconds = 0;
};

// Throws Error where a mesh is empty or not finite, the options make no sense or no method applies.
// What is judged is the same for any number of threads; times and memory are not, and so neither is
// a recommendation between two that are about as fast.
MethodComparison compare_methods(const Mesh& a, const Mesh& b,
                                 const ComparisonOptions& options = {});

// What compare_methods() recommends of scores; for other uses of the same scores, too.
MethodRecommendation recommend_method(const MethodComparison& comparison, ContactUse use);

}  // namespace graze
