#include "geometry/bvh/bvh_traverse.h"
#include "geometry/bvh/mesh_tree_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

struct WalkBinary {
    BvhView view;
    template <class Query>
    GRAZE_HD void operator()(Query& query) const {
        traverse(view, query);
    }
};

struct BinaryForest {
    using Tree = WalkBinary;
    explicit BinaryForest(Memory&) {}
    void make(CudaExecutor&, const TriangleBvh&) {}
    void refit(CudaExecutor&, const TriangleBvh&) {}
    Tree tree(const TriangleBvh& bvh) const { return {bvh.tree.view()}; }
};

std::unique_ptr<MeshTreeEngine> make_cuda_mesh_tree(Mesh mesh, const Device& device) {
    return std::make_unique<MeshTreeOn<CudaExecutor, BinaryForest>>(std::move(mesh),
                                                                    device.index());
}

}  // namespace graze
