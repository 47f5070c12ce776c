// The GPU's fields are the CPU's, bit by bit.
#include <gtest/gtest.h>

#include <vector>

#include "field/field_upload.h"
#include "tests/cuda_test.h"
#include "tests/field/field_cases.h"

namespace graze {
namespace {

struct EvaluateField {
    FieldView field;
    const Vec3* points;
    FieldValue* values;

    GRAZE_HD void operator()(std::int64_t i) const { values[i] = evaluate(field, points[i]); }
};

using FieldCuda = CudaTest;

TEST_F(FieldCuda, SameBitsAsTheCpu) {
    const std::vector<Vec3> points = field_points(20000);
    const auto count = static_cast<std::int64_t>(points.size());
    auto device_points = executor().make_buffer<Vec3>(count);
    auto device_values = executor().make_buffer<FieldValue>(count);
    executor().copy_from_host("test: points", points.data(), device_points.data(), count);
    std::vector<FieldValue> values(points.size());
    for (const FieldCase& c : field_cases()) {
        SCOPED_TRACE(c.name);
        const DeviceField field(executor(), c.field);
        executor().for_each(
            "test: evaluate", count,
            EvaluateField{field.view(), device_points.data(), device_values.data()});
        executor().copy_to_host("test: values", device_values.data(), values.data(), count);
        executor().wait();
        int different = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const FieldValue expected = c.field.evaluate(points[i]);
            // Zeros of different sign are one number.
            const bool is_same =
                values[i].distance == expected.distance && values[i].gradient == expected.gradient;
            different += is_same ? 0 : 1;
        }
        EXPECT_EQ(different, 0);
    }
}

}  // namespace
}  // namespace graze
