// MeshSolid: what of a mesh says where inside is, found out on the host when it is first asked for.
#pragma once

#include <memory>

#include "graze/mesh_tree.h"

namespace graze {

struct TidyMesh;

class MeshSolid {
public:
    explicit MeshSolid(const Mesh& mesh);  // which must stay
    ~MeshSolid();

    // By vertex: the first one at its position, when the mesh was first looked at.
    const std::vector<std::uint32_t>& first_vertices();
    // The mesh with copies of triangles left out and inward parts turned around; whether it has the
    // very same triangles.
    const Mesh& oriented();
    bool is_oriented();
    // Whether pseudonormals are certain to tell the side.
    bool has_sure_normals();
    // To be called when the positions of the mesh have changed, after first_vertices().
    void moved();

private:
    const TidyMesh& tidy();

    const Mesh& mesh_;
    std::vector<std::uint32_t> first_vertices_;
    std::unique_ptr<TidyMesh> tidy_;
};

}  // namespace graze
