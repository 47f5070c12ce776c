#include "geometry/bvh/mesh_tree_impl.h"
#include "geometry/bvh/wide_traverse.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

struct WalkWide {
    WideBvhView wide;
    template <class Query>
    void operator()(Query& query) const {
        traverse(wide, query);
    }
};

struct WideForest {
    using Tree = WalkWide;
    explicit WideForest(Memory& memory) : wide(memory) {}
    void make(CpuExecutor& executor, const TriangleBvh& bvh) {
        build_wide_bvh(executor, bvh, wide);
    }
    void refit(CpuExecutor& executor, const TriangleBvh& bvh) {
        refit_wide_bvh(executor, bvh, wide);
    }
    Tree tree(const TriangleBvh&) const { return {wide.view()}; }

    WideBvh wide;
};

}  // namespace

std::unique_ptr<MeshTreeEngine> make_cpu_mesh_tree(Mesh mesh, const Device& device) {
    return std::make_unique<MeshTreeOn<CpuExecutor, WideForest>>(std::move(mesh), device.threads());
}

}  // namespace graze
