// CrossingSearch finds which points of a pair get deeper into the other body than they may, along
// the motion of both.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "graze/contact.h"
#include "graze/segment_search.h"
#include "graze/shape.h"
#include "step_motion.h"

namespace graze::bullet {

// A point that gets too deep.
struct Crossing {
    std::uint32_t contact = 0;  // index: when the point comes within the gap
    float time = 0;             // when it is too deep
    float distance = 0;         // [m] to the body's surface then
    float least = 0;            // [m] where it may stay: its distance at t0 where that is below 0
    Vec3 position{0, 0, 0};     // [m] world, then
    Vec3 normal{0, 0, 0};       // unit, world, from b towards a, then; zero where there is none
};

class CrossingSearch {
public:
    explicit CrossingSearch(Device device) : device_(device) {}

    // The contacts are those of the method sweep along these motions, with the gap [m]. A point may
    // be slop [m] deep, or a quarter of that deeper than it is at t0. The path is followed within
    // an eighth of slop. The crossings are in the order of their contacts.
    std::span<const Crossing> find(std::span<const Contact> contacts, const Shape& shape_a,
                                   const StepMotion& motion_a, const Shape& shape_b,
                                   const StepMotion& motion_b, float gap, float slop);

private:
    // The points of one body against the field of the other.
    struct Side {
        const StepMotion& of_point;
        const StepMotion& of_field;
        const Shape& field;
        bool has_points_of_a;
    };
    // A point that cannot be ruled out by how far it moves.
    struct Suspect {
        std::uint32_t contact;
        Vec3 local;  // [m] in its body's frame
        int level;   // how many halves of slop below -slop it may get
    };

    void find_suspects(std::span<const Contact> contacts, const Side& side, float gap, float slop);
    void search(std::span<const Contact> contacts, const Side& side, float slop);
    SegmentSearch& search_of(const Shape& shape);

    Device device_;
    // By the shape's id; shapes live as long as their searches.
    struct Known {
        Shape shape;
        SegmentSearch search;
    };
    std::map<const void*, Known> known_;
    std::vector<Suspect> suspects_;
    std::vector<Segment> segments_;
    std::vector<Crossing> crossings_;
    int chord_count_ = 1;  // of a path
};

}  // namespace graze::bullet
