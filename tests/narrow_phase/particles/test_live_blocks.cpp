// Tests which blocks of cells are left out before any particle begins: none that the search would
// find anything by, so that contacts are the same to the byte, and all those of most pairs apart.
#include "narrow_phase/particles/live_blocks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "broad_phase/body_boxes.h"
#include "detection/body_lists.h"
#include "narrow_phase/particles/particles_impl.h"
#include "parallel/cpu_executor.h"
#include "tests/detection/detector_scenes.h"
#include "tests/field/field_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// The search alone, from bodies to contacts.
class Search {
public:
    Search(const Scene& scene, float gap) : table_(executor_, {.field = true}) {
        bodies_.update(scene, false, table_);
        executor_.for_each("boxes", bodies_.count(),
                           BodyBoxes{table_.bounds(), bodies_.shapes(), bodies_.poses(), nullptr,
                                     gap * 0.5f, boxes_.data()});
        find_body_pairs(executor_, boxes_.data(), bodies_.filters(), bodies_.count(), pairs_);
    }

    std::vector<Contact> find(const DetectorOptions& options, BlockLists lists) {
        const PairStep step{table_.lists(),
                            bodies_.shapes(),
                            bodies_.poses(),
                            nullptr,
                            boxes_.data(),
                            pairs_.pairs.data(),
                            pairs_.count.data(),
                            static_cast<std::int64_t>(*pairs_.count.data()),
                            {}};
        workspace_.block_lists = lists;
        rooms_.begin();
        find_particle_contacts(executor_, ExactLookup{particle_bodies(step)}, step, options, rooms_,
                               workspace_, contacts_);
        return {contacts_.contacts.data(), contacts_.contacts.data() + *contacts_.total()};
    }
    std::int64_t pair_count() const { return contacts_.pair_count(); }
    bool has_contacts(std::int64_t pair) const {
        return contacts_.offsets.data()[pair + 1] > contacts_.offsets.data()[pair];
    }
    bool has_particles(std::int64_t pair) const {
        return workspace_.regions.data()[pair].cell_count > 0;
    }

private:
    CpuExecutor executor_{2};
    ShapeTable<CpuExecutor, NoTextures> table_;
    BodyLists<CpuExecutor> bodies_{executor_, host_memory()};
    Buffer<Aabb> boxes_{host_memory(), 1000};
    BodyPairs pairs_{host_memory()};
    StepRooms rooms_{host_memory()};
    ParticleWorkspace workspace_{host_memory()};
    ContactList contacts_{host_memory()};
};

// How many pairs there were, and of those without contacts, how many had particles.
struct PairCounts {
    int all = 0, apart = 0, searched_in_vain = 0;

    void add(const Search& search) {
        for (std::int64_t pair = 0; pair < search.pair_count(); ++pair) {
            ++all;
            if (search.has_contacts(pair)) continue;
            ++apart;
            searched_in_vain += search.has_particles(pair) ? 1 : 0;
        }
    }
};

// Finds with and without the list, which must not show.
void expect_the_same(const Scene& scene, const DetectorOptions& options, PairCounts& counts) {
    Search search(scene, options.gap);
    const std::vector<Contact> expected = search.find(options, BlockLists::never);
    EXPECT_EQ(search.find(options, BlockLists::chosen), expected);
    counts.add(search);
}

TEST(LiveBlocks, HeapsHaveTheSameContactsToTheByte) {
    PairCounts counts;
    for (int seed = 1; seed <= 2; ++seed) {
        const Scene scene = make_heap(40, static_cast<unsigned>(seed));
        for (const int resolution : {1, 5, 10, 15, 20}) {
            for (const float gap : {0.0f, 0.03f}) {
                SCOPED_TRACE(resolution);
                DetectorOptions options;
                options.particles.resolution = resolution;
                options.particles.step = static_cast<ParticleStep>((seed + resolution) % 3);
                options.gap = gap;
                expect_the_same(scene, options, counts);
            }
        }
    }
    EXPECT_GT(counts.apart, counts.all / 4);
    EXPECT_LT(counts.searched_in_vain, counts.apart / 2);
}

// Two bodies at each distance from deep inside each other to clearly apart, also where one of them
// is far from the origin, or a thousand times as large.
TEST(LiveBlocks, NearlyTouchingBodiesHaveTheSameContactsToTheByte) {
    const std::vector<Shape> shapes = shapes_of_every_kind();
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> unit(0, 1);
    PairCounts counts;
    for (int n = 0; n < oracle::case_count(150); ++n) {
        SCOPED_TRACE(n);
        const auto rotation = [&] {
            const float w = normal(random), x = normal(random), y = normal(random);
            return normalized(Quat{w, x, y, normal(random)});
        };
        const Vec3 direction = normalized(Vec3{normal(random), normal(random), normal(random)});
        const float scale = n % 5 == 0 ? 1000.0f : 1.0f;
        const Vec3 origin = n % 7 == 0 ? Vec3{300, -200, 500} * scale : Vec3{0, 0, 0};
        const std::size_t kinds = shapes.size();
        const Quat rotation_a = rotation(), rotation_b = rotation();
        for (float apart = 0.55f; apart < 0.95f; apart += 0.02f + 0.05f * unit(random)) {
            Scene scene;
            scene.add(shapes[static_cast<std::size_t>(n) % kinds], {origin, rotation_a, scale});
            scene.add(shapes[static_cast<std::size_t>(n) / kinds % kinds],
                      {origin + direction * (apart * scale), rotation_b, scale});
            DetectorOptions options;
            options.particles.resolution = 4 + n % 19;
            options.gap = n % 3 == 0 ? 0.02f * scale : 0;
            expect_the_same(scene, options, counts);
        }
    }
    EXPECT_GT(counts.all - counts.apart, counts.all / 10);
    // So near to each other, both are needed: pairs that can be left out, and some that cannot.
    EXPECT_GT(counts.searched_in_vain, 0);
    EXPECT_LT(counts.searched_in_vain, counts.apart);
}

// Fields of every kind, combined: distances, lower bounds of them, and hollows.
TEST(LiveBlocks, CombinationsHaveTheSameContactsToTheByte) {
    oracle::RandomPoints<float> random(13);
    std::vector<FieldCase> leaves;
    for (const FieldCase& leaf : field_leaves())
        if (is_finite(leaf.field.bounds().min)) leaves.push_back(leaf);
    PairCounts counts;
    for (int n = 0; n < oracle::case_count(400); ++n) {
        SCOPED_TRACE(n);
        Scene scene;
        for (int i = 0; i < 2; ++i) {
            const Field field = random_combination(random, leaves, random.integer(1, 4));
            const Quat rotation = Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3));
            scene.add(Shape::from_field(field),
                      {random.in_box(0.6f), rotation, random.uniform(0.5f, 1.5f)});
        }
        DetectorOptions options;
        options.particles.resolution = random.integer(4, 20);
        options.gap = n % 3 == 0 ? 0.1f : 0;
        expect_the_same(scene, options, counts);
    }
    EXPECT_GT(counts.all - counts.apart, counts.all / 4);
    EXPECT_LT(counts.searched_in_vain, counts.apart);
}

// Two rods lie side by side across their boxes, which are almost the same.
TEST(LiveBlocks, PairsOfTouchingBoxesNeedNoParticle) {
    const Shape rod = Shape::from_field(Field::capsule({-1, -1, -1}, {1, 1, 1}, 0.05f));
    for (const int resolution : {5, 10, 20}) {
        for (const float apart : {0.14f, 0.5f}) {
            DetectorOptions options;
            options.particles.resolution = resolution;
            Detector detector(Method::particles, Device::cpu(), options);
            Scene scene;
            scene.add(rod);
            scene.add(rod, {{apart, -apart, 0}, Quat::identity(), 1});
            EXPECT_TRUE(detector.detect(scene).empty());
            EXPECT_EQ(detector.report().pair_count, 1);
            if (apart > 0.2f) {
                EXPECT_EQ(detector.report().figure("particles"), 0) << resolution;
            }
        }
    }
}

TEST(LiveBlocks, RanksAreThoseOfTheBitsThatAreSet) {
    std::mt19937 random(6);
    for (int n = 0; n < 100; ++n) {
        std::uint32_t words[kBlockWords];
        std::vector<std::uint32_t> expected;
        for (int word = 0; word < kBlockWords; ++word) {
            const unsigned kind = random() % 4;
            words[word] = kind == 0 ? 0 : kind == 1 ? ~0u : kind == 2 ? 1u << 31 : random();
            for (std::uint32_t bit = 0; bit < 32; ++bit) {
                if (words[word] >> bit & 1)
                    expected.push_back(static_cast<std::uint32_t>(word) * 32 + bit);
            }
        }
        for (std::uint32_t rank = 0; rank < expected.size(); ++rank)
            ASSERT_EQ(nth_live_block(words, rank), expected[rank]);
    }
}

// However flat or long a region is, bits suffice for its blocks.
TEST(LiveBlocks, EveryRegionHasFewEnoughBlocks) {
    const Shape box = Shape::from_field(Field::box({1, 1, 1}));
    for (const Vec3 size : {Vec3{1, 1, 1}, Vec3{1, 1, 1e-3f}, Vec3{1, 1e-3f, 1e-3f},
                            Vec3{1e-3f, 1, 1}, Vec3{1, 0.1f, 1e-2f}}) {
        const Shape part = Shape::from_field(Field::box(size * 0.9f));
        for (const int resolution : {1, 7, 8, 15, 20, 33}) {
            SCOPED_TRACE(resolution);
            Scene scene;
            scene.add(box);
            scene.add(part);
            DetectorOptions options;
            options.particles.resolution = resolution;
            options.particles.max_steps = 0;
            options.particles.sharpens = false;
            PairCounts counts;
            expect_the_same(scene, options, counts);
            EXPECT_EQ(counts.apart, 0);
        }
    }
}

}  // namespace
}  // namespace graze
