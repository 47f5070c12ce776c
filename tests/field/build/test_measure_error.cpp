// Tests of errors as a build measures them, against the plain method: each probe is chosen by
// itself and its triangle is found by the plain search.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "field/build/build_samples.h"
#include "field/build/error_probe_lanes.h"
#include "field/build/mesh_source_impl.h"
#include "field/build/nearest_triangle.h"
#include "field/build/row_crossings_impl.h"
#include "geometry/bvh/bvh_traverse.h"
#include "parallel/cpu_executor.h"
#include "tests/field/build/grid_around.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

struct Case {
    const char* name;
    Mesh mesh;
    FieldSign sign;
    float offset;
};

class MeasureError : public testing::TestWithParam<std::tuple<FieldOrder, bool>> {
protected:
    MeasureError() : executor_(2), field_(host_memory()), source_(executor_.memory()) {}

    // A dense grid has no multiple of 8 cells along y.
    void build(const Case& mesh) {
        const auto [order, is_sparse] = GetParam();
        SamplePlan plan{};
        plan.grid = grid_around(mesh.mesh, {40, is_sparse ? 32 : 29, 24});
        plan.order = order;
        plan.is_sparse = is_sparse;
        plan.band = 2 * plan.grid.spacing;
        plan.sign = mesh.sign;
        plan.offset = mesh.offset;
        plan.measures_error = true;
        plan.memory_limit = 1 << 30;
        build_samples(executor_, mesh.mesh, plan, field_);
        prepare_mesh(executor_, mesh.mesh, source_);
    }

    Vec3i first_cell_of(std::int64_t n) const {
        return first_cell(field_.grid, field_.is_sparse ? field_.block_of_brick.data()[n] : n);
    }

    CpuExecutor executor_;
    SampledField field_;
    MeshSource source_;
};

Mesh scaled(Mesh mesh, float by) {
    for (Vec3& position : mesh.positions)
        position *= by;
    return mesh;
}

// The sizes are not only about a metre, shells are thinner and much thicker than a voxel, and one
// mesh has all defects.
std::vector<Case> cases() {
    return {{"torus", sample::torus(40, 24), FieldSign::crossings, 0},
            {"large torus", scaled(sample::torus(40, 24), 300), FieldSign::crossings, 0},
            {"small torus", scaled(sample::torus(13, 7), 0.003f), FieldSign::crossings, 0},
            {"cube", sample::cube(), FieldSign::crossings, 0},
            {"shell", sample::torus(9, 5), FieldSign::shell, 0.05f},
            {"thick shell", scaled(sample::torus(9, 5), 0.01f), FieldSign::shell, 5},
            {"soup", sample::random_soup(30, 60, 5), FieldSign::shell, 0.01f}};
}

TEST_P(MeasureError, ProbesOfABlockAreThoseOfItsGroups) {
    for (const Case& mesh : cases()) {
        SCOPED_TRACE(mesh.name);
        build(mesh);
        ASSERT_GT(field_.errors.size(), 0);
        for (std::int64_t n = 0; n < field_.errors.size(); ++n) {
            const auto as_row = [](const ErrorProbe& p) {
                return std::array<float, 7>{static_cast<float>(p.cell.x),
                                            static_cast<float>(p.cell.y),
                                            static_cast<float>(p.cell.z),
                                            p.point.x,
                                            p.point.y,
                                            p.point.z,
                                            p.value};
            };
            std::vector<std::array<float, 7>> expected, found;
            for (int group = 0; group < kProbesOfBlock; ++group) {
                const ErrorProbe probe = choose_probe(field_.view(), first_cell_of(n), group);
                if (probe.cell.x >= 0) expected.push_back(as_row(probe));
            }
            const BlockProbes chosen = choose_probes(field_.view(), first_cell_of(n));
            for (int p = 0; p < chosen.count; ++p)
                found.push_back(as_row(chosen.probes[p]));
            std::sort(expected.begin(), expected.end());
            std::sort(found.begin(), found.end());
            ASSERT_EQ(found, expected);
        }
    }
}

TEST_P(MeasureError, EachBlockHasTheLargestOfItsProbes) {
    for (const Case& mesh : cases()) {
        SCOPED_TRACE(mesh.name);
        build(mesh);
        const FieldGrid centres = grid_of_centres(field_.grid);
        RowCrossings rows(executor_.memory());
        build_row_crossings(executor_, source_.positions.data(), source_.triangles.data(),
                            source_.triangles.size(), centres, 0, rows);
        const SampleSign sign{mesh.sign, rows.view(), source_.bvh.view(), nullptr, {}, nullptr};
        const float slack = distance_slack(field_.grid.box());
        float largest = 0;
        for (std::int64_t n = 0; n < field_.errors.size(); ++n) {
            float worst = 0;
            for (int group = 0; group < kProbesOfBlock; ++group) {
                const ErrorProbe probe = choose_probe(field_.view(), first_cell_of(n), group);
                if (probe.cell.x < 0) continue;
                NearestTriangle nearest(probe.point, source_.prepared.data(), slack);
                traverse(source_.bvh.tree.view(), nearest);
                worst = std::max(worst, probed_error(field_.view(), probe, nearest.distance_sq(),
                                                     sign, mesh.offset));
            }
            ASSERT_EQ(field_.errors.data()[n], worst) << n;
            largest = std::max(largest, worst);
        }
        EXPECT_GT(largest, 0);
        EXPECT_EQ(field_.error, largest);
    }
}

INSTANTIATE_TEST_SUITE_P(Fields, MeasureError,
                         testing::Combine(testing::Values(FieldOrder::zero, FieldOrder::one),
                                          testing::Bool()));

}  // namespace
}  // namespace graze
