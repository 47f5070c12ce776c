// Exact signs on a GPU: the host's, which test_predicates holds to rational numbers.
#include "geometry/predicates.h"
#include "parallel/upload.h"
#include "tests/cuda_test.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

class PredicatesCuda : public CudaTest {};

// Of four points: the signs as they are decided, and the exact values, rounded.
struct Signs {
    int orient3d, orient2d[3];
    double value3d, value2d[3];
    bool operator==(const Signs&) const = default;
};

template <class T>
struct FindSigns {
    const Vec3T<T>* points;  // four of each query
    Signs* signs;
    GRAZE_HD void operator()(std::int64_t i) const {
        const Vec3T<T>* p = points + 4 * i;
        Signs result;
        result.orient3d = orient3d(p[0], p[1], p[2], p[3]);
        result.value3d = orient3d_value(p[0], p[1], p[2], p[3]);
        for (int axis = 0; axis < 3; ++axis) {
            const int x = (axis + 1) % 3, y = (axis + 2) % 3;
            result.orient2d[axis] = orient2d_along(axis, p[0], p[1], p[2]);
            result.value2d[axis] =
                detail::orient2d_exact(double(p[0][x]), double(p[0][y]), double(p[1][x]),
                                       double(p[1][y]), double(p[2][x]), double(p[2][y]));
        }
        signs[i] = result;
    }
};

// Three points and a fourth, often the same, on one line or in one plane, or nearly.
template <class T>
std::vector<Vec3T<T>> make_queries(int count) {
    oracle::RandomPoints<T> random(17);
    std::vector<Vec3T<T>> points;
    for (int i = 0; i < count; ++i) {
        Vec3T<T> p[4];
        for (Vec3T<T>& point : p) {
            point = i % 3 == 0 ? random.in_box(1) : random.on_grid(1 + i % 4);
            if (i % 5 == 1) point = random.nudged(point, 1);
            if (i % 7 == 2) point.y = 2 * point.x;
        }
        if (i % 4 == 1) p[2] = p[1];
        if (i % 4 == 2) p[3] = p[i % 3];
        if (i % 4 == 3) p[2] = (p[0] + p[1]) * T(0.5);
        points.insert(points.end(), p, p + 4);
    }
    return points;
}

template <class T>
void expect_hosts_signs(CudaExecutor& executor) {
    constexpr int kCount = 200'000;
    const std::vector<Vec3T<T>> points = make_queries<T>(kCount);
    std::vector<Signs> expected(kCount);
    for (int i = 0; i < kCount; ++i)
        FindSigns<T>{points.data(), expected.data()}(i);
    const auto device_points = upload(executor, points);
    Buffer<Signs> signs(executor.memory(), kCount);
    executor.for_each("signs", kCount, FindSigns<T>{device_points.data(), signs.data()});
    const std::vector<Signs> found = download(executor, signs);
    std::int64_t wrong = 0;
    for (int i = 0; i < kCount; ++i)
        wrong += found[i] == expected[i] ? 0 : 1;
    EXPECT_EQ(wrong, 0) << "of " << kCount;
}

TEST_F(PredicatesCuda, HaveTheHostsSigns) {
    expect_hosts_signs<float>(executor());
    expect_hosts_signs<double>(executor());
}

}  // namespace
}  // namespace graze
