#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "field/sampled/evaluate_sampled.h"
#include "graze/error.h"
#include "graze/field_io.h"
#include "io/fields/sample_array_sizes.h"
#include "tests/error_of.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using ::testing::HasSubstr;
using testing::make_sphere_field;
using testing::read_bytes;
using testing::SphereCase;
using testing::TemporaryFolder;

struct Array {
    std::string header;  // what NumPy evaluates
    std::vector<float> values;
};

// This follows the description of the format in NumPy's documentation.
Array read_npy(const std::filesystem::path& path) {
    const std::string bytes = read_bytes(path);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t size =
        static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((10 + size) % 64, 0u);
    EXPECT_EQ(bytes[9 + size], '\n');
    Array array{bytes.substr(10, size), {}};
    array.values.resize((bytes.size() - 10 - size) / 4);
    std::memcpy(array.values.data(), bytes.data() + 10 + size, array.values.size() * 4);
    EXPECT_EQ(10 + size + array.values.size() * 4, bytes.size());
    return array;
}

TEST(FieldNpy, HoldsTheDistanceAtEverySample) {
    const TemporaryFolder folder;
    for (const SphereCase& c : testing::sphere_cases()) {
        const auto field = make_sphere_field(c);
        save_field(make_sampled_field(field), folder / "sphere.npy");
        const Array array = read_npy(folder / "sphere.npy");
        const FieldGrid& grid = field->grid;
        EXPECT_THAT(array.header, HasSubstr("'descr': '<f4', 'fortran_order': False, 'shape': (" +
                                            std::to_string(grid.samples(2)) + ", " +
                                            std::to_string(grid.samples(1)) + ", " +
                                            std::to_string(grid.samples(0)) + ")"));
        ASSERT_EQ(static_cast<std::int64_t>(array.values.size()), grid.sample_count());
        const auto sphere = testing::sphere_in(grid);
        const double rounding = c.order == FieldOrder::zero ? 1e-6 : 1e-3;
        std::size_t index = 0;
        for (std::int64_t k = 0; k < grid.samples(2); ++k)
            for (std::int64_t j = 0; j < grid.samples(1); ++j)
                for (std::int64_t i = 0; i < grid.samples(0); ++i) {
                    const double truth =
                        sphere(static_cast<Vec3d>(grid.position(i, j, k))).distance;
                    const double got = array.values[index++];
                    // Beyond the band there is a lower bound with the right sign.
                    if (c.is_sparse && std::fabs(truth) > field->band)
                        ASSERT_TRUE(got * truth > 0 && std::fabs(got) <= std::fabs(truth) + 1e-3)
                            << testing::name_of(c) << ": " << got << " of " << truth;
                    else
                        ASSERT_NEAR(got, truth, rounding) << testing::name_of(c);
                }
    }
}

// Every stored sample is taken, also those of a brick's far faces.
TEST(FieldNpy, TakesTheStoredSamplesOfBricks) {
    const TemporaryFolder folder;
    const auto field =
        make_sphere_field({FieldOrder::zero, true, false, {{0, 0, 0}, 1, {32, 40, 48}}});
    ASSERT_LT(field->brick_count(), block_count(field->grid));
    save_field(make_sampled_field(field), folder / "sphere.npy");
    const std::vector<float> values = read_npy(folder / "sphere.npy").values;
    const FieldGrid& grid = field->grid;
    for (std::int64_t brick = 0; brick < field->brick_count(); ++brick) {
        const std::int64_t block = field->block_of_brick.data()[brick];
        const std::int64_t at[3] = {block % 4 * 8, block / 4 % 5 * 8, block / 20 * 8};
        for (std::int64_t n = 0; n < kBrickSize; ++n) {
            const std::int64_t i = at[0] + n % 9, j = at[1] + n / 9 % 9, k = at[2] + n / 81;
            ASSERT_EQ(
                values[static_cast<std::size_t>(i + grid.samples(0) * (j + grid.samples(1) * k))],
                field->values.data()[brick * kBrickSize + n]);
        }
    }
}

TEST(FieldNpy, JsonSaysWhereTheArrayLies) {
    const TemporaryFolder folder;
    const auto field = make_sphere_field({FieldOrder::one, true});
    save_field(make_sampled_field(field), folder / "sphere.npy");
    const auto json = nlohmann::json::parse(read_bytes(folder / "sphere.json"));
    EXPECT_EQ(json["origin"], (std::vector<float>{-1.5f, 0.25f, 3}));
    EXPECT_EQ(json["spacing"], 0.125f);
    EXPECT_EQ(json["shape"], (std::vector<int>{17, 25, 17}));
    EXPECT_EQ(json["axes"], (std::vector<std::string>{"z", "y", "x"}));
    EXPECT_EQ(json["unit"], "m");
    EXPECT_EQ(json["order"], 1);
    EXPECT_EQ(json["sparse"], true);
    EXPECT_EQ(json["band"], field->band);
    EXPECT_EQ(folder.file_count(), 2u);
}

TEST(FieldNpy, LeavesSomeoneElsesJsonAlone) {
    const TemporaryFolder folder;
    const Field field = make_sampled_field(make_sphere_field({FieldOrder::one, true}));
    testing::write_bytes(folder / "sphere.json", "{\"mine\": 1}");
    EXPECT_THAT(testing::error_of([&] { save_field(field, folder / "sphere.npy"); }),
                HasSubstr("sphere.json, which describes no array"));
    EXPECT_EQ(read_bytes(folder / "sphere.json"), "{\"mine\": 1}");
    EXPECT_EQ(folder.file_count(), 1u);
    // Its own is replaced.
    save_field(field, folder / "other.npy");
    save_field(field, folder / "other.npy");
    EXPECT_EQ(folder.file_count(), 3u);
}

TEST(FieldNpy, RefusesWhatIsTooLarge) {
    const TemporaryFolder folder;
    // The field has one brick in a grid of 2^31 samples.
    auto field = std::make_shared<SampledField>(host_memory());
    field->grid = {{0, 0, 0}, 1, {1 << 15, 1 << 8, 1 << 8}};
    io::SampledFieldLayout layout{field->grid, FieldOrder::zero, true, false, 1};
    io::allocate_arrays(layout, *field);
    std::fill_n(field->brick_of_block.data(), field->brick_of_block.size(), -1);
    field->brick_of_block.data()[0] = 0;
    field->block_of_brick.data()[0] = 0;
    field->errors.data()[0] = 0;
    std::fill_n(field->values.data(), field->values.size(), 1.0f);
    std::fill_n(field->coarse.data(), field->coarse.size(), 1.0f);
    try {
        save_field(make_sampled_field(field), folder / "large.npy");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("large.npy: cannot write: the array would take 82"));
        EXPECT_THAT(error.what(), HasSubstr("use a lower resolution, or .gfield"));
    }
    EXPECT_EQ(folder.file_count(), 0u);
}

TEST(FieldNpy, FailedSavesLeaveNothingBehind) {
    const TemporaryFolder folder;
    const auto field = make_sphere_field({});
    std::filesystem::create_directory(folder / "sphere.json");
    testing::write_bytes(folder / "sphere.npy", "before");
    EXPECT_THROW(save_field(make_sampled_field(field), folder / "sphere.npy"), Error);
    EXPECT_EQ(read_bytes(folder / "sphere.npy"), "before");
    EXPECT_EQ(folder.file_count(), 2u);
}

}  // namespace
}  // namespace graze
