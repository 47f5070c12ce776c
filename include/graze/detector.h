// Detector: from a scene to its contacts, step after step.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "graze/contact.h"
#include "graze/scene.h"

namespace graze {

enum class Method {
    // Distance field against distance field, at an instant: points are projected onto the
    // intersection of the bodies. It knows how deep bodies are in each other.
    particles,
    // Mesh against mesh, decided exactly. Of two bodies that do not move: the triangles that
    // intersect, and the vertices and faces, edges and edges within the gap. Where one of them
    // moves (Scene::set_motion): the triangles that intersect at t0, and when inside the step a
    // vertex meets a face or an edge an edge, none missed; every vertex moves straight.
    // docs/concepts/contacts.md defines each field of such contacts.
    features,
    // Points of each body against the distance field of the other, anywhere inside the step: when
    // does a point come within the gap, none missed. Where no body moves, at t0.
    sweep,
    // Mesh against mesh, at an instant: from the vertices of each body rays go against their
    // normals, and where one meets the other body from inside before it leaves its own, its vertex
    // is a contact. From step to step rays are followed over the triangles that they met. It knows
    // how deep bodies are in each other.
    rays,
};

// Where the particles of a pair begin.
enum class ParticleSampling {
    grid,          // the centres of a grid over the boxes' intersection
    quasi_random,  // as many, spread by a low-discrepancy sequence
    adaptive,      // the grid's, less those in cells that cannot hold any of the intersection
};

// How a particle moves on.
enum class ParticleStep {
    project,     // onto the farther of the two surfaces
    over_relax,  // farther than that where it pays
    tangent,     // onto both tangent planes at once
};

// Which way a contact's normal goes.
enum class NormalRule {
    deeper,      // by the field that is farther from 0, by both where they are equal within the
                 // tolerance: the same whichever body is a
    smoother,    // likewise, and where the two disagree, by the one that bends less there: at the
                 // edge of one body by the face of the other, as a solver wants it
    gradient_b,  // by the field of b
};

struct ParticleOptions {
    // About resolution^3 particles a pair; 1 to 128. Adaptive sampling leaves most of them out, so
    // that more can be afforded.
    int resolution = 10;
    ParticleSampling sampling = ParticleSampling::adaptive;
    ParticleStep step = ParticleStep::tangent;
    NormalRule normal = NormalRule::deeper;
    // A particle that has not arrived by then is given up.
    int max_steps = 12;
    // [m] How near to both bodies it must come; 0 means a tenth of a voxel, or 1/10,000 of the
    // smaller body where neither is sampled.
    float tolerance = 0;
    // The deepest contact of each pair moves on to where the depth is greatest nearby.
    bool sharpens = true;
    // The contacts of the last call begin as particles too, resolution^2 a pair at most.
    bool uses_last_contacts = false;
    // On a GPU: search by textures, which are faster and blend with 8 bits. What is reported is
    // computed in full either way; without them a GPU gives the CPU's bytes.
    bool uses_textures = true;
};

// Which of many contacts to keep; by default all. Applied in this order.
struct ContactReduction {
    // [m] The deepest of each pair in each cell of a grid of this size; 0: all.
    float cell_size = 0;
    // So many of each pair, deepest first; 0: all.
    int deepest_count = 0;
    // So many of each pair: the deepest, then each as far as can be from those before it, first
    // among those half as deep as the deepest, or within manifold_slack [m] of it; 0: all.
    int manifold_count = 0;
    float manifold_slack = 0;
};

// How the points of a body move inside a step, seen from the body whose field they meet.
enum class SweepMotion {
    rigid,     // as the bodies do: straight translation and even rotation of both
    straight,  // each straight from its position at t0 to that at t1, as Xu and Barbic have it
};

// Which bodies give the points.
enum class SweepRoles { both, points_of_a, points_of_b };

struct SweepOptions {
    SweepMotion motion = SweepMotion::rigid;
    SweepRoles roles = SweepRoles::both;
    // [m] How far the path that is searched may be from the true one; 0 means a hundredth of a
    // voxel, or 1/100,000 of the body where nothing is sampled.
    float tolerance = 0;
    // Whether triangles are searched as well, so that no corner of the other body slips between
    // points: they are split until a part is proven apart or smaller than face_tolerance [m]; 0
    // means a voxel.
    bool has_faces = false;
    float face_tolerance = 0;
};

// How the first hit of a ray is found. All find the same.
enum class RayCast {
    tree,            // by the fastest tree of the machine
    stackless,       // by a binary tree, without a stack
    every_triangle,  // by looking at each one
};

// Which depth and direction a ray's contact has.
enum class RayResponse {
    reprojected,  // the ray projected onto the normal of the face that it meets
    weighted,     // the ray's direction, and its length as projected: after Hermann et al.
    ray,          // the ray's direction and length
};

struct RaysOptions {
    RayCast cast = RayCast::tree;
    RayResponse response = RayResponse::reprojected;
    // Rays of the last step are followed from the triangles that they met, as long as their pair
    // has moved less than a threshold since all of its rays were last cast anew.
    bool is_iterative = true;
    // Rays that meet nothing are cast once more in the opposite direction, up to confidence times
    // the threshold: what they meet there is followed, too, and becomes a contact in time.
    bool predicts = true;
    float confidence = 1.5f;  // 1 or more
    // With a ray that is cast it is found how far its vertex is from the other surface. Until the
    // pair has moved as far, a vertex outside needs no ray, and one inside is followed; then it is
    // cast anew. No prediction is needed then. Without caution rays are followed as the paper has
    // it.
    bool is_cautious = true;
    // Without caution: a ray whose walk does not arrive, and one of a vertex that has just come
    // into the region, waits until all rays of its pair are cast anew, and is no contact meanwhile.
    // So it is in the paper, and this is to compare with it; else such a ray is cast at once.
    bool waits = false;
    // The threshold of each pair is chosen by its size and speed; else it is displacement_threshold
    // [m].
    bool adapts = true;
    float displacement_threshold = 0.01f;
    // [m] By how much the intersection of boxes is grown, whose vertices cast rays; at least by
    // confidence times the threshold where rays are predicted.
    float distance_extension = 0;
    // A ray that has not arrived after so many triangles is cast anew.
    int max_iterations = 16;
    // A vertex is a contact only where the winding number says as well that it is inside.
    bool confirms_inside = false;
};

struct DetectorOptions {
    // [m] Bodies that are not farther apart touch, with a distance above 0. Where a field only has
    // a lower bound (outside its grid, beyond its band), they may be farther apart than they seem.
    float gap = 0;
    ParticleOptions particles = {};
    SweepOptions sweep = {};
    RaysOptions rays = {};
    ContactReduction reduction = {};
};

struct BodyPair {
    std::uint32_t body_a, body_b;  // a < b

    constexpr auto operator<=>(const BodyPair&) const = default;
};

// A figure that only a method or a solver knows.
struct Figure {
    const char* name;
    double value;
};

// What the last call did.
struct StepReport {
    std::int64_t pair_count = 0;     // with touching boxes, or given
    std::int64_t found_count = 0;    // contacts before any reduction
    std::int64_t contact_count = 0;  // contacts that were returned
    // What the method counts, the same names in every step. particles: "particles", in whole groups
    // of 32, without those of blocks that were left out. features: "triangle_pairs" and
    // "feature_pairs" that were looked at, and "exhausted": feature pairs that count as contacts
    // because the search for their time ran out of iterations. rays: "rays" of vertices that were
    // looked at, "cast_rays" of them that were cast anew, "sleeping_rays" of vertices that are
    // known to be outside, and "contained" bodies.
    std::vector<Figure> figures;
    struct Stage {
        const char* name;
        double seconds;
    };
    std::vector<Stage> stages;  // filled where Detector::set_timing is on

    // The value of a figure; 0 where the method has none of that name.
    double figure(std::string_view name) const;
};

class DetectorEngine;

class Detector {
public:
    // Throws Error where the options make no sense or the device cannot be used.
    explicit Detector(Method method, Device device = Device::best(),
                      const DetectorOptions& options = {});
    ~Detector();
    Detector(Detector&&) noexcept;
    Detector& operator=(Detector&&) noexcept;

    // Builds what the method needs of the scene's shapes, which detect() does otherwise when it
    // first meets them. progress is told the fraction done and stops the work by returning false,
    // with an Error; what is built by then stays.
    void prepare(const Scene& scene, const Progress& progress = nullptr);

    // All contacts, by pair and in a fixed order: the same bytes for any number of threads and from
    // run to run. They stay until the next call. Shapes are prepared when first seen, poses may
    // change from call to call.
    std::span<const Contact> detect(const Scene& scene);
    // Only between these pairs, which are ascending and each once; masks are not asked.
    std::span<const Contact> detect(const Scene& scene, std::span<const BodyPair> pairs);

    const DetectorOptions& options() const;
    const StepReport& report() const;
    // The report then says what each stage took, which costs a little.
    void set_timing(bool is_on);

private:
    std::unique_ptr<DetectorEngine> engine_;
};

}  // namespace graze
