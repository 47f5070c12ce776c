#include "make_simulation.h"

#if GRAZE_WITH_BULLET
#include <graze_bullet/simulation.h>
#endif

#include "graze/error.h"

namespace graze::app {

#if GRAZE_WITH_BULLET
void require_solver() {}

std::unique_ptr<Simulation> make_simulation(SceneDescription scene) {
    return bullet::make_simulation(std::move(scene));
}
#else
void require_solver() {
    throw Error(
        "this graze was built without Bullet, which moves the bodies; install it (Debian: "
        "libbullet-dev) and build graze again");
}

std::unique_ptr<Simulation> make_simulation(SceneDescription /*scene*/) {
    require_solver();
    return nullptr;
}
#endif

}  // namespace graze::app
