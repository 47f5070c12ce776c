// DeviceField: a Field copied into an executor's memory, where it can be evaluated.
#pragma once

#include <vector>

#include "field/field_program.h"
#include "field/sampled/copy_samples.h"
#include "parallel/upload.h"

namespace graze {

class DeviceField {
public:
    template <class Executor>
    DeviceField(Executor& executor, const Field& field)
        : nodes_(executor.memory()),
          sampled_views_(executor.memory()),
          height_map_views_(executor.memory()) {
        const FieldProgram& program = program_of(field);
        std::vector<SampledFieldView> sampled_views;
        for (const auto& samples : program.sampled) {
            sampled_.push_back(upload_samples(executor, *samples));
            sampled_views.push_back(sampled_.back().view());
        }
        std::vector<HeightMapView> height_map_views = program.height_map_views;
        for (HeightMapView& view : height_map_views) {
            heights_.emplace_back(executor.memory());
            upload(executor, "upload heights", view.heights,
                   std::int64_t{view.size[0]} * view.size[1], heights_.back());
            view.heights = heights_.back().data();
        }
        upload(executor, "upload field", sampled_views, sampled_views_);
        upload(executor, "upload field", height_map_views, height_map_views_);
        upload(executor, "upload field", program.nodes, nodes_);
        executor.wait();  // until then the copies read the local lists of views
    }

    // The view is passed by value. Its pointers are valid in the executor's memory as long as this
    // lives.
    FieldView view() const {
        return {nodes_.data(), static_cast<std::int32_t>(nodes_.size()), sampled_views_.data(),
                height_map_views_.data(), nullptr};
    }

    // Of the copied samples, by FieldNode::index.
    std::vector<SampledFieldView> sampled_views() const {
        std::vector<SampledFieldView> views;
        views.reserve(sampled_.size());
        for (const SampledField& samples : sampled_)
            views.push_back(samples.view());
        return views;
    }
    // The copied samples, by FieldNode::index.
    const SampledField& samples(std::size_t index) const { return sampled_[index]; }

private:
    Buffer<FieldNode> nodes_;
    std::vector<SampledField> sampled_;
    Buffer<SampledFieldView> sampled_views_;
    std::vector<Buffer<float>> heights_;
    Buffer<HeightMapView> height_map_views_;
};

}  // namespace graze
