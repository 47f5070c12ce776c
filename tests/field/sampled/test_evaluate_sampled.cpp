#include "field/sampled/evaluate_sampled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/oracle/case_count.h"
#include "tests/oracle/fill_samples.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::fill_dense;
using oracle::fill_sparse;
using oracle::RandomPoints;
using oracle::TrueField;
using oracle::Truth;

constexpr double kFloatEpsilon = std::numeric_limits<float>::epsilon();

// [m] How far a point's position in the grid may be off by rounding.
double position_rounding(const FieldGrid& grid) {
    const Aabb box = grid.box();
    const auto reach = static_cast<double>(length(extent(box)) + length(grid.origin));
    return 4 * kFloatEpsilon * reach;
}

Vec3 random_in(RandomPoints<float>& random, const Aabb& box) {
    return {random.uniform(box.min.x, box.max.x), random.uniform(box.min.y, box.max.y),
            random.uniform(box.min.z, box.max.z)};
}

// The function c + g.x + x.H.x / 2 with coefficients in [-1, 1], which are exact in half precision
// where asked for.
struct Quadratic {
    double c;
    Vec3d g;
    double h[3][3];  // symmetric

    static Quadratic random(RandomPoints<double>& random, double bend) {
        Quadratic q{};
        q.c = random.uniform(-1, 1);
        q.g = random.in_box(1);
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j)
                q.h[i][j] = q.h[j][i] = random.uniform(-bend, bend);
        return q;
    }
    Truth operator()(const Vec3d& x) const {
        Vec3d hx{0, 0, 0};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                hx[i] += h[i][j] * x[j];
        return {c + dot(g, x) + dot(hx, x) / 2, g + hx};
    }
};

// How far order 1 may be off for a quadratic: each corner's value and half gradient is rounded to
// half precision (2^-11 of itself, 2^-25 where denormal), weighted as the blend weights it; then 8
// corners with some 12 float operations each are summed.
double rounding_bound(const FieldGrid& grid, const Quadratic& truth, const Vec3d& point) {
    const Vec3d x = (point - static_cast<Vec3d>(grid.origin)) / static_cast<double>(grid.spacing);
    double half_rounding = 0, size = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        Vec3d at = point, step{0, 0, 0};
        for (int axis = 0; axis < 3; ++axis) {
            const double cell = std::min<double>(std::floor(x[axis]), grid.cells[axis] - 1);
            const double index = cell + ((corner >> axis) & 1);
            step[axis] = x[axis] - index;
            weight *= 1 - std::fabs(step[axis]);
            at[axis] = grid.origin[axis] + index * grid.spacing;
        }
        const Truth sample = truth(at);
        const auto rounded = [](double v) { return std::max(0x1p-11 * std::fabs(v), 0x1p-25); };
        double off = rounded(sample.value / grid.spacing);
        size += weight * std::fabs(sample.value / grid.spacing);
        for (int axis = 0; axis < 3; ++axis) {
            off += rounded(sample.gradient[axis] / 2) * std::fabs(step[axis]);
            size += weight * std::fabs(sample.gradient[axis] / 2 * step[axis]);
        }
        half_rounding += weight * off;
    }
    return grid.spacing * (half_rounding * 1.001 + 32 * kFloatEpsilon * size);
}

TEST(EvaluateSampled, OrderOneReproducesQuadratics) {
    RandomPoints<double> random(1);
    RandomPoints<float> random_float(2);
    double largest_fraction = 0;  // of the bound that was used up
    for (int round = 0; round < case_count(200); ++round) {
        const FieldGrid grid{{-1, -0.5f, -2}, 0.25f, {9, 4, 17}};
        const Quadratic truth = Quadratic::random(random, 2);
        const bool is_sparse = round % 2 == 1;
        const FieldGrid blocks{grid.origin, grid.spacing, {8, 8, 16}};
        const auto field = is_sparse ? fill_sparse(blocks, FieldOrder::one, false, 1e9f, truth)
                                     : fill_dense(grid, FieldOrder::one, false, truth);
        for (int i = 0; i < 100; ++i) {
            const Vec3 point = random_in(random_float, field->grid.box());
            const auto wide = static_cast<Vec3d>(point);
            const double bound = rounding_bound(field->grid, truth, wide) +
                                 length(truth(wide).gradient) * position_rounding(grid);
            const double off =
                std::fabs(evaluate(field->view(), point).distance - truth(wide).value);
            ASSERT_LE(off, bound) << "round " << round;
            largest_fraction = std::max(largest_fraction, off / bound);
        }
    }
    // The bound is near what happens, so it proves something.
    EXPECT_GT(largest_fraction, 0.3);
}

// Values that halves hold exactly leave float rounding alone.
TEST(EvaluateSampled, OrderOneIsExactForQuadraticsOfSmallIntegers) {
    RandomPoints<float> random(3);
    for (int round = 0; round < case_count(100); ++round) {
        Quadratic truth{};
        truth.c = random.integer(-8, 8);
        for (int i = 0; i < 3; ++i) {
            truth.g[i] = random.integer(-4, 4);
            for (int j = i; j < 3; ++j)
                truth.h[i][j] = truth.h[j][i] = 2 * random.integer(-2, 2);
        }
        const FieldGrid grid{{-4, -4, -4}, 1, {8, 8, 8}};
        const auto field = fill_dense(grid, FieldOrder::one, false, truth);
        for (int i = 0; i < 50; ++i) {
            const Vec3 point = random_in(random, grid.box());
            const Truth expected = truth(static_cast<Vec3d>(point));
            const FieldValue value = evaluate(field->view(), point);
            ASSERT_NEAR(value.distance, expected.value, 2e-4);
            const Vec3d unit = normalized(expected.gradient);
            if (length(expected.gradient) > 0.1) {
                ASSERT_LT(distance(static_cast<Vec3d>(value.gradient), unit), 1e-3);
            }
        }
    }
}

TEST(EvaluateSampled, OrderZeroReproducesTrilinearFunctions) {
    RandomPoints<double> random(4);
    RandomPoints<float> random_float(5);
    for (int round = 0; round < case_count(100); ++round) {
        double c[8];
        for (double& x : c)
            x = random.uniform(-1, 1);
        const auto truth = [&](const Vec3d& p) -> Truth {
            return {c[0] + c[1] * p.x + c[2] * p.y + c[3] * p.z + c[4] * p.x * p.y +
                        c[5] * p.y * p.z + c[6] * p.z * p.x + c[7] * p.x * p.y * p.z,
                    {c[1] + c[4] * p.y + c[6] * p.z + c[7] * p.y * p.z,
                     c[2] + c[4] * p.x + c[5] * p.z + c[7] * p.z * p.x,
                     c[3] + c[5] * p.y + c[6] * p.x + c[7] * p.x * p.y}};
        };
        const FieldGrid grid{{-1, -1, -1}, 0.125f, {16, 8, 24}};
        const auto field = round % 2 == 0 ? fill_dense(grid, FieldOrder::zero, false, truth)
                                          : fill_sparse(grid, FieldOrder::zero, false, 1e9f, truth);
        for (int i = 0; i < 100; ++i) {
            const Vec3 point = random_in(random_float, grid.box());
            const Truth expected = truth(static_cast<Vec3d>(point));
            const FieldValue value = evaluate(field->view(), point);
            ASSERT_NEAR(value.distance, expected.value, 2e-5);
            if (length(expected.gradient) < 0.1) continue;
            ASSERT_LT(distance(static_cast<Vec3d>(value.gradient), normalized(expected.gradient)),
                      2e-3);
        }
    }
}

TEST(EvaluateSampled, SamplesAreReproduced) {
    RandomPoints<double> random(6);
    const Quadratic truth = Quadratic::random(random, 1);
    const FieldGrid grid{{0.5f, 0.25f, -1}, 0.125f, {8, 16, 8}};
    for (const bool is_sparse : {false, true}) {
        const auto field = is_sparse ? fill_sparse(grid, FieldOrder::zero, false, 1e9f, truth)
                                     : fill_dense(grid, FieldOrder::zero, false, truth);
        for (std::int64_t k = 0; k < grid.samples(2); ++k)
            for (std::int64_t j = 0; j < grid.samples(1); ++j)
                for (std::int64_t i = 0; i < grid.samples(0); ++i) {
                    const Vec3 point = grid.position(i, j, k);
                    const auto expected =
                        static_cast<float>(truth(static_cast<Vec3d>(point)).value);
                    // A blend by t = 1 goes through a difference, which rounds.
                    ASSERT_NEAR(evaluate(field->view(), point).distance, expected, 1e-6f);
                }
    }
}

// A solid, or a surface without inside, with its exact distance.
struct Case {
    std::string name;
    TrueField truth;
    bool is_surface_inside;  // of the grid below
};

const FieldGrid kGrid{{-1.5f, -1, -2}, 0.125f, {24, 16, 32}};

Truth sphere(const Vec3d& p, const Vec3d& centre, double radius, double sign) {
    const double norm = length(p - centre);
    return {sign * (norm - radius), norm > 0 ? (p - centre) * (sign / norm) : Vec3d{0, 0, sign}};
}

TrueField point_set(unsigned seed, int count) {
    RandomPoints<float> random(seed);
    std::vector<Vec3d> points(static_cast<std::size_t>(count));
    for (Vec3d& p : points)
        p = static_cast<Vec3d>(random_in(random, kGrid.box()));
    return [points](const Vec3d& p) {
        Truth best{1e30, {0, 0, 1}};
        for (const Vec3d& q : points) {
            if (const double d = distance(p, q); d < best.value) {
                best = {d, normalized(p - q)};
            }
        }
        return best;
    };
}

std::vector<Case> cases() {
    return {
        {"ball", [](const Vec3d& p) { return sphere(p, {0.1, 0.05, 0.3}, 0.8, 1); }, true},
        {"ball that touches the box", [](const Vec3d& p) { return sphere(p, {0, 0, 0}, 1, 1); },
         true},
        {"small ball", [](const Vec3d& p) { return sphere(p, {-1.2, 0.7, 1.5}, 0.05, 1); }, true},
        {"around a ball", [](const Vec3d& p) { return sphere(p, {0.1, 0, 0}, 0.7, -1); }, true},
        {"points", point_set(7, 5), true},
        {"many points", point_set(8, 60), true},
        {"one point", point_set(9, 1), true},
        {"ball that leaves the box",
         [](const Vec3d& p) { return sphere(p, {0.5, 0.2, 0}, 1.4, 1); }, false},
        {"plane", [](const Vec3d& p) { return Truth{0.6 * p.x + 0.8 * p.z - 0.3, {0.6, 0, 0.8}}; },
         false},
    };
}

// Calls check for every case, dense and sparse, of order 0 and 1.
template <class Check>
void for_each_field(const Check& check) {
    for (const Case& c : cases()) {
        for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
            for (const float band : {0.0f, 0.1f, 0.375f, -1.0f}) {
                const bool is_sparse = band >= 0;
                SCOPED_TRACE(c.name + (order == FieldOrder::one ? ", order 1" : ", order 0") +
                             (is_sparse ? ", band " + std::to_string(band) : ", dense"));
                const auto field =
                    is_sparse ? fill_sparse(kGrid, order, c.is_surface_inside, band, c.truth)
                              : fill_dense(kGrid, order, c.is_surface_inside, c.truth);
                check(c, *field);
                if (testing::Test::HasFailure()) return;
            }
        }
    }
}

// Points far and near, and straight beyond faces, edges and corners of the box.
Vec3 point_around(RandomPoints<float>& random) {
    const Aabb box = kGrid.box();
    const float reach = std::ldexp(1.0f, random.integer(-6, 5));
    Vec3 point = random_in(random, box);
    for (int axis = 0; axis < 3; ++axis) {
        switch (random.integer(0, 3)) {
            case 0:
                point[axis] = box.min[axis] - random.uniform(0, reach);
                break;
            case 1:
                point[axis] = box.max[axis] + random.uniform(0, reach);
                break;
            default:
                break;
        }
    }
    return point;
}

Vec3 clamp_to(const Aabb& box, const Vec3& point) {
    return min_of(max_of(point, box.min), box.max);
}

bool is_in_box(const Vec3& point) {
    return contains(kGrid.box(), point);
}

TEST(EvaluateSampled, OutsideTheBoxNeverOverestimates) {
    RandomPoints<float> random(10);
    for_each_field([&](const Case& c, const SampledField& field) {
        for (int i = 0; i < case_count(3000); ++i) {
            const Vec3 point = point_around(random);
            if (is_in_box(point)) continue;
            const FieldValue value = evaluate(field.view(), point);
            const double truth = c.truth(static_cast<Vec3d>(point)).value;
            ASSERT_LE(std::fabs(value.distance), std::fabs(truth) + position_rounding(kGrid))
                << point.x << " " << point.y << " " << point.z;
            // The side is right, or the distance is 0 where nothing is known.
            ASSERT_GE(value.distance * truth, 0);
        }
    });
}

// Distances are at least as good as the one to the box, and gradients lead back to the surface.
TEST(EvaluateSampled, OutsideTheBoxIsUsable) {
    RandomPoints<float> random(11);
    int nearer_count = 0, farther_count = 0;
    for_each_field([&](const Case& c, const SampledField& field) {
        if (!c.is_surface_inside) return;
        for (int i = 0; i < case_count(3000); ++i) {
            const Vec3 point = point_around(random);
            if (is_in_box(point)) continue;
            const FieldValue value = evaluate(field.view(), point);
            const auto to_box = static_cast<double>(std::sqrt(distance_sq(kGrid.box(), point)));
            const Truth truth = c.truth(static_cast<Vec3d>(point));
            const double size = std::fabs(static_cast<double>(value.distance));
            ASSERT_GE(size, to_box * (1 - 1e-6));
            ASSERT_NEAR(length(value.gradient), 1, 1e-5);
            // Every step against it goes towards the box, and nearly every one nearer to the
            // surface.
            const Vec3 beyond = point - clamp_to(kGrid.box(), point);
            for (int axis = 0; axis < 3; ++axis)
                ASSERT_GE(value.gradient[axis] * value.distance * beyond[axis], 0);
            ASSERT_GT(dot(value.gradient * value.distance, beyond), 0);
            const bool is_nearer = dot(static_cast<Vec3d>(value.gradient), truth.gradient) > 0;
            ++(is_nearer ? nearer_count : farther_count);
        }
    });
    EXPECT_LT(farther_count * 1000, nearer_count);
}

TEST(EvaluateSampled, InTheBoxIsOffByTheErrorOrALowerBound) {
    RandomPoints<float> random(12);
    std::int64_t coarse_count = 0;
    for_each_field([&](const Case& c, const SampledField& field) {
        for (int i = 0; i < case_count(3000); ++i) {
            const Vec3 point = random_in(random, kGrid.box());
            const FieldValue value = evaluate(field.view(), point);
            const double truth = c.truth(static_cast<Vec3d>(point)).value;
            const detail::CellPoint at = detail::find_cell(kGrid, point);
            const std::int64_t block =
                at.cell[0] / 8 +
                block_count(kGrid, 0) * (at.cell[1] / 8 + block_count(kGrid, 1) * (at.cell[2] / 8));
            const bool is_coarse = field.is_sparse && field.brick_of_block.data()[block] < 0;
            if (is_coarse) {
                ++coarse_count;
                ASSERT_LE(std::fabs(value.distance), std::fabs(truth) + position_rounding(kGrid));
                ASSERT_GE(std::fabs(value.distance), field.band);
                ASSERT_GE(value.distance * truth, 0);
            } else {
                ASSERT_NEAR(value.distance, truth, field.error);
            }
        }
    });
    EXPECT_GT(coarse_count, case_count(10000));
}

// Far from a plane along an axis the coarse bound loses nothing across the plane's direction.
TEST(EvaluateSampled, BeyondTheBandTheBoundIsClose) {
    RandomPoints<float> random(13);
    const auto plane = [](const Vec3d& p) { return Truth{p.z + 3, {0, 0, 1}}; };
    const auto field = fill_sparse(kGrid, FieldOrder::one, false, 0.1f, plane);
    ASSERT_EQ(field->brick_count(), 0);
    for (int i = 0; i < case_count(10000); ++i) {
        const Vec3 point = random_in(random, kGrid.box());
        const FieldValue value = evaluate(field->view(), point);
        const double truth = point.z + 3.0;
        // It is d^2 - s^2 / 2 with blocks of side 1, for the spread along x and y, not along z.
        EXPECT_GE(value.distance, std::sqrt(truth * truth - 0.5) - 1e-5);
        EXPECT_LE(value.distance, truth + 1e-5);
        EXPECT_NEAR(value.gradient.z, 1, 1e-5);
    }
}

// Interpolation puts the surface outside a box that it touches; space beyond must not turn solid.
TEST(EvaluateSampled, ATouchedBoxDoesNotTurnTheSign) {
    const FieldGrid grid{{0, 0, 0}, 1, {2, 2, 2}};
    const auto field = fill_dense(grid, FieldOrder::zero, true, [](const Vec3d& p) {
        const double side = p.x == 2 && p.y == 1 && p.z == 1 ? -1e-4 : 0.5;
        return Truth{side, {1, 0, 0}};
    });
    oracle::set_errors(*field, 1, 2e-4f);
    EXPECT_LT(evaluate(field->view(), {2, 1, 1}).distance, 0);
    EXPECT_NEAR(evaluate(field->view(), {5, 1, 1}).distance, 3, 1e-5);
    EXPECT_NEAR(evaluate(field->view(), {5, 1, 1}).gradient.x, 1, 1e-6);
}

TEST(EvaluateSampled, FaceBetweenBlocksIsContinuous) {
    RandomPoints<float> random(14);
    for_each_field([&](const Case&, const SampledField& field) {
        if (!field.is_sparse) return;
        for (int i = 0; i < case_count(300); ++i) {
            Vec3 point = random_in(random, kGrid.box());
            const int axis = random.integer(0, 2);
            const std::int64_t face =
                random.integer(1, static_cast<int>(block_count(kGrid, axis)) - 1);
            point[axis] = kGrid.position(8 * face, 8 * face, 8 * face)[axis];
            Vec3 before = point;
            before[axis] = std::nextafter(point[axis], -100.0f);
            const FieldValue a = evaluate(field.view(), before);
            const FieldValue b = evaluate(field.view(), point);
            const auto block_at = [&](const Vec3& p) {
                const detail::CellPoint at = detail::find_cell(kGrid, p);
                return field.brick_of_block
                    .data()[at.cell[0] / 8 +
                            block_count(kGrid, 0) *
                                (at.cell[1] / 8 + block_count(kGrid, 1) * (at.cell[2] / 8))];
            };
            // Brick to brick and coarse to coarse share the samples of the face.
            if ((block_at(before) < 0) != (block_at(point) < 0)) continue;
            ASSERT_NEAR(a.distance, b.distance, 2e-5f);
        }
    });
}

}  // namespace
}  // namespace graze
