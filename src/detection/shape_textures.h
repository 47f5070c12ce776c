// ShapeTextures: the textures of a table's shapes. Only .cu files include this.
#pragma once

#include "detection/shape_table.h"
#include "narrow_phase/particles/texture_lookup.h"

namespace graze {

class ShapeTextures {
public:
    explicit ShapeTextures(CudaExecutor& executor)
        : executor_(executor), list_(executor.memory()) {}

    // Makes the textures of all shapes of a table anew.
    template <class Table>
    void update(const Table& table) {
        textures_.clear();
        std::vector<ShapeTexture> list;
        for (std::uint32_t i = 0; i < table.size(); ++i)
            list.push_back(make(table[i].field(), table.uploaded_field(i)));
        upload(executor_, "textures: upload", list, list_);
        executor_.wait();
    }
    const ShapeTexture* list() const { return list_.data(); }

private:
    ShapeTexture make(const Field& field, const DeviceField& uploaded) {
        const FieldProgram& program = program_of(field);
        if (program.nodes.size() != 1 || program.nodes[0].kind != FieldKind::sampled) return {};
        const FieldNode& node = program.nodes[0];
        const SampledField& samples = uploaded.samples(0);
        const bool is_outside_positive =
            detail::first_sample(program.sampled[0]->view()) * node.scale > 0;
        if (samples.order != FieldOrder::one || samples.is_sparse || !samples.is_surface_inside ||
            !is_outside_positive || node.scale < 0) {
            return {};
        }
        textures_.emplace_back(executor_, samples);
        const FieldTextureView& view = textures_.back().view();
        const FieldGrid& grid = samples.grid;
        const Vec3 half{0.5f * static_cast<float>(grid.cells[0]),
                        0.5f * static_cast<float>(grid.cells[1]),
                        0.5f * static_cast<float>(grid.cells[2])};
        const Vec3 centre = grid.origin + half * grid.spacing;
        const Quat grid_from_shape = node.is_rotated ? node.leaf_from_field : Quat::identity();
        return {view.texture,
                node.origin + rotate(conjugate(grid_from_shape), centre * node.scale),
                grid_from_shape,
                grid.spacing * node.scale,
                half,
                search_error(view, 0) / grid.spacing};
    }

    CudaExecutor& executor_;
    std::deque<FieldTexture> textures_;
    Buffer<ShapeTexture> list_;
};

}  // namespace graze
