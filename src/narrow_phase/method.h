// The seam that methods hang on: what a detector's step hands to a method, and the three things
// that it asks of one: what the method needs of a shape, whether it looks at an instant or into the
// step, and the contacts of a list of pairs.
//
// A new method is a folder beside this file and a line in detection/method_table.h.
#pragma once

#include <cstdint>

#include "geometry/bvh/bvh_pairs.h"
#include "graze/detector.h"
#include "narrow_phase/contact_list.h"
#include "parallel/step_rooms.h"

namespace graze {

struct ShapeField;
struct ShapeMesh;
struct ShapePoints;
struct ShapeRays;
struct ShapeTexture;

// What a method needs of every shape. It is built when a detector first meets the shape.
struct ShapeNeeds {
    bool field = false;    // a distance field: ShapeField
    bool texture = false;  // on a GPU, textures of those fields that can have one: ShapeTexture
    bool mesh = false;     // triangles with their edges and a tree over them: ShapeMesh
    bool points = false;   // points of the surface under a tree of spheres: ShapePoints
    bool faces = false;    // with points: the triangles under such a tree, too
    bool rays = false;     // vertices, triangles with neighbours, trees for rays: ShapeRays
    bool winding = false;  // with rays: what tells the winding number around a point, too
};

// The shapes of a scene in the executor's memory, one array for each need; null where it is none.
struct ShapeLists {
    const ShapeField* fields;
    const ShapeTexture* textures;
    const ShapeMesh* meshes;
    const ShapePoints* points;
    int point_levels;  // of the deepest tree of points or faces
    const ShapeRays* rays;
    bool deform;  // some of them do, or did when they were last in the scene
};

// The contacts of the last step, in the executor's memory.
struct LastContacts {
    const Contact* contacts;       // null where there are none
    const std::uint64_t* offsets;  // by pair
    const IndexPair* pairs;        // ascending
    const std::uint64_t* pair_count;
    const Transform* poses;  // by body
    std::uint32_t body_count;
};

// A step as a method sees it: bodies and pairs in the executor's memory.
struct PairStep {
    ShapeLists shapes;
    const std::uint32_t* shape_of_body;  // by body
    const Transform* poses_t0;           // by body: world from body, rotations of unit length
    const Transform* poses_t1;           // null where no body moves, or the method looks at t0 only
    const Aabb* boxes;       // [m] by body: all that it reaches in the step, grown by half the gap
    const IndexPair* pairs;  // ascending; the first *pair_count of pair_room count
    const std::uint64_t* pair_count;  // known only to the device, as StepRooms explains
    std::int64_t pair_room;
    LastContacts last;
    // By body: its index in the last step, kNoIndex where it was not there. Null where all bodies
    // have the indices that they had, or the method does not ask (ShapeNeeds::rays). It is most
    // likely right, not certain.
    const std::uint32_t* last_body = nullptr;
};

// A method on one machine, made for one detector. It keeps its memory from step to step.
template <class Executor>
class MethodOn {
public:
    virtual ~MethodOn() = default;

    virtual ShapeNeeds needs() const = 0;
    virtual bool looks_into_step() const = 0;
    // Finds the contacts of all pairs, by pair and in a fixed order, without waiting.
    virtual void find(const PairStep& step, StepRooms& rooms, ContactList& found) = 0;
    // The step of the last find() came to its end: what that left is from now on of the last step.
    // Where a step runs again for lack of room, or is given up, only the last find() counts.
    virtual void keep() {}
    // Adds the figures of the last find() to the report, once the executor has waited and the
    // counts of its stages are known. Throws Error where they show that a pair has no answer.
    virtual void report(const StepRooms& rooms, StepReport& report) const = 0;
};

}  // namespace graze
