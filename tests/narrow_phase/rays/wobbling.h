// Scenes of bodies that deform.
#pragma once

#include <cmath>

#include "tests/narrow_phase/rays/ray_cases.h"

namespace graze {

// A smooth motion of all of space, so that meshes keep their form more or less.
inline Vec3 wobbled(const Vec3& p, float amount, float phase) {
    return p + Vec3{std::sin(3 * p.y + phase), std::sin(4 * p.z + 1.3f * phase),
                    std::sin(5 * p.x - 0.7f * phase)} *
                   amount;
}

// The bodies of a scene with shapes that deform. Bodies that had a shape in common still have.
struct Wobbling {
    Scene scene;
    std::vector<Shape> shapes;  // each once
    int step = 0;

    explicit Wobbling(const Scene& rigid) {
        std::vector<Shape> of_scene;
        for (Body body : rigid.bodies()) {
            const auto known = std::find(of_scene.begin(), of_scene.end(), body.shape);
            const auto index = static_cast<std::size_t>(known - of_scene.begin());
            if (known == of_scene.end()) {
                of_scene.push_back(body.shape);
                shapes.push_back(Shape::from_deforming_mesh(*body.shape.mesh()));
            }
            body.shape = shapes[index];
            scene.add(body);
        }
    }
    // Moves all vertices by less than twice the distance.
    void move(float distance) {
        step += distance != 0 ? 1 : 0;
        for (Shape& shape : shapes) {
            std::vector<Vec3> positions = shape.mesh()->positions;
            for (Vec3& p : positions)
                p = wobbled(p, distance, static_cast<float>(step));
            shape.set_positions(positions);
        }
    }
    // The same with rigid shapes.
    Scene as_rigid() const {
        Scene rigid;
        for (Body body : scene.bodies()) {
            body.shape = Shape::from_mesh(*body.shape.mesh());
            rigid.add(body);
        }
        return rigid;
    }
};

// A ball in the ground.
inline Scene resting_ball() {
    Scene scene;
    scene.add(Shape::from_mesh(irregular(ground_mesh(24))));
    scene.add(Shape::from_mesh(irregular(make_sphere(0.4f, 3))), at({0.05f, 0.02f, 0.3f}));
    return scene;
}

}  // namespace graze
