// Uses every public header and links the installed library.
#include <cstdio>
#include <string>

#include "graze/graze.h"

int main() {
    if (std::string(graze::version()) != std::to_string(GRAZE_VERSION_MAJOR) + "." +
                                             std::to_string(GRAZE_VERSION_MINOR) + "." +
                                             std::to_string(GRAZE_VERSION_PATCH)) {
        std::puts("the headers and the library have different versions");
        return 1;
    }
    const graze::Mesh tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                  {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}}};
    const graze::MeshReport report = graze::inspect(tetrahedron);
    std::printf("graze %s on %s: a tetrahedron of volume %g\n", graze::version(),
                graze::Device::best().name().c_str(), report.volume);
    return report.is_closed() && report.volume > 0.16 && report.volume < 0.17 ? 0 : 1;
}
