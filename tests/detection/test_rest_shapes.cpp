// Shapes at rest: what counts as near is what counts when every pair within the thickness is looked
// at, and neighbours along the surface are ruled out before their gaps are computed.
#include "narrow_phase/features/rest_shape.h"

#include <gtest/gtest.h>

#include "tests/detection/deforming_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// A flat sheet of squares in the unit square, cut into triangles, that is at rest where it is.
DeformingCase<double> flat_sheet(int side) {
    DeformingCase<double> c;
    c.name = "sheet";
    const auto at = [&](int x, int y) { return static_cast<std::uint32_t>(y * (side + 1) + x); };
    for (int y = 0; y <= side; ++y)
        for (int x = 0; x <= side; ++x)
            c.t0.push_back({double(x) / side, double(y) / side, 0});
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            c.topology.triangles.push_back({{at(x, y), at(x + 1, y), at(x + 1, y + 1)}});
            c.topology.triangles.push_back({{at(x, y), at(x + 1, y + 1), at(x, y + 1)}});
        }
    }
    c.topology.vertex_count = static_cast<std::int64_t>(c.t0.size());
    c.topology.rest_positions = c.t0;
    return c;
}

// All that is near without a shape at rest, less what is farther apart than half of its distance at
// rest.
template <class T>
std::vector<Proximity> filtered_afterwards(const DeformingCase<T>& c, double thickness) {
    DeformingTopology topology = c.topology;
    topology.rest_positions.clear();
    DeformingDetector detector(topology, Device::cpu());
    std::vector<Proximity> left;
    for (const Proximity& near : detector.find_proximities(c.t0, thickness)) {
        const Vec3d* rest = c.topology.rest_positions.data();
        const FeatureGap gap = near.is_vertex_face()
                                   ? gap_of<FeaturePair::vertex_face>(rest, near.vertices)
                                   : gap_of<FeaturePair::edge_edge>(rest, near.vertices);
        if (near.distance <= length(gap.vector) / 2) left.push_back(near);
    }
    return left;
}

template <class T>
void expect_as_filtered(const DeformingCase<T>& c, double thickness, std::size_t& found) {
    const std::vector<Proximity> expected = filtered_afterwards(c, thickness);
    found += expected.size();
    for (const PairSearch search : {PairSearch::tree, PairSearch::one_level_grid}) {
        for (const int threads : {1, 0}) {
            DeformingOptions options;
            options.pair_search = search;
            DeformingDetector detector(c.topology, Device::cpu(threads), options);
            const std::span<const Proximity> near = detector.find_proximities(c.t0, thickness);
            EXPECT_TRUE(std::equal(near.begin(), near.end(), expected.begin(), expected.end()))
                << c.name << " within " << thickness << ": " << near.size() << " and "
                << expected.size();
        }
    }
}

// Triangles, ropes and particles that are anywhere; on small grids much touches, has collapsed or
// is exactly half as far apart as at rest.
TEST(RestShapes, CountAsIfTheyWereLookedAtLast) {
    std::size_t found = 0;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(20)); ++seed) {
        for (const int kind : {0, 1, 2}) {
            auto c = random_deforming<double>(seed, 60, kind);
            for (const double scale : {1.0, 2.0, 0.5, 10.0}) {
                c.topology.rest_positions.clear();
                for (std::size_t i = 0; i < c.t1.size(); ++i)
                    c.topology.rest_positions.push_back((seed % 2 == 0 ? c.t0[i] : c.t1[i]) *
                                                            scale +
                                                        Vec3d{1e6, 0, 0} * (scale - 1));
                expect_as_filtered(c, 0.4, found);
                expect_as_filtered(c, 3, found);
            }
        }
    }
    EXPECT_GT(found, static_cast<std::size_t>(oracle::case_count(10000)));
}

// A sheet that is crumpled, pressed together evenly, or thin in one direction.
TEST(RestShapes, OfSheetsCountAsIfTheyWereLookedAtLast) {
    std::size_t found = 0;
    for (unsigned seed = 0; seed < 3; ++seed) {
        oracle::RandomPoints<double> random(seed);
        auto crumpled = flat_sheet(12), pressed = flat_sheet(12), thin = flat_sheet(12);
        for (Vec3d& p : crumpled.t0)
            p += random.in_box(0.1);
        for (Vec3d& p : pressed.t0)
            p = p * (0.45 + 0.05 * seed);
        for (Vec3d& p : thin.topology.rest_positions)
            p.x *= 0.02;
        thin.t0 = thin.topology.rest_positions;
        for (Vec3d& p : thin.t0)
            p.y *= 0.5;
        for (const double edges : {0.5, 1.5, 4.0, 20.0}) {
            expect_as_filtered(crumpled, edges / 12, found);
            expect_as_filtered(pressed, edges / 12, found);
            expect_as_filtered(thin, edges / 12, found);
        }
    }
    EXPECT_GT(found, 10000u);
}

// Of a flat sheet hardly any gap is computed, however it lies in space, and beyond a few edges not
// even the features of elements are looked at, so that more thickness adds none.
TEST(RestShapes, RuleOutNeighboursBeforeTheirGaps) {
    constexpr int kSide = 40;
    auto sheet = flat_sheet(kSide);
    DeformingTopology without = sheet.topology;
    without.rest_positions.clear();
    DeformingDetector plain(without, Device::cpu(1));
    for (const double angle : {0.0, 0.3, 0.9}) {
        for (std::size_t i = 0; i < sheet.t0.size(); ++i) {
            const Vec3d& p = sheet.topology.rest_positions[i];
            const double u = std::cos(angle) * p.x - std::sin(angle) * p.y;
            const double v = std::sin(angle) * p.x + std::cos(angle) * p.y;
            sheet.t0[i] = {u * std::cos(angle), v, u * std::sin(angle)};
        }
        DeformingDetector detector(sheet.topology, Device::cpu(1));
        const DeformingReport &with = detector.report(), &all = plain.report();
        EXPECT_TRUE(detector.find_proximities(sheet.t0, 3.0 / kSide).empty());
        const std::int64_t looked_at = with.element_pair_count;
        EXPECT_TRUE(detector.find_proximities(sheet.t0, 12.0 / kSide).empty());
        plain.find_proximities(sheet.t0, 12.0 / kSide);
        EXPECT_GT(all.decided_count, 1000000);
        EXPECT_LT(100 * with.decided_count, all.decided_count) << angle;
        EXPECT_LT(4 * with.element_pair_count, all.element_pair_count) << angle;
        EXPECT_LT(5 * with.element_pair_count, 6 * looked_at) << angle;
    }
}

}  // namespace
}  // namespace graze
