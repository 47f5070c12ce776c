#include "contacts/reduce_contacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "contacts/reduce_contacts_impl.h"
#include "graze/mesh_io.h"
#include "parallel/cpu_executor.h"
#include "tests/contacts/barrier_group.h"
#include "tests/contacts/reduce_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/reduce_oracle.h"

namespace graze {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

PairContacts reduce(const PairContacts& pairs, const ContactReduction& reduction) {
    CpuExecutor executor(2);
    return Reducer<CpuExecutor>{executor}(pairs, reduction);
}
std::vector<Contact> reduce_one(const std::vector<Contact>& contacts,
                                const ContactReduction& reduction) {
    return reduce({contacts}, reduction).at(0);
}

void expect_oracle(const PairContacts& pairs, const ContactReduction& reduction,
                   const PairContacts& found) {
    ASSERT_EQ(found.size(), pairs.size());
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        ASSERT_EQ(found[p], oracle::reduce(pairs[p], reduction))
            << "pair " << p << " of " << pairs[p].size() << " contacts";
    }
}

TEST(ReduceContacts, KeepsWhatTheOracleKeeps) {
    CpuExecutor executor(2);
    Reducer<CpuExecutor> reducer{executor};
    for (const auto& [name, pairs] : contact_lists()) {
        for (const ContactReduction& reduction : reductions()) {
            SCOPED_TRACE(name + ": " + describe(reduction));
            expect_oracle(pairs, reduction, reducer(pairs, reduction));
        }
    }
}

TEST(ReduceContacts, KeepsWhatTheOracleKeepsOfRealSurfaces) {
    GRAZE_NEEDS_DATA("models/bunny_hr.obj");
    const std::filesystem::path file = data_folder() / "models/bunny_hr.obj";
    // The bunny's lower half has sunk into the ground: this is the pair, and some subsets of it.
    const Mesh mesh = load_mesh(file);
    const Aabb box = bounds(mesh);
    PairContacts pairs(5);
    for (std::size_t i = 0; i < mesh.positions.size(); i += GRAZE_SANITIZED ? 10 : 1) {
        const float height = mesh.positions[i].y - centre(box).y;
        if (height > 0) continue;
        const Contact contact =
            make_contact(mesh.positions[i], height, static_cast<std::uint32_t>(i));
        pairs[0].push_back(contact);
        pairs[1 + i % 4].push_back(contact);
    }
    const float size = length(extent(box));
    for (const ContactReduction& reduction :
         {ContactReduction{size / 30, 0, 0}, ContactReduction{0, 500, 0},
          ContactReduction{0, 0, 20}, ContactReduction{size / 100, 1000, 4}}) {
        SCOPED_TRACE(describe(reduction));
        expect_oracle(pairs, reduction, reduce(pairs, reduction));
    }
}

TEST(ReduceContacts, SameForAnyThreadCount) {
    CpuExecutor one(1), three(3);
    Reducer<CpuExecutor> by_one{one}, by_three{three};
    for (const auto& [name, pairs] : contact_lists()) {
        for (const ContactReduction& reduction :
             {ContactReduction{0.3f, 0, 0}, ContactReduction{0.1f, 100, 6}}) {
            ASSERT_EQ(by_one(pairs, reduction), by_three(pairs, reduction)) << name;
        }
    }
}

// Several threads for one pair, as on the device.
std::vector<Contact> reduce_by_group(std::uint32_t thread_count,
                                     const std::vector<Contact>& contacts,
                                     const ContactReduction& reduction) {
    const std::uint64_t offsets[] = {0, contacts.size()};
    std::vector<std::uint32_t> picks(contacts.size());
    std::vector<std::uint64_t> scratch(contacts.size());
    std::uint64_t pick_count = 0;
    const contacts_detail::PairReduction work{reduction,       contacts.data(), offsets,
                                              contacts.size(), picks.data(),    scratch.data(),
                                              &pick_count};
    BarrierGroup::run(thread_count,
                      [&](BarrierGroup& group) { work.reduce(group, 0, work.pair(0)); });
    std::vector<Contact> found(pick_count);
    for (std::size_t i = 0; i < found.size(); ++i)
        found[i] = contacts[picks[i]];
    return found;
}

TEST(ReduceContacts, SameForAnyGroupOfThreads) {
    for (const std::uint32_t thread_count : {2u, 4u}) {
        for (const int count : {1, 3, 50, 65, 300, 1000}) {
            for (const Positions positions : {Positions::on_grid, Positions::in_box}) {
                const std::vector<Contact> contacts =
                    random_contacts(count, positions, thread_count);
                for (const ContactReduction& reduction :
                     {ContactReduction{0.7f, 0, 0}, ContactReduction{0, 40, 0},
                      ContactReduction{0, 0, 9}, ContactReduction{0.3f, 150, 5}}) {
                    ASSERT_EQ(reduce_by_group(thread_count, contacts, reduction),
                              oracle::reduce(contacts, reduction))
                        << thread_count << " threads, " << count << " contacts, "
                        << describe(reduction);
                }
            }
        }
    }
}

TEST(ReduceContacts, ReducingAgainAllocatesNothing) {
    CpuExecutor executor(2);
    Reducer<CpuExecutor> reducer{executor};
    const ContactReduction reduction{0.5f, 100, 4};
    const PairContacts pairs = contact_lists().at(3).pairs;
    upload(executor, pairs, reducer.from);
    reduce_contacts(executor, reduction, reducer.from, reducer.to, reducer.workspace);
    const std::int64_t before = executor.memory().allocation_count();
    reduce_contacts(executor, reduction, reducer.from, reducer.to, reducer.workspace);
    EXPECT_EQ(executor.memory().allocation_count(), before);
}

TEST(ReduceContacts, CopiesWhereNothingIsAskedFor) {
    EXPECT_FALSE(is_reduced({}));
    EXPECT_TRUE(is_reduced({0.1f, 0, 0}));
    EXPECT_TRUE(is_reduced({0, 1, 0}));
    EXPECT_TRUE(is_reduced({0, 0, 1}));
    for (const auto& [name, pairs] : contact_lists())
        EXPECT_EQ(reduce(pairs, {}), pairs) << name;
}

TEST(ReduceContacts, CellsBeginAtTheOriginAndHoldTheirLowerEnd) {
    const auto a = make_contact({-0.1f, 0.5f, 0.5f}, -1), b = make_contact({0.1f, 0.5f, 0.5f}, -2),
               c = make_contact({0.9f, 0.5f, 0.5f}, -3), d = make_contact({1.0f, 0.5f, 0.5f}, -1),
               e = make_contact({-1.0f, 0.5f, 0.5f}, -4);
    EXPECT_THAT(reduce_one({a, b, c, d, e}, {1, 0, 0}), ElementsAre(c, d, e));
    // The two zeros are one position.
    std::vector<Contact> zeros;
    zeros.reserve(800);
    for (int i = 0; i < 800; ++i) {
        zeros.push_back(
            make_contact({i & 1 ? -0.0f : 0.0f, i & 2 ? -0.0f : 0.0f, i & 4 ? -0.0f : 0.0f}, -1));
    }
    EXPECT_THAT(reduce_one(zeros, {1, 0, 0}), ElementsAre(zeros[0]));
}

// Coordinates that agree in their low bits, as a wrapped or packed key would have it.
TEST(ReduceContacts, CellsFarApartAreNotMerged) {
    std::vector<Contact> contacts;
    for (int exponent = 10; exponent <= 100; ++exponent) {
        for (const float sign : {1.0f, -1.0f}) {
            for (int axis = 0; axis < 3; ++axis) {
                Vec3 position{0.5f, 0.5f, 0.5f};
                position[axis] = sign * std::ldexp(1.0f, exponent);
                contacts.push_back(make_contact(position, 0));
            }
        }
    }
    EXPECT_THAT(reduce_one(contacts, {1, 0, 0}), SizeIs(contacts.size()));
    EXPECT_THAT(reduce_one(contacts, {1e-30f, 0, 0}), SizeIs(contacts.size()));
}

// Neighbouring floats, each in a cell of its own, at every distance from the origin.
TEST(ReduceContacts, NeighboursInDifferentCellsAreNotMerged) {
    for (const float cell_size : {1.0f, 0.3f, 1e-3f, 1e-30f}) {
        for (const int exponent : {24, 40, 60, 90}) {
            for (int axis = 0; axis < 3; ++axis) {
                std::vector<Contact> contacts;
                Vec3 position{0, 0, 0};
                position[axis] = std::ldexp(axis == 1 ? 0.7f : -0.7f, exponent) * cell_size;
                for (int i = 0; i < 1000; ++i) {
                    contacts.push_back(make_contact(position, 0));
                    position[axis] = std::nextafter(position[axis], INFINITY);
                }
                // Below 2^24 cells from the origin two neighbours may share one.
                const std::size_t least = exponent == 24 ? 400 : 1000;
                EXPECT_GE(reduce_one(contacts, {cell_size, 0, 0}).size(), least)
                    << "cells of " << cell_size << ", exponent " << exponent << ", axis " << axis;
            }
        }
    }
}

TEST(ReduceContacts, ManifoldOfAFaceIsItsCorners) {
    std::vector<Contact> face;
    for (int y = 0; y <= 20; ++y) {
        for (int x = 0; x <= 20; ++x)
            face.push_back(make_contact({static_cast<float>(x), 0, static_cast<float>(y)}, -0.1f));
    }
    EXPECT_THAT(reduce_one(face, {0, 0, 4}),
                ElementsAre(face.front(), face.back(), face[20], face[20 * 21]));
    // A deepest one in the middle comes first, then corners.
    face[10 * 21 + 10].distance = -0.2f;
    EXPECT_THAT(reduce_one(face, {0, 0, 5}), ElementsAre(face[10 * 21 + 10], face.front(), face[20],
                                                         face[20 * 21], face.back()));
}

TEST(ReduceContacts, ManifoldTakesNoPositionTwice) {
    const std::vector<Contact> same = random_contacts(100, Positions::one, 1);
    EXPECT_THAT(reduce_one(same, {0, 0, 4}), SizeIs(1));
    // Positions that differ by less than the square root of the smallest float are two.
    const auto a = make_contact({0, 0, 0}, -1), b = make_contact({1e-45f, 0, 0}, 0);
    EXPECT_THAT(reduce_one({a, b, a, b}, {0, 0, 4}), ElementsAre(a, b));
    // The square of the largest differences is a number, too.
    const auto far = make_contact({3e38f, 0, 0}, 0), farther = make_contact({-3.1e38f, 0, 0}, 0);
    EXPECT_THAT(reduce_one({a, far, farther}, {0, 0, 3}), ElementsAre(a, farther, far));
}

TEST(ReduceContacts, DeepestKeepTheirOrder) {
    const auto a = make_contact({0, 0, 0}, -1), b = make_contact({1, 0, 0}, -3),
               c = make_contact({2, 0, 0}, -1), d = make_contact({3, 0, 0}, -2);
    EXPECT_THAT(reduce_one({a, b, c, d}, {0, 3, 0}), ElementsAre(a, b, d));
    EXPECT_THAT(reduce_one({a, b, c, d}, {0, 9, 0}), ElementsAre(a, b, c, d));
    EXPECT_THAT(reduce_one({}, {0, 9, 0}), IsEmpty());
}

}  // namespace
}  // namespace graze
