// SplitDetector against Detector: however pairs are split, the contacts are the same bytes.
#include "graze/split_detector.h"

#include <gtest/gtest.h>

#include "detection/pair_blocks.h"
#include "tests/error_of.h"
#include "tests/narrow_phase/rays/ray_cases.h"

namespace graze {
namespace {

std::vector<Device> several(int count, int threads) {
    return std::vector<Device>(static_cast<std::size_t>(count), Device::cpu(threads));
}

TEST(SplitDetector, GivesTheSameBytesForAnyNumberOfBlocks) {
    for (const Method method : {Method::rays, Method::features}) {
        for (unsigned seed = 0; seed < 3; ++seed) {
            Scene scene = random_ray_scene(seed, true, 16, 1.2f);
            const DetectorOptions options{.gap = 0.01f};
            Detector whole(method, Device::cpu(), options);
            std::vector<SplitDetector> split;
            for (const int count : {1, 2, 3, 7})
                split.emplace_back(method, several(count, count % 2), options);
            for (unsigned step = 0; step < 8; ++step) {
                const auto expected = whole.detect(scene);
                for (SplitDetector& detector : split) {
                    const auto found = detector.detect(scene);
                    ASSERT_TRUE(
                        std::equal(found.begin(), found.end(), expected.begin(), expected.end()))
                        << "seed " << seed << ", step " << step;
                    EXPECT_EQ(detector.report().pair_count, whole.report().pair_count);
                    EXPECT_EQ(detector.report().contact_count, whole.report().contact_count);
                    for (const Figure& figure : whole.report().figures)
                        EXPECT_EQ(detector.report().figure(figure.name), figure.value);
                }
                nudge(scene, step, 0.004f);
            }
        }
    }
}

TEST(SplitDetector, KeepsReducedContactsToo) {
    Scene scene = random_ray_scene(2, false, 12, 1.0f);
    DetectorOptions options;
    options.reduction.manifold_count = 4;
    Detector whole(Method::rays, Device::cpu(), options);
    SplitDetector split(Method::rays, several(3, 1), options);
    const auto expected = whole.detect(scene);
    const auto found = split.detect(scene);
    EXPECT_FALSE(found.empty());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
}

TEST(SplitDetector, TellsItsErrors) {
    EXPECT_NE(testing::error_of([] { SplitDetector(Method::rays, {}); }).find("no device"),
              std::string::npos);
    Scene scene;
    scene.add(Shape::from_field(Field::sphere({0, 0, 0}, 1)));
    SplitDetector split(Method::rays, several(2, 1));
    EXPECT_NE(testing::error_of([&] { split.detect(scene); }).find("needs triangles"),
              std::string::npos);
}

TEST(PairBlocks, KeepsPairsWhereTheyAre) {
    PairBlocks blocks(3);
    const auto load = [](const BodyPair&) { return std::uint64_t{1}; };
    const auto block_of = [&](const BodyPair& pair) {
        for (std::size_t block = 0; block < blocks.count(); ++block) {
            const auto& list = blocks.pairs_of(block);
            if (std::find(list.begin(), list.end(), pair) != list.end())
                return static_cast<int>(block);
        }
        return -1;
    };
    std::map<BodyPair, int> last;
    RandomPoints<float> random(1);
    for (int step = 0; step < 50; ++step) {
        std::vector<IndexPair> pairs;
        for (std::uint32_t a = 0; a < 12; ++a) {
            for (std::uint32_t b = a + 1; b < 12; ++b) {
                const bool is_there = last.contains({a, b});
                if (random.integer(0, 9) < (is_there ? 9 : 2)) pairs.push_back({a, b});
            }
        }
        blocks.update(pairs, {}, load);
        std::map<BodyPair, int> now;
        std::size_t most = 0, count = 0;
        for (std::size_t block = 0; block < blocks.count(); ++block) {
            const auto& list = blocks.pairs_of(block);
            EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
            most = std::max(most, list.size());
            count += list.size();
        }
        EXPECT_EQ(count, pairs.size());
        EXPECT_LE(most, pairs.size() / 3 + pairs.size() / 4 + 2) << "they are about equal";
        for (const IndexPair& pair : pairs) {
            const BodyPair key{pair.a, pair.b};
            now[key] = block_of(key);
            EXPECT_GE(now[key], 0);
            if (last.contains(key)) {
                EXPECT_EQ(now[key], last[key]) << "it has moved";
            }
        }
        last = now;
    }
}

}  // namespace
}  // namespace graze
