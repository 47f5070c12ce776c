// BodyLists: the bodies of a scene as arrays, in an executor's memory.
#pragma once

#include <vector>

#include "broad_phase/body_pairs.h"
#include "detection/shape_table.h"

namespace graze {

template <class Executor>
class BodyLists {
public:
    // staging: host memory that the executor copies from.
    BodyLists(Executor& executor, Memory& staging)
        : executor_(executor),
          host_shapes_(staging),
          host_poses_(staging),
          host_filters_(staging),
          shapes_(executor.memory()),
          poses_{Buffer<Transform>(executor.memory()), Buffer<Transform>(executor.memory())},
          filters_(executor.memory()) {}

    // Takes over what the scene says; the poses so far become the last ones. Nothing that reads the
    // lists may be at work.
    void update(const Scene& scene, ShapeTable<Executor>& table) {
        const std::int64_t count = scene.size();
        last_count_ = count_;
        count_ = count;
        current_ = 1 - current_;
        if (table.size() > 64 && table.size() > 2 * scene.size()) {
            table.clear();  // most of it is of the past
            ids_.clear();
        }
        ids_.resize(scene.size(), nullptr);
        host_shapes_.resize(count);
        host_poses_.resize(count);
        host_filters_.resize(count);
        for (std::uint32_t i = 0; i < scene.size(); ++i) {
            const Body& body = scene[i];
            if (ids_[i] != body.shape.id() || count != last_count_) {
                ids_[i] = nullptr;
                host_shapes_.data()[i] = table.index_of(body.shape);
                ids_[i] = body.shape.id();
            }
            Transform pose = body.pose;
            pose.rotation = normalized(pose.rotation);
            host_poses_.data()[i] = pose;
            host_filters_.data()[i] = {body.group, body.mask, body.is_static ? 1u : 0u};
        }
        table.finish();
        upload(host_shapes_, shapes_);
        upload(host_poses_, poses_[current_]);
        upload(host_filters_, filters_);
    }

    std::int64_t count() const { return count_; }
    std::int64_t last_count() const { return last_count_; }
    const std::uint32_t* shapes() const { return shapes_.data(); }
    const Transform* poses() const { return poses_[current_].data(); }
    const Transform* last_poses() const { return poses_[1 - current_].data(); }
    const BodyFilter* filters() const { return filters_.data(); }

private:
    template <class T>
    void upload(const Buffer<T>& from, Buffer<T>& to) {
        detail::upload(executor_, "bodies: upload", from.data(), from.size(), to);
    }

    Executor& executor_;
    std::int64_t count_ = 0, last_count_ = 0;
    int current_ = 0;
    std::vector<const void*> ids_;  // of the shapes of last time, most of which are today's
    Buffer<std::uint32_t> host_shapes_;
    Buffer<Transform> host_poses_;
    Buffer<BodyFilter> host_filters_;
    Buffer<std::uint32_t> shapes_;
    Buffer<Transform> poses_[2];  // of this step and of the last
    Buffer<BodyFilter> filters_;
};

}  // namespace graze
