// The batch behind a GrazeDispatcher gathers pairs while Bullet walks over them, detects them at
// once, and gives their contacts back to them.
#pragma once

#include <tbb/task_arena.h>

#include <map>
#include <mutex>
#include <unordered_map>

#include "graze_algorithm.h"

namespace graze::bullet {

class GrazeDispatcher::Batch {
public:
    Batch(Device device, const DispatcherOptions& options);

    // Between begin() and finish() algorithms add their pairs instead of detecting them one by one.
    void begin();
    void finish();
    void cancel() { is_gathering_ = false; }
    bool is_gathering() const { return is_gathering_; }
    void add(GrazeAlgorithm& algorithm, PairSide side_0, const PosedShape& posed_0, PairSide side_1,
             const PosedShape& posed_1);

    // Of a speculative dispatcher, for SpeculativeWorld. The first dispatch after begin_step()
    // looks along the predicted motion, later ones along the solved motion.
    void begin_step();
    // [m] How deep a point may get before it counts as crossing.
    btScalar slop() const { return static_cast<btScalar>(options.detector.gap) / 4; }
    // Gives the solver the points that the velocities would break within time [s]; returns how far
    // [m] the worst one would be broken.
    btScalar add_broken(btScalar time);
    // Takes points anew from the end of the motion that was solved for time [s] and looked along.
    // Returns false, and leaves them, where those that carry load are right already.
    bool refine(btScalar time);
    void remember_approach();
    // Bodies that were stopped by a point, and have moved for a part of time [s], bounce.
    void bounce(btScalar time, btScalar part, btScalar least_speed, btScalar most_spin);
    // Bodies that touch turn by no more than most [rad/s].
    void limit_spin(btScalar most);
    void collect_contacts();
    // A pair that ends, as where one of its bodies leaves the world, takes its contacts with it.
    void forget(GrazeAlgorithm& algorithm);
    // Returns those given to the manifolds, of pairs that have not ended since.
    std::span<const Contact> contacts_of_lasting_pairs();
    float first_crossing = 2;  // the time in the step, found by the last dispatch; 2: none
    bool bounces = false;      // a world calls bounce()
    btScalar time_step = 0;    // [s] of the step that is dispatched

    // Detects a single pair at once, with any gap [m], on the CPU.
    std::span<const Contact> query(const PairSide& side_0, const PosedShape& posed_0,
                                   const PairSide& side_1, const PosedShape& posed_1, float gap);

    PosedShape find_shape(const btCollisionShape& shape) { return shapes_.find(shape); }
    void refresh_shape(const btCollisionShape& shape, PosedShape& posed) {
        shapes_.refresh(shape, posed);
    }

    std::span<const std::string> findings() const { return shapes_.findings(); }

    DispatcherOptions options;
    GrazeCreateFunc contacts_func{false}, query_func{true};
    std::vector<Contact> contacts;                  // those given to the manifolds
    std::vector<const btCollisionObject*> objects;  // of the scene's bodies
    StepReport report;
    std::int64_t left_out_count = 0;  // contacts that are in no patch
    GrazeDispatcher::Times times;

private:
    struct Entry {
        GrazeAlgorithm* algorithm;
        PairSide side_0, side_1;
        std::span<const Contact> found = {};  // by the detector

        BodyPair pair() const {
            return {std::min(side_0.body, side_1.body), std::max(side_0.body, side_1.body)};
        }
        // True where the contacts' body a is side 1.
        bool is_flipped() const { return side_0.body > side_1.body; }
    };
    // The patches of an entry's contacts. The buffers are kept from step to step.
    struct PairPatches {
        std::vector<Contact> contacts;  // tracked ones first, then those found
        std::vector<ContactPatch> patches;
        PatchFinder finder;
    };
    // A body of the scene stands for an object's shape, or for one of its compound's children.
    struct BodyKey {
        const btCollisionObject* object;
        const void* shape_id;
        std::uint64_t child;

        auto operator<=>(const BodyKey&) const = default;
    };

    // Puts the side's body into the scene, or sets its pose there, and returns its index.
    std::uint32_t put_body(const PairSide& side, const PosedShape& posed);
    void drop_unused_bodies();
    Detector& query_detector(float gap);
    void assign(std::span<const Contact> found);
    void choose_patches(const Entry& entry, PairPatches& chosen) const;
    void give_back();
    void look();
    // True where the dispatch goes on with a step of a SpeculativeWorld, whose contacts are of all
    // its dispatches.
    bool continues_step() const { return options.is_speculative && has_looked_ && bounces; }

    Detector detector_;
    tbb::task_arena arena_;
    std::map<float, Detector> query_detectors_;  // by their gaps
    std::vector<Contact> query_contacts_;
    BulletShapes shapes_;
    Scene scene_;
    std::map<BodyKey, std::uint32_t> bodies_;
    std::vector<Entry> entries_;
    std::size_t recent_entry_count_ = 0;  // the most of the last dispatches
    std::vector<BodyPair> pairs_;
    std::vector<PairPatches> chosen_;  // for each entry, or more
    bool is_gathering_ = false;
    std::uint64_t dispatch_ = 1;  // the number of the last one, or of the first of its step
    CrossingSearch crossings_;
    std::vector<GrazeAlgorithm*> in_step_;  // pairs with points of this step
    std::uint64_t step_ = 0;
    bool has_looked_ = false;  // in this step
    // Pairs that ended since the last dispatch, whose contacts are dropped when these are asked
    // for.
    std::mutex ended_mutex_;
    std::vector<BodyPair> ended_;
};

}  // namespace graze::bullet
