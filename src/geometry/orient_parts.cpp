#include "geometry/orient_parts.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "geometry/bvh/triangle_bvh.h"
#include "geometry/bvh/winding_number.h"

namespace graze {

namespace {

// What an open part is taken for. Of a ball with a hole, however small, the normals point away from
// the middle, and their sum is no more than the hole; of a sheet they agree with each other.
enum class OpenKind { outward, inward, like_inward };
OpenKind kind_of_open(const MeshPart& part) {
    constexpr double kClearly = 0.5, kMostlyClosed = 0.25;
    if (part.outwardness > -kClearly) return OpenKind::outward;
    return length(part.vector_area) < kMostlyClosed * part.area ? OpenKind::inward
                                                                : OpenKind::like_inward;
}

bool faces_inwards(const MeshPart& part) {
    return part.is_closed ? part.six_volume < 0 : kind_of_open(part) == OpenKind::inward;
}

bool may_contain(const MeshPart& outer, const MeshPart& inner) {
    const Aabb both = merge(outer.box, inner.box);
    return both.min == outer.box.min && both.max == outer.box.max;
}

// Which parts lie in which, by some vertices of each.
class Nesting {
public:
    Nesting(CpuExecutor& executor, const MeshParts& parts, const Mesh& mesh)
        : executor_(executor),
          parts_(parts),
          mesh_(mesh),
          triangles_of_(parts.parts.size()),
          trees_(parts.parts.size()) {
        for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
            triangles_of_[parts.part_of_triangle[t]].push_back(t);
    }

    // Whether all of some vertices of a part, spread over it, are where the winding number of
    // another is not near 0.
    bool is_in(std::size_t inner, std::size_t outer) {
        if (!may_contain(parts_.parts[outer], parts_.parts[inner])) return false;
        constexpr std::size_t kVertices = 5;
        const std::vector<std::uint32_t>& own = triangles_of_[inner];
        for (std::size_t n = 0; n < kVertices; ++n) {
            const std::uint32_t t = own[n * (own.size() - 1) / (kVertices - 1)];
            const Vec3& point = mesh_.positions[mesh_.triangles[t][static_cast<int>(n % 3)]];
            const Tree& tree = tree_of(outer);
            if (std::fabs(winding_number(tree.bvh.view(), tree.winding.moments.data(), point)) <
                0.5)
                return false;
        }
        return true;
    }

private:
    struct Tree {
        explicit Tree(Memory& memory) : bvh(memory), winding(memory) {}
        TriangleBvh bvh;
        WindingTree winding;
    };
    // The tree of a part is built when it is first asked for: few parts contain others.
    const Tree& tree_of(std::size_t part) {
        std::unique_ptr<Tree>& tree = trees_[part];
        if (tree) return *tree;
        tree = std::make_unique<Tree>(executor_.memory());
        std::vector<Triangle> own;
        for (const std::uint32_t t : triangles_of_[part])
            own.push_back(mesh_.triangles[t]);
        build_triangle_bvh(executor_, mesh_.positions.data(), own.data(),
                           static_cast<std::int64_t>(own.size()), BvhQuality::fast, tree->bvh);
        build_winding_tree(executor_, tree->bvh, tree->winding);
        return *tree;
    }

    CpuExecutor& executor_;
    const MeshParts& parts_;
    const Mesh& mesh_;
    std::vector<std::vector<std::uint32_t>> triangles_of_;
    std::vector<std::unique_ptr<Tree>> trees_;
};

void turn(MeshPart& part) {
    part.six_volume = -part.six_volume;
    part.outwardness = -part.outwardness;
    part.vector_area = -part.vector_area;
    part.is_turned = !part.is_turned;
}

}  // namespace

PartOrientations orient_parts(CpuExecutor& executor, MeshParts& parts, Mesh& mesh) {
    PartOrientations result;
    std::vector<MeshPart>& list = parts.parts;
    for (MeshPart& part : list) {
        part.is_left_inward = !part.is_closed && kind_of_open(part) == OpenKind::like_inward;
        if (part.is_left_inward) ++result.inward_count;
    }
    if (std::none_of(list.begin(), list.end(), faces_inwards)) return result;

    // What lies in another part has the smaller box, so that outer ones come first.
    std::vector<std::size_t> order(list.size());
    for (std::size_t p = 0; p < order.size(); ++p)
        order[p] = p;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return length_sq(extent(list[a].box)) > length_sq(extent(list[b].box));
    });
    Nesting nesting(executor, parts, mesh);
    for (std::size_t n = 0; n < order.size(); ++n) {
        const std::size_t own = order[n];
        if (!faces_inwards(list[own])) continue;
        int winding = 0;  // of all that it lies in
        for (std::size_t m = 0; m < n; ++m) {
            if (nesting.is_in(own, order[m])) winding += faces_inwards(list[order[m]]) ? -1 : 1;
        }
        if (winding > 0) continue;
        turn(list[own]);
        for (std::size_t m = n + 1; m < order.size(); ++m) {
            if (nesting.is_in(order[m], own)) turn(list[order[m]]);
        }
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (list[parts.part_of_triangle[t]].is_turned)
            std::swap(mesh.triangles[t].v[1], mesh.triangles[t].v[2]);
    }
    result.turned_count = std::count_if(list.begin(), list.end(),
                                        [](const MeshPart& part) { return part.is_turned; });
    return result;
}

}  // namespace graze
