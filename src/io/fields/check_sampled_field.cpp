#include "io/fields/check_sampled_field.h"

#include <cmath>
#include <limits>
#include <string>

#include "graze/error.h"
#include "io/fields/sample_array_sizes.h"
#include "parallel/reductions.h"

namespace graze::io {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

bool is_finite(Half half) {
    return (half.bits & 0x7c00) != 0x7c00;
}
bool is_nan(Half half) {
    return (half.bits & 0x7fff) > 0x7c00;
}

struct BadFloat {
    const float* values;
    bool operator()(std::int64_t i) const { return !std::isfinite(values[i]); }
};
struct BadSample {
    const FirstOrderSample* samples;
    bool operator()(std::int64_t i) const {
        const FirstOrderSample& s = samples[i];
        return !(is_finite(s.slope[0]) && is_finite(s.slope[1]) && is_finite(s.slope[2]) &&
                 is_finite(s.value));
    }
};
// An error is infinite where nothing is known.
struct BadError {
    const float* errors;
    float largest;
    bool operator()(std::int64_t i) const { return !(errors[i] >= 0 && errors[i] <= largest); }
};
struct BadNode {
    const MinMax* nodes;
    bool operator()(std::int64_t i) const {
        return is_nan(nodes[i].min) || is_nan(nodes[i].max) ||
               float_from_half(nodes[i].min) > float_from_half(nodes[i].max);
    }
};
// Bricks must be in the order of their blocks, and each block's entry must name its brick.
struct BadBrick {
    const std::int32_t* block_of_brick;
    const std::int32_t* brick_of_block;
    std::int64_t block_count;
    bool operator()(std::int64_t i) const {
        const std::int32_t block = block_of_brick[i];
        return block < 0 || block >= block_count || (i > 0 && block_of_brick[i - 1] >= block) ||
               brick_of_block[block] != i;
    }
};
// Where no brick is bad and as many entries as there are bricks name one, all other entries are -1.
struct HasBrick {
    const std::int32_t* brick_of_block;
    std::int64_t operator()(std::int64_t i) const { return brick_of_block[i] == -1 ? 0 : 1; }
};

// FirstBad gives reduce the first i that is bad.
template <class Bad>
struct FirstBad {
    Bad bad;
    std::int64_t operator()(std::int64_t i) const { return bad(i) ? i : kNone; }
};

class Checker {
public:
    Checker(CpuExecutor& executor, std::string_view name) : executor_(executor), name_(name) {}

    [[noreturn]] void fail(const std::string& cause) const { throw Error(name_ + ": " + cause); }
    void require_size(const char* what, std::int64_t is, std::int64_t must) const {
        if (is != must)
            fail("there are " + std::to_string(is) + " " + what + " where the grid asks for " +
                 std::to_string(must));
    }
    template <class Bad>
    void require_none(const char* what, std::int64_t count, const Bad& bad,
                      const char* cause) const {
        std::int64_t first = kNone;
        executor_.reduce("check field", count, FirstBad<Bad>{bad}, LowerValue{}, kNone, &first);
        if (first != kNone) fail(std::string(what) + " " + std::to_string(first) + " " + cause);
    }
    std::int64_t count_filled_entries(const SampledField& field) const {
        std::int64_t result = 0;
        executor_.reduce("count entries", field.brick_of_block.size(),
                         HasBrick{field.brick_of_block.data()}, AddValues{}, std::int64_t{0},
                         &result);
        return result;
    }

private:
    CpuExecutor& executor_;
    std::string name_;
};

void check_sizes(const Checker& check, const SampledField& field) {
    const SampledFieldLayout layout = layout_of(field);
    const SampleArraySizes sizes = array_sizes_of(layout);
    const bool has_values = field.order == FieldOrder::zero;
    check.require_size("values", field.values.size(), has_values ? sizes.samples : 0);
    check.require_size("samples", field.samples.size(), has_values ? 0 : sizes.samples);
    check.require_size("coarse values", field.coarse.size(), sizes.coarse);
    check.require_size("block entries", field.brick_of_block.size(),
                       field.is_sparse ? sizes.blocks : 0);
    check.require_size("errors", field.errors.size(), sizes.errors);
    check.require_size("tree nodes", field.tree.nodes.size(), sizes.tree_nodes);
}

}  // namespace

void check_sampled_field(CpuExecutor& executor, const SampledField& field, std::string_view name) {
    const Checker check(executor, name);
    if (const std::string fault = fault_of(layout_of(field)); !fault.empty()) check.fail(fault);
    check_sizes(check, field);
    if (!(field.band >= 0) || !std::isfinite(field.band)) check.fail("the band is not a distance");
    if (!(field.error >= 0)) check.fail("the error is not a distance");

    if (!(field.seam >= 0) || !std::isfinite(field.seam)) check.fail("the seam is not a distance");
    const std::int64_t block_count = field.brick_of_block.size();
    check.require_none(
        "brick", field.brick_count(),
        BadBrick{field.block_of_brick.data(), field.brick_of_block.data(), block_count},
        "is not where the table of blocks says");
    if (check.count_filled_entries(field) != field.brick_count())
        check.fail("the table of blocks names a brick that is not there");
    check.require_none("value", field.values.size(), BadFloat{field.values.data()},
                       "is not finite");
    check.require_none("sample", field.samples.size(), BadSample{field.samples.data()},
                       "is not finite");
    check.require_none("coarse value", field.coarse.size(), BadFloat{field.coarse.data()},
                       "is not finite");
    check.require_none("error", field.errors.size(), BadError{field.errors.data(), field.error},
                       "is negative, not a number or above the field's");
    check.require_none("tree node", field.tree.nodes.size(), BadNode{field.tree.nodes.data()},
                       "has no order");
}

}  // namespace graze::io
