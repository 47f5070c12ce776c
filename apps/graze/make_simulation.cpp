#include "make_simulation.h"

#if GRAZE_WITH_BULLET
#include <graze_bullet/simulation.h>
#endif

#include "graze/cloth_simulation.h"
#include "graze/error.h"
#include "graze/penalty_simulation.h"

namespace graze::app {

std::unique_ptr<Simulation> make_simulation(SceneDescription scene) {
    if (scene.solver.kind == SolverKind::penalty) return make_penalty_simulation(std::move(scene));
    if (scene.solver.kind == SolverKind::cloth) return make_cloth_simulation(std::move(scene));
#if GRAZE_WITH_BULLET
    return bullet::make_simulation(std::move(scene));
#else
    throw Error(
        "this graze was built without Bullet, which moves the bodies of this scene; install it "
        "(Debian: libbullet-dev) and build graze again");
#endif
}

}  // namespace graze::app
