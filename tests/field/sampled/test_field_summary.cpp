#include "graze/field_summary.h"

#include <gtest/gtest.h>

#include "graze/build_field.h"
#include "graze/error.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

TEST(FieldSummary, SaysWhatTheBuildSays) {
    for (const bool sparse : {false, true}) {
        for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
            FieldOptions options;
            options.resolution = 48;
            options.sparse = sparse;
            options.order = order;
            options.band = 2;
            FieldReport report;
            const Field field = build_field(sample::torus(24, 12), options, &report);
            const FieldSummary summary = summarize(field);
            EXPECT_TRUE(summary.grid == choose_grid(bounds(sample::torus(24, 12)), options));
            EXPECT_EQ(summary.order, order);
            EXPECT_EQ(summary.is_sparse, sparse);
            EXPECT_EQ(summary.brick_count, report.brick_count);
            EXPECT_EQ(summary.sample_count,
                      sparse ? report.brick_count * 9 * 9 * 9 : summary.grid.sample_count());
            EXPECT_EQ(summary.brick_count > 0, sparse);
            EXPECT_EQ(summary.memory_bytes, report.memory_bytes);
            EXPECT_EQ(summary.error, report.error);
            EXPECT_EQ(summary.error, field.error());
            EXPECT_FLOAT_EQ(summary.band, sparse ? 2 * summary.grid.spacing : 0);
        }
    }
}

TEST(FieldSummary, OnlyOfSampledFields) {
    EXPECT_THROW(summarize(Field::sphere({0, 0, 0}, 1)), Error);
}

}  // namespace
}  // namespace graze
