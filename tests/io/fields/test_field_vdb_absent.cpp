// This file stands for test_field_vdb.cpp where graze is built without OpenVDB.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graze/error.h"
#include "graze/field_io.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

TEST(FieldVdb, WithoutOpenVdbSaysHowToGetIt) {
    const testing::TemporaryFolder folder;
    const Field field = make_sampled_field(testing::make_sphere_field({}));
    try {
        save_field(field, folder / "x.vdb");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("libopenvdb-dev"));
    }
    EXPECT_THROW(load_field(folder / "x.vdb"), Error);
    EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace graze
