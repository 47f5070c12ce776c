// Tests the contacts of bodies whose intersection is known in closed form, with formulas and
// samples, under rotation, translation and scale: every contact's position, distance and normal,
// and the deepest distance.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "field/sampled/evaluate_sampled.h"
#include "graze/detector.h"
#include "tests/detection/closed_form_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::widened;

struct Range {
    double low, high;
    bool contains(double value) const { return low <= value && value <= high; }
};

// Returns how far a field is off near a point, from points no farther than reach [m]. [m]
double error_near(const ClosedBody& body, const Vec3d& world, double reach) {
    const oracle::PosedField field{body.field, body.pose};
    double worst = 0;
    for (int n = 0; n < 729; ++n) {
        const int i = n % 9, j = n / 9 % 9, k = n / 81;
        const Vec3d offset{i * 0.25 - 1, j * 0.25 - 1, k * 0.25 - 1};
        const Vec3d point = world + offset * reach;
        worst = std::max(worst, field(point) - body.at(point).distance);
    }
    return worst;
}

// Returns the values that a field may have at a point of this true distance: they are off by no
// more than its error; beyond the grid of samples, and beyond the band of a sparse one, they are
// lower bounds.
Range values(const ClosedBody& body, const Vec3d& world, double exact, double rounding) {
    const double scale = body.pose.scale, error = body.field.error() * scale + rounding;
    Range range{exact - error, exact + error};
    const auto& samples = samples_of(body.field);
    if (!samples) return range;
    const Vec3d local = transform_point(inverse(widened(body.pose)), world);
    const double beyond = std::sqrt(distance_sq(widened(samples->grid.box()), local)) * scale;
    if (beyond > 0) range.low = std::min(range.low, beyond - error);
    const double band = samples->band * scale;
    if (samples->is_sparse && exact < -band) range.high = std::max(range.high, -band + error);
    if (samples->is_sparse && exact > band) range.low = std::min(range.low, band - error);
    return range;
}

// Returns how far from a point the samples are that its gradient comes from, in the body's frame.
// [m]
double gradient_reach(const ClosedBody& body, double exact, double rounding) {
    const auto& samples = samples_of(body.field);
    if (!samples) return rounding / body.pose.scale;
    const double spacing = samples->grid.spacing;
    const bool is_coarse = samples->is_sparse && std::fabs(exact) > samples->band * body.pose.scale;
    return is_coarse ? spacing * kBrickCells : spacing;
}

// Returns how far a field's gradient can be from the true one: samples blend gradients, or
// differences of distances, which are means of gradients; making them unit vectors at most doubles
// the error. It is infinite where the gradients around are so different that nothing is known, as
// at a medial axis.
double normal_slack(const ClosedBody& body, const Vec3d& world, double rounding) {
    const Vec3d local = transform_point(inverse(widened(body.pose)), world);
    const oracle::ExactValue here = body.exact(local);
    const double reach = gradient_reach(body, here.distance * body.pose.scale, rounding);
    double spread = 0;
    for (int n = 0; n < 125; ++n) {
        const int i = n % 5, j = n / 5 % 5, k = n / 25;
        const Vec3d offset{i * 0.5 - 1, j * 0.5 - 1, k * 0.5 - 1};
        spread =
            std::max(spread, length(body.exact(local + offset * reach).gradient - here.gradient));
    }
    if (spread > 0.25) return HUGE_VAL;
    return 2 * std::sqrt(3.0) * spread + 2e-3;  // half floats have 11 bits
}

double distance_of(double a, double b) {
    return a <= 0 && b <= 0 ? std::min(a, b) : a + b;
}

Range magnitudes(const Range& range) {
    const double low = std::fabs(range.low), high = std::fabs(range.high);
    return {range.contains(0) ? 0 : std::min(low, high), std::max(low, high)};
}

// A pair, moved as a whole, and the limits of its contacts.
class Examined {
public:
    Examined(const ClosedPair& pair, const Transform& motion, bool is_swapped)
        : pair_(pair), scale_(motion.scale) {
        for (ClosedBody* body : {&pair_.a, &pair_.b})
            body->pose = motion * body->pose;
        pair_.depth *= scale_;
        pair_.room *= scale_;
        if (is_swapped) std::swap(pair_.a, pair_.b);
        rounding_ = 4e-6 * (length(static_cast<Vec3d>(motion.translation)) + 3 * scale_);
        away_ = transform_direction(motion, pair.away) * (is_swapped ? -1.0f : 1.0f);
        top_ = static_cast<Vec3d>(transform_point(motion, pair.top));
        if (is_swapped) top_ += static_cast<Vec3d>(away_) * pair_.depth;
    }

    bool is_separable() const { return length(away_) > 0; }
    // Returns the pair with the bodies this far apart [m].
    Examined separated(double distance) const {
        Examined result = *this;
        result.pair_.a.pose.translation += away_ * static_cast<float>(pair_.depth + distance);
        result.middle_ = top_ + static_cast<Vec3d>(away_) * (distance / 2);
        return result;
    }

    const ClosedPair& pair() const { return pair_; }
    Scene scene() const {
        Scene scene;
        scene.add(Shape::from_field(pair_.a.field), pair_.a.pose);
        scene.add(Shape::from_field(pair_.b.field), pair_.b.pose);
        return scene;
    }
    // Returns the error of both fields together. [m]
    double error() const {
        return pair_.a.field.error() * pair_.a.pose.scale +
               pair_.b.field.error() * pair_.b.pose.scale + rounding_;
    }
    double rounding() const { return rounding_; }
    double scale() const { return scale_; }
    // Returns the depth beyond which a sparse field has only a lower bound. [m]
    double band() const {
        double least = HUGE_VAL;
        for (const ClosedBody* body : {&pair_.a, &pair_.b}) {
            const auto& samples = samples_of(body->field);
            if (samples && samples->is_sparse)
                least = std::min<double>(least, samples->band * body->pose.scale);
        }
        return least;
    }

    // Returns the tolerance that DetectorOptions has by default. [m]
    double tolerance() const {
        double voxel = 0, smallest = HUGE_VAL;
        for (const ClosedBody* body : {&pair_.a, &pair_.b}) {
            if (body->field.is_sampled())
                voxel = std::max<double>(voxel,
                                         samples_of(body->field)->grid.spacing * body->pose.scale);
            const Vec3 size = extent(body->field.bounds());
            if (is_finite(size))
                smallest = std::min<double>(smallest, length(size) * body->pose.scale);
        }
        return voxel > 0 ? 0.1 * voxel : 1e-4 * smallest;
    }

    // Bounds the distance [m] from any common point to the nearest particle; margin [m] is half the
    // gap.
    double reach(int resolution, double margin = 0) const {
        const oracle::PosedField a{pair_.a.field, pair_.a.pose}, b{pair_.b.field, pair_.b.pose};
        return oracle::particle_reach(intersect(inflate(a.box(), margin), inflate(b.box(), margin)),
                                      resolution);
    }

    // Returns the error of either field around the middle between the closest points of bodies that
    // are apart. [m]
    double error_between(double reach) const {
        return std::max(error_near(pair_.a, middle_, reach), error_near(pair_.b, middle_, reach)) +
               rounding_;
    }

    // Checks position and distance; margin [m] is half the gap.
    void check(const Contact& contact, double margin) const {
        const auto point = static_cast<Vec3d>(contact.position);
        const double a = pair_.a.at(point).distance, b = pair_.b.at(point).distance;
        const double limit = margin + tolerance() + rounding_;
        const Range range_a = values(pair_.a, point, a, rounding_);
        const Range range_b = values(pair_.b, point, b, rounding_);
        EXPECT_LE(range_a.low, limit);
        EXPECT_LE(range_b.low, limit);
        EXPECT_GE(contact.distance, distance_of(range_a.low, range_b.low));
        EXPECT_LE(contact.distance, distance_of(range_a.high, range_b.high));
        EXPECT_NEAR(length(contact.normal), 1, 1e-4);
        EXPECT_EQ(contact.time, 0);
        EXPECT_EQ(contact.feature_a, kNoFeature);
        EXPECT_EQ(contact.body_a, 0u);
        EXPECT_EQ(contact.body_b, 1u);
    }

    // Returns whether the normal could be checked, which is so away from points where the field has
    // no unique direction.
    bool check_normal(const Contact& contact) const {
        const auto point = static_cast<Vec3d>(contact.position);
        const oracle::ExactValue a = pair_.a.at(point), b = pair_.b.at(point);
        const Range size_a = magnitudes(values(pair_.a, point, a.distance, rounding_));
        const Range size_b = magnitudes(values(pair_.b, point, b.distance, rounding_));
        const auto normal = static_cast<Vec3d>(contact.normal);
        const double off_a = length(normal + a.gradient), off_b = length(normal - b.gradient);
        const double slack_a = normal_slack(pair_.a, point, rounding_);
        const double slack_b = normal_slack(pair_.b, point, rounding_);
        // Where neither body is deeper by more than the tolerance, the normal is between both.
        const double blur = tolerance();
        const bool may_be_a = size_b.low <= size_a.high + blur;
        const bool may_be_b = size_a.low <= size_b.high + blur;
        if ((may_be_a && slack_a == HUGE_VAL) || (may_be_b && slack_b == HUGE_VAL)) return false;
        double off = HUGE_VAL;
        for (double share = may_be_a ? 0 : 1; share <= (may_be_b ? 1 : 0); share += 1.0 / 512)
            off = std::min(
                off, length(normal - normalized(b.gradient * share - a.gradient * (1 - share))));
        const double slack = (may_be_a ? slack_a : 0) + (may_be_b ? slack_b : 0) +
                             (may_be_a && may_be_b ? 0.02 : 0);  // a blend of two
        EXPECT_LE(off, slack) << off_a << (may_be_a ? " (a), " : ", ") << off_b
                              << (may_be_b ? " (b)" : "");
        return true;
    }

private:
    ClosedPair pair_;
    Vec3 away_{};     // the direction of a, unit or zero
    Vec3d top_{};     // [m] of b
    Vec3d middle_{};  // [m] between the closest points
    double scale_;
    double rounding_;  // [m] of coordinates in float
};

std::vector<Transform> motions() {
    oracle::RandomPoints<float> random(5);
    std::vector<Transform> result;
    if (GRAZE_SANITIZED == 0) result.push_back(Transform::identity());
    for (const float scale : {1.0f, 0.02f, 30.0f}) {
        if (GRAZE_SANITIZED != 0 && scale != 30) continue;
        result.push_back({random.in_box(3 * scale),
                          Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)), scale});
    }
    return result;
}

constexpr int kResolution = 28;

class ClosedForms : public testing::TestWithParam<FieldKindCase> {
protected:
    static std::vector<ClosedPair> pairs() {
        std::vector<ClosedPair> result = closed_pairs();
        for (ClosedPair& pair : result) {
            pair.a.field = sampled(pair.a.field, GetParam());
            pair.b.field = sampled(pair.b.field, GetParam());
        }
        return result;
    }
    // Examines both orders of the bodies and every motion.
    template <class Examine>
    static void for_each_pose(const Examine& examine) {
        for (const ClosedPair& pair : pairs()) {
            for (const Transform& motion : motions()) {
                for (const bool is_swapped : {false, true}) {
                    SCOPED_TRACE(pair.name + (is_swapped ? ", swapped" : "") + ", scale " +
                                 std::to_string(motion.scale));
                    examine(Examined(pair, motion, is_swapped));
                }
            }
        }
    }
};

int failure_count() {
    const testing::TestResult& result =
        *testing::UnitTest::GetInstance()->current_test_info()->result();
    int count = 0;
    for (int n = 0; n < result.total_part_count(); ++n)
        count += result.GetTestPartResult(n).failed() ? 1 : 0;
    return count;
}
// True where a check has failed since `before`: one contact's failures are enough.
bool has_failed(int before) {
    return testing::Test::HasFailure() && failure_count() > before;
}

// Expects that no contact is where it should not be, and that the deepest is as deep as the
// particles' spacing s allows: by ClosedPair::corner a ball of radius s is in both bodies within
// corner * s of the deepest point, a particle begins in it, and so some contact is within
// (1 + corner) s of that. Where fields are off by e, the ball must be larger by e, and the depth is
// off by e.
void examine_contacts(const Examined& examined, const DetectorOptions& options) {
    Detector detector(Method::particles, Device::cpu(), options);
    const Scene scene = examined.scene();
    const std::span<const Contact> contacts = detector.detect(scene);
    ASSERT_FALSE(contacts.empty());
    const int before = failure_count();
    double deepest = HUGE_VAL;
    std::size_t judged_count = 0, asked_count = 0;
    for (std::size_t n = 0; n < contacts.size(); ++n) {
        examined.check(contacts[n], 0);
        if (n % 13 == 0) {
            ++asked_count;
            judged_count += examined.check_normal(contacts[n]) ? 1 : 0;
        }
        deepest = std::min<double>(deepest, contacts[n].distance);
        if (has_failed(before)) FAIL() << "contact " << n << " of " << contacts.size();
    }
    // The coarse level of a sparse field blends gradients from afar.
    if (examined.band() == HUGE_VAL) {
        EXPECT_GT(judged_count * 10, asked_count);
    }
    const ClosedPair& pair = examined.pair();
    const double error = examined.error();
    const double off = (1 + pair.corner) * (examined.reach(kResolution) + error);
    ASSERT_LE(off, pair.room);  // otherwise the test says nothing
    EXPECT_GE(deepest, -pair.depth - error);
    EXPECT_LE(deepest, -std::min(pair.depth - off, examined.band()) + error);
}

TEST_P(ClosedForms, ContactsAreRight) {
    constexpr ParticleStep kSteps[] = {ParticleStep::tangent, ParticleStep::project,
                                       ParticleStep::over_relax};
    int turn = 0;
    for_each_pose([&](const Examined& examined) {
        DetectorOptions options;
        options.particles.resolution = kResolution;
        options.particles.step = kSteps[turn++ % 3];
        for (const ParticleSampling sampling :
             {ParticleSampling::adaptive, ParticleSampling::grid}) {
            options.particles.sampling = sampling;
            SCOPED_TRACE("sampling " + std::to_string(static_cast<int>(sampling)) + ", step " +
                         std::to_string(static_cast<int>(options.particles.step)));
            examine_contacts(examined, options);
        }
    });
}

// Where bodies are apart by less than the gap, every contact says so, and the least distance is
// theirs up to the particles' spacing s: in the middle between the closest points both fields are
// half the distance, and a particle begins no farther than s from there.
TEST_P(ClosedForms, GapGivesPositiveDistances) {
    for_each_pose([&](const Examined& examined) {
        if (!examined.is_separable()) return;
        const double apart = 0.1 * examined.scale(), gap = 0.3 * examined.scale();
        const Examined separate = examined.separated(apart);
        DetectorOptions options;
        options.gap = static_cast<float>(gap);
        options.particles.resolution = kResolution;
        Detector detector(Method::particles, Device::cpu(), options);
        const Scene scene = separate.scene();
        const std::span<const Contact> contacts = detector.detect(scene);
        ASSERT_FALSE(contacts.empty());
        const double error = separate.error();
        const int before = failure_count();
        double least = HUGE_VAL;
        for (const Contact& contact : contacts) {
            separate.check(contact, gap / 2);
            // Lower bounds, beyond a grid or a band, may be less.
            if (!GetParam().samples) {
                EXPECT_GE(contact.distance, apart - error);
            }
            EXPECT_LE(contact.distance, gap + 2 * separate.tolerance() + separate.rounding());
            least = std::min<double>(least, contact.distance);
            if (has_failed(before)) FAIL() << "of " << contacts.size() << " contacts";
        }
        const double reach = separate.reach(kResolution, gap / 2);
        const double off = reach + separate.error_between(reach);
        ASSERT_LE(off, (gap - apart) / 2);  // otherwise the test says nothing
        EXPECT_LE(least, apart + 2 * off);
    });
}

TEST_P(ClosedForms, BodiesFartherThanTheGapHaveNoContact) {
    for_each_pose([&](const Examined& examined) {
        if (!examined.is_separable()) return;
        for (const double gap : {0.0, 0.05 * examined.scale()}) {
            const Examined separate = examined.separated(0.15 * examined.scale());
            DetectorOptions options;
            options.gap = static_cast<float>(gap);
            Detector detector(Method::particles, Device::cpu(), options);
            const Scene scene = separate.scene();
            EXPECT_TRUE(detector.detect(scene).empty());
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Kinds, ClosedForms, testing::ValuesIn(field_kinds()),
                         [](const auto& kind) {
                             std::string name = kind.param.name;
                             std::replace(name.begin(), name.end(), ' ', '_');
                             return name;
                         });

}  // namespace
}  // namespace graze
