// BodyLists: the bodies of a scene as arrays, in an executor's memory.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "broad_phase/body_pairs.h"
#include "detection/body_follower.h"
#include "detection/shape_table.h"
#include "graze/scene.h"

namespace graze {

template <class Executor>
class BodyLists {
public:
    // staging: host memory that the executor copies from.
    BodyLists(Executor& executor, Memory& staging)
        : executor_(executor),
          host_shapes_(staging),
          host_poses_(staging),
          host_poses_t1_(staging),
          host_filters_(staging),
          shapes_(executor.memory()),
          poses_{Buffer<Transform>(executor.memory()), Buffer<Transform>(executor.memory())},
          poses_t1_(executor.memory()),
          filters_(executor.memory()),
          host_last_bodies_(staging),
          last_bodies_(executor.memory()) {}

    // Takes over what the scene says; the poses so far become the last ones. looks_into_step: the
    // ends of motions are taken over, too. Nothing that reads the lists may be at work.
    template <class Table>
    void update(const Scene& scene, bool looks_into_step, Table& table) {
        const std::int64_t count = scene.size();
        last_count_ = count_;
        count_ = count;
        current_ = 1 - current_;
        if (table.size() > 64 && table.size() > 2 * scene.size()) {
            table.clear();  // most of it is of the past
            ids_.clear();
        }
        // Where the number of bodies is another, all are looked up anew: none is left over from
        // before, also where one of the shapes cannot be built.
        if (count != last_count_) ids_.assign(scene.size(), nullptr);
        ids_.resize(scene.size(), nullptr);
        host_shapes_.resize(count);
        host_poses_.resize(count);
        host_filters_.resize(count);
        moves_ = false;
        for (std::uint32_t i = 0; i < scene.size(); ++i) {
            const Body& body = scene[i];
            if (ids_[i] != body.shape.id()) {
                ids_[i] = nullptr;
                host_shapes_.data()[i] = table.index_of(body.shape);
                ids_[i] = body.shape.id();
            }
            host_poses_.data()[i] = with_unit_rotation(body.pose);
            host_filters_.data()[i] = {body.group, body.mask, body.is_static ? 1u : 0u};
            moves_ = moves_ || (looks_into_step && body.pose_t1.has_value());
        }
        table.follow(host_shapes_.data(), count);
        table.finish();
        upload(host_shapes_, shapes_);
        upload(host_poses_, poses_[current_]);
        upload(host_filters_, filters_);
        if (moves_) update_ends(scene);
    }

    // Finds which body of the last step each one is, for last_bodies().
    void follow(const Scene& scene) {
        followed_.swap(last_followed_);
        followed_.resize(scene.size());
        for (std::uint32_t i = 0; i < scene.size(); ++i) {
            const Body& body = scene[i];
            // Farther than this, Method::rays casts all rays of a pair anew.
            constexpr float kPartOfSize = 0.25f;
            followed_[i] = {body.shape.id(), body.pose.translation,
                            kPartOfSize * length(extent(body.shape.bounds())) * body.pose.scale};
        }
        const std::vector<std::uint32_t>& last_of = follower_.follow(last_followed_, followed_);
        host_last_bodies_.resize(static_cast<std::int64_t>(last_of.size()));
        std::copy(last_of.begin(), last_of.end(), host_last_bodies_.data());
        if (!last_of.empty()) upload(host_last_bodies_, last_bodies_);
    }

    std::int64_t count() const { return count_; }
    std::int64_t last_count() const { return last_count_; }
    const std::uint32_t* shapes() const { return shapes_.data(); }
    const Transform* poses() const { return poses_[current_].data(); }
    // At the end of the step; null where no body moves.
    const Transform* poses_t1() const { return moves_ ? poses_t1_.data() : nullptr; }
    const Transform* last_poses() const { return poses_[1 - current_].data(); }
    const BodyFilter* filters() const { return filters_.data(); }
    // As PairStep::last_body, and the same in the host's memory.
    const std::uint32_t* last_bodies() const {
        return host_last_bodies_.size() > 0 ? last_bodies_.data() : nullptr;
    }
    std::span<const std::uint32_t> host_last_bodies() const {
        return {host_last_bodies_.data(), static_cast<std::size_t>(host_last_bodies_.size())};
    }

private:
    static Transform with_unit_rotation(Transform pose) {
        pose.rotation = normalized(pose.rotation);
        return pose;
    }

    void update_ends(const Scene& scene) {
        host_poses_t1_.resize(count_);
        for (std::uint32_t i = 0; i < scene.size(); ++i) {
            const Body& body = scene[i];
            host_poses_t1_.data()[i] = with_unit_rotation(body.pose_t1.value_or(body.pose));
        }
        upload(host_poses_t1_, poses_t1_);
    }

    template <class T>
    void upload(const Buffer<T>& from, Buffer<T>& to) {
        graze::upload(executor_, "bodies: upload", from, to);
    }

    Executor& executor_;
    std::int64_t count_ = 0, last_count_ = 0;
    int current_ = 0;
    bool moves_ = false;
    std::vector<const void*> ids_;  // of the shapes of last time, most of which are today's
    Buffer<std::uint32_t> host_shapes_;
    Buffer<Transform> host_poses_, host_poses_t1_;
    Buffer<BodyFilter> host_filters_;
    Buffer<std::uint32_t> shapes_;
    Buffer<Transform> poses_[2];  // of this step and of the last
    Buffer<Transform> poses_t1_;
    Buffer<BodyFilter> filters_;
    BodyFollower follower_;
    std::vector<FollowedBody> followed_, last_followed_;
    Buffer<std::uint32_t> host_last_bodies_;  // empty where last_bodies() is null
    Buffer<std::uint32_t> last_bodies_;
};

}  // namespace graze
