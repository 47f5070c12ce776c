// The batch behind a GrazeDispatcher: pairs are gathered while Bullet walks over them, detected at
// once, and their contacts given back to them.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "graze_algorithm.h"

namespace graze::bullet {

class GrazeDispatcher::Batch {
public:
    Batch(Device device, const DispatcherOptions& options);

    // Between these two, algorithms add their pairs rather than detect them one by one.
    void begin();
    void finish();
    bool is_gathering() const { return is_gathering_; }
    void add(GrazeAlgorithm& algorithm, PairSide side_0, const PlacedShape& placed_0,
             PairSide side_1, const PlacedShape& placed_1);

    // A single pair, now, with any gap [m]; on the CPU.
    std::span<const Contact> query(const PairSide& side_0, const PlacedShape& placed_0,
                                   const PairSide& side_1, const PlacedShape& placed_1, float gap);

    PlacedShape find_shape(const btCollisionShape& shape) { return shapes_.find(shape); }
    void refresh_shape(const btCollisionShape& shape, PlacedShape& placed) {
        shapes_.refresh(shape, placed);
    }

    DispatcherOptions options;
    GrazeCreateFunc contacts_func{false}, query_func{true};
    std::vector<Contact> contacts;                  // those given to the manifolds
    std::vector<const btCollisionObject*> objects;  // of the scene's bodies
    StepReport report;
    GrazeDispatcher::Times times;

private:
    struct Entry {
        GrazeAlgorithm* algorithm;
        PairSide side_0, side_1;

        BodyPair pair() const {
            return {std::min(side_0.body, side_1.body), std::max(side_0.body, side_1.body)};
        }
    };
    // A body of the scene stands for an object's shape, or for one of its compound's children.
    struct BodyKey {
        const btCollisionObject* object;
        const void* shape_id;
        int index;

        auto operator<=>(const BodyKey&) const = default;
    };

    std::uint32_t place_body(const PairSide& side, const PlacedShape& placed);
    void drop_unused_bodies();
    void give_back(std::span<const Contact> found);

    Detector detector_;
    std::optional<Detector> query_detector_;
    BulletShapes shapes_;
    Scene scene_;
    std::map<BodyKey, std::uint32_t> bodies_;
    std::vector<Entry> entries_;
    std::vector<BodyPair> pairs_;
    PatchFinder patch_finder_;
    std::vector<Contact> own_;  // of the pair at hand
    bool is_gathering_ = false;
};

}  // namespace graze::bullet
