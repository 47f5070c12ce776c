// Fields go through OpenVDB and back: what graze writes is read with OpenVDB itself, and the
// reverse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Diagnostics.h>
#include <openvdb/tools/LevelSetPlatonic.h>
#include <openvdb/tools/LevelSetSphere.h>

#include <fstream>
#include <limits>

#include "field/sampled/evaluate_sampled.h"
#include "graze/field_io.h"
#include "io/fields/check_sampled_field.h"
#include "io/fields/stored_distance.h"
#include "tests/error_of.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/oracle/case_count.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using testing::error_of;
using ::testing::HasSubstr;
using testing::make_sphere_field;
using testing::name_of;
using testing::SphereCase;
using testing::TemporaryFolder;

FloatGrid::Ptr read_with_openvdb(const std::filesystem::path& path) {
    openvdb::initialize();
    openvdb::io::File file(path.string());
    file.open();
    EXPECT_EQ(file.getGrids()->size(), 1u);
    return openvdb::gridPtrCast<FloatGrid>(file.readGrid("surface"));
}
void write_with_openvdb(const openvdb::GridCPtrVec& grids, const std::filesystem::path& path) {
    openvdb::initialize();
    openvdb::io::File file(path.string());
    file.write(grids);
    file.close();
}

template <class Visit>
void for_each_sample(const FieldGrid& grid, const Visit& visit) {
    for (std::int32_t k = 0; k <= grid.cells[2]; ++k)
        for (std::int32_t j = 0; j <= grid.cells[1]; ++j)
            for (std::int32_t i = 0; i <= grid.cells[0]; ++i)
                visit(i, j, k);
}

std::vector<SphereCase> cases() {
    std::vector<SphereCase> result = testing::sphere_cases();
    // This one has blocks inside the sphere that have no brick.
    result.push_back({FieldOrder::one, true, true, {{-1, -2, -3}, 0.25f, {80, 64, 64}}});
    return result;
}

TEST(FieldVdb, OpenVdbReadsEveryVoxel) {
    const TemporaryFolder folder;
    for (const SphereCase& c : cases()) {
        const auto field = make_sphere_field(c);
        save_field(make_sampled_field(field), folder / "sphere.vdb");
        const FloatGrid::Ptr grid = read_with_openvdb(folder / "sphere.vdb");
        ASSERT_TRUE(grid) << name_of(c);
        EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
        const auto accessor = grid->getConstAccessor();
        const auto sphere = testing::sphere_in(field->grid);
        std::int64_t active_count = 0;
        for_each_sample(field->grid, [&](std::int32_t i, std::int32_t j, std::int32_t k) {
            const Coord at(i, j, k);
            const Vec3 position = field->grid.position(i, j, k);
            const openvdb::Vec3d world = grid->indexToWorld(at);
            ASSERT_NEAR(world.x(), position.x, 1e-6);
            ASSERT_NEAR(world.y(), position.y, 1e-6);
            ASSERT_NEAR(world.z(), position.z, 1e-6);
            const std::int64_t index[3] = {i, j, k};
            float stored = 0;
            const bool is_stored = io::find_stored_distance(field->view(), index, stored);
            const bool is_in_band = is_stored && std::fabs(stored) < field->band;
            ASSERT_EQ(accessor.isValueOn(at), !c.is_sparse || is_in_band) << name_of(c);
            if (accessor.isValueOn(at)) {
                ASSERT_EQ(accessor.getValue(at), stored) << name_of(c);
                ++active_count;
            } else {
                const double truth = sphere(static_cast<Vec3d>(position)).distance;
                ASSERT_EQ(accessor.getValue(at), std::copysign(field->band, float(truth)));
            }
        });
        // No voxel is active beyond the grid.
        EXPECT_EQ(static_cast<std::int64_t>(grid->activeVoxelCount()), active_count);
        if (c.is_sparse) {
            EXPECT_EQ(grid->background(), field->band);
        }
        EXPECT_EQ(accessor.getValue(Coord(-9, -9, -9)), grid->background());
    }
}

// The level set passes what OpenVDB itself asks of one with a narrow band.
TEST(FieldVdb, SparseFieldsAreProperLevelSets) {
    const TemporaryFolder folder;
    const FieldGrid field_grid{{0, 0, 0}, 0.5f, {64, 64, 64}};
    const auto sphere = testing::sphere_in(field_grid);
    auto field = std::make_shared<SampledField>(
        oracle::fill_sparse(sphere, field_grid, FieldOrder::zero, 3 * field_grid.spacing));
    save_field(make_sampled_field(field), folder / "sphere.vdb");
    const FloatGrid::Ptr grid = read_with_openvdb(folder / "sphere.vdb");
    // These are all its checks: type, background, values in range, inactive values, and gradients
    // of 1.
    EXPECT_EQ(openvdb::tools::checkLevelSet(*grid, 9), "");
}

TEST(FieldVdb, RoundTripKeepsActiveVoxels) {
    const TemporaryFolder folder;
    for (const SphereCase& c : cases()) {
        const auto field = make_sphere_field(c);
        save_field(make_sampled_field(field), folder / "sphere.vdb");
        FieldReport report;
        const Field loaded = load_field(folder / "sphere.vdb", &report);
        const SampledField& again = *samples_of(loaded);
        ASSERT_EQ(again.grid, field->grid) << name_of(c);
        EXPECT_EQ(again.is_sparse, field->is_sparse);
        EXPECT_EQ(again.order, FieldOrder::zero);
        EXPECT_EQ(again.band, field->band);
        EXPECT_GT(again.tree.level_count, 0);
        EXPECT_EQ(report.brick_count, again.brick_count());
        const auto sphere = testing::sphere_in(field->grid);
        for_each_sample(field->grid, [&](std::int32_t i, std::int32_t j, std::int32_t k) {
            const std::int64_t index[3] = {i, j, k};
            float before = 0, after = 0;
            if (io::find_stored_distance(field->view(), index, before) &&
                (!c.is_sparse || std::fabs(before) < field->band)) {
                ASSERT_TRUE(io::find_stored_distance(again.view(), index, after)) << name_of(c);
                ASSERT_EQ(after, before) << name_of(c);
            }
            // Everywhere the side is right and the distance close to the sphere's.
            const Vec3 point = field->grid.position(i, j, k);
            const double truth = sphere(static_cast<Vec3d>(point)).distance;
            const float got = loaded.distance(point);
            if (std::fabs(truth) > 1e-3) {
                ASSERT_GT(got * truth, 0) << name_of(c);
            }
            ASSERT_LE(std::fabs(got), std::fabs(truth) + 0.3 * double(again.grid.spacing));
        });
    }
}

// graze reads OpenVDB's own level sets, also with voxels of negative index and another origin.
TEST(FieldVdb, GrazeReadsLevelSetsOfOpenVdb) {
    const TemporaryFolder folder;
    openvdb::initialize();
    constexpr float kVoxel = 0.1f, kRadius = 2.5f;
    const openvdb::Vec3f centre(0.3f, -7.1f, 4);
    const auto sphere =
        openvdb::tools::createLevelSetSphere<FloatGrid>(kRadius, centre, kVoxel, 3.0f);
    write_with_openvdb({sphere}, folder / "sphere.vdb");
    const Field field = load_field(folder / "sphere.vdb");
    const SampledField& samples = *samples_of(field);
    EXPECT_TRUE(samples.is_sparse);
    EXPECT_TRUE(samples.is_surface_inside);
    EXPECT_EQ(samples.band, sphere->background());
    EXPECT_LT(samples.brick_count(), block_count(samples.grid));
    EXPECT_NEAR(samples.grid.spacing, kVoxel, 1e-7);

    // Every active voxel is found at the sample of the same position.
    const openvdb::Vec3d origin(double(samples.grid.origin.x), double(samples.grid.origin.y),
                                double(samples.grid.origin.z));
    const Coord first = sphere->transform().worldToIndexCellCentered(origin);
    std::int64_t voxel_count = 0;
    for (auto voxel = sphere->cbeginValueOn(); voxel; ++voxel, ++voxel_count) {
        const Coord at = voxel.getCoord() - first;
        const std::int64_t index[3] = {at.x(), at.y(), at.z()};
        float stored = 0;
        ASSERT_TRUE(io::find_stored_distance(samples.view(), index, stored)) << at;
        ASSERT_EQ(stored, *voxel);
    }
    EXPECT_GT(voxel_count, 10000);

    // Beyond the voxels' band the distance goes on, with a direction.
    double worst = 0;
    const Vec3d middle{double(centre.x()), double(centre.y()), double(centre.z())};
    for_each_sample(samples.grid, [&](std::int32_t i, std::int32_t j, std::int32_t k) {
        const Vec3 point = samples.grid.position(i, j, k);
        const double truth = length(static_cast<Vec3d>(point) - middle) - double(kRadius);
        const std::int64_t index[3] = {i, j, k};
        float stored = 0;
        if (io::find_stored_distance(samples.view(), index, stored))
            worst = std::max(worst, std::fabs(double(stored) - truth));
        const FieldValue value = field.evaluate(point);
        ASSERT_LE(std::fabs(value.distance), std::fabs(truth) + 0.05 * double(kVoxel));
        if (std::fabs(truth) > 0.05 && length(static_cast<Vec3d>(point) - middle) > 0.5) {
            ASSERT_GT(value.distance * truth, 0);
            ASSERT_NEAR(length(value.gradient), 1, 1e-4);
        }
    });
    EXPECT_LT(worst, 0.05 * double(kVoxel));
    EXPECT_GE(double(samples.error), worst);
}

TEST(FieldVdb, SharpShapesAreReadToo) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto cube =
        openvdb::tools::createLevelSetCube<FloatGrid>(20.0f, openvdb::Vec3f(0, 0, 0), 1.0f, 3.0f);
    write_with_openvdb({cube}, folder / "cube.vdb");
    const Field field = load_field(folder / "cube.vdb");
    EXPECT_NEAR(field.distance({0, 0, 15}), 5, 0.1);
    EXPECT_LT(field.distance({0, 0, 0}), -3);
    EXPECT_GE(field.distance({0, 0, 0}), -10.1);
    EXPECT_NEAR(field.distance({0, 9, 0}), -1, 0.1);
}

TEST(FieldVdb, ChoosesTheLevelSetAmongSeveralGrids) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto fog = FloatGrid::create(0.0f);
    fog->setName("fog");
    fog->setGridClass(openvdb::GRID_FOG_VOLUME);
    const auto points = openvdb::Vec3SGrid::create();
    points->setName("velocity");
    const auto sphere = openvdb::tools::createLevelSetSphere<FloatGrid>(5, {0, 0, 0}, 1, 3);
    sphere->setName("sphere");
    write_with_openvdb({fog, points, sphere}, folder / "all.vdb");
    EXPECT_NEAR(load_field(folder / "all.vdb").distance({6, 0, 0}), 1, 0.05);
    write_with_openvdb({fog}, folder / "fog.vdb");
    EXPECT_THAT(error_of([&] { load_field(folder / "fog.vdb"); }), HasSubstr("is a fog volume"));
    write_with_openvdb({points}, folder / "none.vdb");
    EXPECT_THAT(error_of([&] { load_field(folder / "none.vdb"); }),
                HasSubstr("no grid of floats; it holds velocity (vec3s)"));
}

void stream_with_openvdb(const openvdb::GridCPtrVec& grids, const std::filesystem::path& path) {
    openvdb::initialize();
    std::ofstream file(path, std::ios::binary);
    openvdb::io::Stream(file).write(grids);
}

// What cannot be read beside a level set does not keep it from being read, and is told.
TEST(FieldVdb, ReadsTheLevelSetBesideWhatItCannotRead) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto path = folder / "x.vdb";
    const auto named = [](auto grid, const char* name, openvdb::GridClass grid_class) {
        grid->setName(name);
        grid->setGridClass(grid_class);
        return grid;
    };
    const auto sphere = named(openvdb::tools::createLevelSetSphere<FloatGrid>(5, {0, 0, 0}, 1, 3),
                              "sphere", openvdb::GRID_LEVEL_SET);
    const auto frustum = named(FloatGrid::create(3.0f), "view", openvdb::GRID_LEVEL_SET);
    frustum->setTransform(openvdb::math::Transform::createFrustumTransform(
        openvdb::BBoxd(openvdb::Vec3d(0), openvdb::Vec3d(10)), 0.5, 10));
    frustum->tree().setValueOn(Coord(1, 2, 3), -1.0f);
    const auto flat = named(openvdb::tools::createLevelSetSphere<FloatGrid>(5, {0, 0, 0}, 1, 3),
                            "flat", openvdb::GRID_LEVEL_SET);
    flat->transform().preScale(openvdb::Vec3d(1, 2, 1));
    const auto velocity = named(openvdb::Vec3SGrid::create(), "velocity", openvdb::GRID_STAGGERED);
    velocity->tree().setValueOn(Coord(1, 2, 3), openvdb::Vec3s(1, 2, 3));
    const auto fog = named(FloatGrid::create(0.0f), "fog", openvdb::GRID_FOG_VOLUME);
    const auto expect_sphere = [&](const char* left_out) {
        FieldReport report;
        EXPECT_NEAR(load_field(path, &report).distance({6, 0, 0}), 1, 0.05);
        ASSERT_EQ(report.findings.size(), 1u);
        EXPECT_THAT(
            report.findings[0],
            ::testing::AllOf(HasSubstr("only sphere was read; left out: "), HasSubstr(left_out)));
    };
    for (const openvdb::GridCPtrVec& grids :
         {openvdb::GridCPtrVec{frustum, sphere}, openvdb::GridCPtrVec{sphere, frustum}}) {
        write_with_openvdb(grids, path);
        expect_sphere("view (float): ");
    }
    write_with_openvdb({flat, sphere}, path);
    expect_sphere("flat (float): ");
    write_with_openvdb({velocity, fog, sphere}, path);
    expect_sphere("velocity (vec3s)");
    // Nothing tells where a grid of a stream ends.
    stream_with_openvdb({sphere, velocity}, path);
    expect_sphere("velocity (vec3s)");
    stream_with_openvdb({sphere, velocity, fog}, path);
    expect_sphere("what follows it");
    stream_with_openvdb({fog, sphere, frustum}, path);
    expect_sphere("view (float): ");
    stream_with_openvdb({velocity, sphere}, path);
    EXPECT_THAT(error_of([&] { load_field(path); }), HasSubstr("nothing tells its length"));
    // A grid of another class does not stand for a level set that cannot be read.
    write_with_openvdb({frustum, fog}, path);
    EXPECT_THAT(error_of([&] { load_field(path); }), HasSubstr("cubes along the axes"));
    write_with_openvdb({sphere}, path);
    FieldReport report;
    load_field(path, &report);
    EXPECT_TRUE(report.findings.empty());
}

TEST(FieldVdb, RefusesWhatItCannotHold) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto path = folder / "x.vdb";
    const auto load_error = [&](const FloatGrid::Ptr& grid) {
        write_with_openvdb({grid}, path);
        return error_of([&] { load_field(path); });
    };
    const auto make = [] {
        return openvdb::tools::createLevelSetSphere<FloatGrid>(5, {0, 0, 0}, 1, 3);
    };
    EXPECT_EQ(load_error(make()), "");
    auto grid = make();
    grid->transform().preScale(openvdb::Vec3d(1, 2, 1));
    EXPECT_THAT(load_error(grid), HasSubstr("cubes along the axes"));
    grid = make();
    grid->transform().preRotate(0.5);
    EXPECT_THAT(load_error(grid), HasSubstr("cubes along the axes"));
    grid = make();
    grid->tree().setValueOn(Coord(5, 0, 0), std::numeric_limits<float>::quiet_NaN());
    EXPECT_THAT(load_error(grid), HasSubstr("not a number"));
    EXPECT_THAT(load_error(FloatGrid::create(3.0f)), HasSubstr("no active voxels"));
    grid = FloatGrid::create(3.0f);
    grid->tree().setValueOn(Coord(1, 2, 3), 1.0f);
    EXPECT_THAT(load_error(grid), HasSubstr("no surface"));
    grid = make();
    grid->tree().setValueOn(Coord(1 << 30, 0, 0), 1.0f);
    EXPECT_THAT(load_error(grid), HasSubstr("cells along an axis"));
    EXPECT_THAT(error_of([&] { load_field(folder / "missing.vdb"); }),
                HasSubstr("missing.vdb: cannot read: No such file"));
}

// Files cut anywhere throw, which is up to OpenVDB; so do those that are something else.
TEST(FieldVdb, RefusesTruncatedFiles) {
    const TemporaryFolder folder;
    save_field(make_sampled_field(make_sphere_field({FieldOrder::zero, true})),
               folder / "sphere.vdb");
    const std::string bytes = testing::read_bytes(folder / "sphere.vdb");
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 50) {
        testing::write_bytes(folder / "cut.vdb", std::string_view(bytes).substr(0, size));
        EXPECT_THAT(error_of([&] { load_field(folder / "cut.vdb"); }), HasSubstr("cut.vdb: "))
            << size;
    }
    testing::write_bytes(folder / "cut.vdb", "ply\nformat ascii 1.0\n");
    EXPECT_THAT(error_of([&] { load_field(folder / "cut.vdb"); }), HasSubstr("OpenVDB: "));
}

TEST(FieldVdb, FailedSavesLeaveNothingBehind) {
    const TemporaryFolder folder;
    auto field = make_sphere_field({});
    field->values.data()[0] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(error_of([&] { save_field(make_sampled_field(field), folder / "x.vdb"); }),
                HasSubstr("x.vdb: cannot write: value 0 is not finite"));
    EXPECT_THROW(save_field(make_sampled_field(make_sphere_field({})), folder / "none/x.vdb"),
                 Error);
    EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace graze
