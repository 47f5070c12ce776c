// Hardware-filtered look-ups stay within their bound of evaluate(), and are evaluate() where there
// is nothing to look up.
#include <cmath>
#include <numbers>
#include <vector>

#include "field/sampled/copy_samples.h"
#include "field/sampled/field_texture.h"
#include "tests/cuda_test.h"
#include "tests/field/build/build_field_cases.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

Mesh make_sphere(int rings, int segments) {
    Mesh mesh;
    const float pi = std::numbers::pi_v<float>;
    for (int i = 0; i <= rings; ++i) {
        const float a = pi * static_cast<float>(i) / static_cast<float>(rings);
        for (int j = 0; j < segments; ++j) {
            const float b = 2 * pi * static_cast<float>(j) / static_cast<float>(segments);
            const float r = i == 0 || i == rings ? 0.0f : std::sin(a);
            mesh.positions.push_back({r * std::cos(b), r * std::sin(b), std::cos(a)});
        }
    }
    // The poles are one vertex each.
    const auto id = [&](int i, int j) {
        const bool is_pole = i == 0 || i == rings;
        return static_cast<std::uint32_t>(i * segments + (is_pole ? 0 : j % segments));
    };
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < segments; ++j) {
            if (i > 0) mesh.triangles.push_back({{id(i, j), id(i + 1, j), id(i, j + 1)}});
            if (i + 1 < rings)
                mesh.triangles.push_back({{id(i, j + 1), id(i + 1, j), id(i + 1, j + 1)}});
        }
    }
    return mesh;
}

// Points in the grid, some exactly on samples or on the faces of its box, where blends end; and
// points around it.
std::vector<Vec3> make_points(const FieldGrid& grid) {
    oracle::RandomPoints<float> random(11);
    const Aabb box = grid.box();
    const Vec3 size = extent(box);
    std::vector<Vec3> points;
    for (int i = 0; i < 100000; ++i) {
        Vec3 point;
        for (int axis = 0; axis < 3; ++axis) {
            point[axis] =
                std::fmin(box.min[axis] + size[axis] * random.uniform(0, 1), box.max[axis]);
        }
        if (i % 10 == 1) {
            point =
                grid.position(random.integer(0, grid.cells[0]), random.integer(0, grid.cells[1]),
                              random.integer(0, grid.cells[2]));
        }
        if (i % 10 == 2) {
            const int axis = random.integer(0, 2);
            point[axis] = random.integer(0, 1) ? box.max[axis] : box.min[axis];
        }
        points.push_back(point);
    }
    for (int i = 0; i < 20000; ++i)
        points.push_back(centre(box) + random.in_box(1.5f * std::fmax(size.x, size.y)));
    return points;
}

struct SearchAndEvaluate {
    FieldTextureView view;
    const Vec3* points;
    FieldValue* found;
    FieldValue* expected;

    __device__ void operator()(std::int64_t i) const {
        found[i] = search_value(view, points[i]);
        expected[i] = evaluate(view.field, points[i]);
    }
};

// What there is to look up at a point.
struct Blending {
    bool is_in_texture;
    float gradient_length;  // of evaluate()'s blend
};
Blending blending_at(const SampledFieldView& field, const Vec3& point) {
    const detail::CellCorners at =
        detail::find_corners(field, detail::find_cell(field.grid, point));
    return {contains(field.grid.box(), point) && !at.is_coarse,
            length(detail::evaluate_in_grid(field, at).gradient)};
}

class FieldTextureCuda : public CudaTest {
protected:
    void compare(const Mesh& mesh, FieldOptions options) {
        options.device = Device::cuda();
        const Field field = build_field(mesh, options);
        const SampledField& host = *samples_of(field);
        const SampledField on_device = upload_samples(executor(), host);
        const FieldTexture texture(executor(), on_device);
        const std::vector<Vec3> points = make_points(host.grid);
        const auto count = static_cast<std::int64_t>(points.size());
        auto device_points = executor().make_buffer<Vec3>(count);
        auto device_found = executor().make_buffer<FieldValue>(count);
        auto device_expected = executor().make_buffer<FieldValue>(count);
        executor().copy_from_host("test: points", points.data(), device_points.data(), count);
        executor().for_each("test: search", count,
                            SearchAndEvaluate{texture.view(), device_points.data(),
                                              device_found.data(), device_expected.data()});
        std::vector<FieldValue> found(points.size()), expected(points.size());
        executor().copy_to_host("test: found", device_found.data(), found.data(), count);
        executor().copy_to_host("test: expected", device_expected.data(), expected.data(), count);
        executor().wait();
        check(host, texture.view(), points, found, expected);
    }

private:
    static void check(const SampledField& host, const FieldTextureView& view,
                      const std::vector<Vec3>& points, const std::vector<FieldValue>& found,
                      const std::vector<FieldValue>& expected) {
        // This is the angle that the header derives, for blends of length 0.9 or more, which are
        // all but those near the medial axis.
        const float angle = 2 * (3 * kFilterWeightError + kHalfRounding) / 0.9f * 1.01f;
        int texture_count = 0, smooth_count = 0, elsewhere_count = 0;
        int far_off = 0, turned = 0, different = 0;
        float worst = 0, worst_turn = 0;  // as fractions of the bounds
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Blending blending = blending_at(host.view(), points[i]);
            if (!blending.is_in_texture) {
                ++elsewhere_count;
                different += found[i].distance == expected[i].distance &&
                                     found[i].gradient == expected[i].gradient
                                 ? 0
                                 : 1;
                continue;
            }
            ++texture_count;
            const float fraction = std::fabs(found[i].distance - expected[i].distance) /
                                   search_error(view, expected[i].distance);
            far_off += fraction <= 1 ? 0 : 1;  // also where it is NaN
            worst = std::fmax(worst, fraction);
            if (blending.gradient_length < 0.9f) continue;
            ++smooth_count;
            const float turn = length(found[i].gradient - expected[i].gradient) / angle;
            turned += turn <= 1 ? 0 : 1;
            worst_turn = std::fmax(worst_turn, turn);
        }
        EXPECT_EQ(far_off, 0) << "worst: " << worst << " of the bound";
        EXPECT_EQ(turned, 0) << "worst: " << worst_turn << " of the bound";
        EXPECT_EQ(different, 0);
        EXPECT_GT(texture_count, 1000);
        EXPECT_GT(smooth_count, texture_count / 2);
        EXPECT_GT(elsewhere_count, 1000);
        RecordProperty("worst_distance", std::to_string(worst));
        RecordProperty("worst_turn", std::to_string(worst_turn));
    }
};

TEST_F(FieldTextureCuda, Sphere) {
    compare(make_sphere(40, 80), {.resolution = 64});
}
TEST_F(FieldTextureCuda, SphereSparse) {
    compare(make_sphere(40, 80), {.resolution = 128, .sparse = true});
}
TEST_F(FieldTextureCuda, Torus) {
    compare(make_torus(80, 40), {.resolution = 160});
}
TEST_F(FieldTextureCuda, TorusSparse) {
    compare(make_torus(80, 40), {.resolution = 192, .sparse = true, .band = 2});
}
TEST_F(FieldTextureCuda, FarFromTheOriginOfTheWorld) {
    compare(moved(make_torus(80, 40), {4, -3, 2}), {.resolution = 50});
}

TEST_F(FieldTextureCuda, RefusesOrder0) {
    const Field field = build_field(oracle_cube(), {.resolution = 16, .order = FieldOrder::zero});
    const SampledField on_device = upload_samples(executor(), *samples_of(field));
    executor().wait();
    EXPECT_THROW(FieldTexture(executor(), on_device), Error);
}

TEST_F(FieldTextureCuda, RefusesWhatIsBeyondTheDevice) {
    SampledField field(executor().memory());
    field.grid = {{0, 0, 0}, 1, {1 << 20, 1, 1}};  // refused before any sample is read
    EXPECT_THROW(FieldTexture(executor(), field), Error);
}

TEST_F(FieldTextureCuda, MovesAndCounts) {
    const Field field = build_field(oracle_cube(), {.resolution = 16});
    const SampledField on_device = upload_samples(executor(), *samples_of(field));
    FieldTexture a(executor(), on_device);
    EXPECT_EQ(a.memory_bytes(), on_device.samples.size() * 8);
    const cudaTextureObject_t texture = a.view().texture;
    FieldTexture b(std::move(a));
    EXPECT_EQ(b.view().texture, texture);
    EXPECT_EQ(b.memory_bytes(), on_device.samples.size() * 8);
}

TEST(BrickAtlas, HoldsAllBricksWithinTheLimit) {
    const TextureExtent limits[] = {
        {{16384, 16384, 16384}}, {{2048, 2048, 2048}}, {{100, 2000, 2000}}, {{9, 9, 2000}}};
    for (const TextureExtent& limit : limits) {
        for (const std::int64_t count : {0, 1, 2, 8, 9, 100, 222, 12345, 400000, 9000000}) {
            std::int64_t room = 1;
            for (const std::int64_t size : limit.size)
                room *= size / kBrickSamples;
            // Some rows may stay empty, so only what is well within the limit has to fit.
            if (count > room) {
                EXPECT_THROW(brick_atlas_extent(count, limit), Error);
                continue;
            }
            if (count > room / 2 && room > 1000) continue;
            const TextureExtent atlas = brick_atlas_extent(count, limit);
            std::int64_t held = 1;
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_LE(atlas.size[axis], limit.size[axis]);
                EXPECT_EQ(atlas.size[axis] % kBrickSamples, 0);
                held *= atlas.size[axis] / kBrickSamples;
            }
            EXPECT_GE(held, count);
            EXPECT_GE(held, 1);
            if (count > 1000) {
                EXPECT_LT(static_cast<double>(held), 1.3 * static_cast<double>(count));
            }
        }
    }
}

}  // namespace
}  // namespace graze
