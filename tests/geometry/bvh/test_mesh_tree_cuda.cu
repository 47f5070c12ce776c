#include "tests/cuda_test.h"
#include "tests/geometry/bvh/mesh_tree_cases.h"

namespace graze {
namespace {

class MeshTreeCuda : public CudaTest {};

TEST_F(MeshTreeCuda, AnswersAsAllTrianglesOneByOneDo) {
    expect_right_answers(Device::cuda(0), 300);
}

TEST_F(MeshTreeCuda, FollowsVerticesThatMove) {
    MeshTree tree(make_torus(16, 10), Device::cuda(0));
    std::vector<Vec3> positions = tree.mesh().positions;
    for (Vec3& p : positions)
        p = {p.x + 0.3f * p.y * p.y, p.y, p.z * (1 + 0.5f * p.x) + 2};
    tree.set_positions(positions);
    const std::vector<Vec3> points = tree_points(tree.mesh(), 200, 9);
    expect_nearest(tree, points, "moved");
    expect_rays(tree, points, "moved");
    expect_signs(tree, points, DistanceSign::automatic, 1, "moved");
}

}  // namespace
}  // namespace graze
