// upload_samples and download_samples: samples from one machine's memory to another's.
#pragma once

#include <algorithm>

#include "field/sampled/sampled_field.h"

namespace graze {
namespace detail {

// Calls copy(from, to) for each pair of buffers, whose sizes are equal by then.
template <class Copy>
void copy_samples(const SampledField& from, SampledField& to, const Copy& copy) {
    to.grid = from.grid;
    to.order = from.order;
    to.is_sparse = from.is_sparse;
    to.is_surface_inside = from.is_surface_inside;
    to.band = from.band;
    to.error = from.error;
    to.seam = from.seam;
    to.tree.level_count = from.tree.level_count;
    std::copy_n(from.tree.offsets, kMinMaxMaxLevels, to.tree.offsets);
    const auto copy_all = [&](const auto& source, auto& target) {
        target.resize(source.size());
        copy(source, target);
    };
    copy_all(from.values, to.values);
    copy_all(from.samples, to.samples);
    copy_all(from.coarse, to.coarse);
    copy_all(from.brick_of_block, to.brick_of_block);
    copy_all(from.block_of_brick, to.block_of_brick);
    copy_all(from.errors, to.errors);
    copy_all(from.tree.nodes, to.tree.nodes);
}

}  // namespace detail

// Copies from host memory, which must stay as it is until the executor has waited.
template <class Executor>
SampledField upload_samples(Executor& executor, const SampledField& from) {
    SampledField to(executor.memory());
    detail::copy_samples(from, to, [&](const auto& source, auto& target) {
        executor.copy_from_host("upload samples", source.data(), target.data(), source.size());
    });
    return to;
}

// Copies to host memory, and waits.
template <class Executor>
void download_samples(Executor& executor, const SampledField& from, SampledField& to) {
    detail::copy_samples(from, to, [&](const auto& source, auto& target) {
        executor.copy_to_host("download samples", source.data(), target.data(), source.size());
    });
    executor.wait();
}

}  // namespace graze
