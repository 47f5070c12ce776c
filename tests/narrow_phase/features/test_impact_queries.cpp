// Times of impact on real queries, whose answers are known exactly: no contact is missed, and few
// pairs without one are taken for contacts.
#include "tests/narrow_phase/features/impact_queries.h"

#include <gtest/gtest.h>

#include "narrow_phase/features/impact_time.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::Rational;

struct Counts {
    int query_count = 0, negative_count = 0;  // negative: without contact
    int missed_count = 0, false_positive_count = 0, ran_out_count = 0;

    void add(const std::vector<ImpactQuery>& queries) {
        for (const ImpactQuery& query : queries) {
            const ImpactTime impact = impact_of(query);
            ++query_count;
            negative_count += !query.collides;
            missed_count += query.collides && !impact.collides;
            false_positive_count += !query.collides && impact.collides;
            ran_out_count += impact.ran_out;
        }
    }
    void print(const std::string& name) const {
        std::printf(
            "%s: %d queries, %d without contact, %d missed, %d false positives, %d ran out\n",
            name.c_str(), query_count, negative_count, missed_count, false_positive_count,
            ran_out_count);
    }
};

// Expects of some of the queries that the oracle agrees with the file and that the time is never
// later than the exact one. Counts the times that are more than 1e-6 earlier.
void expect_oracle_agrees(const std::vector<ImpactQuery>& queries, int count, int& early_count) {
    const std::size_t stride = queries.size() / static_cast<std::size_t>(count) + 1;
    for (std::size_t i = 0; i < queries.size(); i += stride) {
        const ImpactQuery& query = queries[i];
        const auto exact = oracle::first_contact(contact_formula(query), Rational(0x1p-60));
        ASSERT_EQ(exact.has_value(), query.collides) << "query " << i;
        if (!exact) continue;
        const ImpactTime impact = impact_of(query);
        ASSERT_LE(Rational(impact.time), exact->high) << "query " << i;
        early_count += exact->low - Rational(impact.time) > Rational(1e-6);
    }
}

TEST(ImpactQueries, SingleQueries) {
    GRAZE_NEEDS_DATA("queries");
    const std::filesystem::path folder = data_folder() / "queries";
    Counts all;
    int early_count = 0;
    for (const char* name : {"erleben-cube-cliff-edges", "erleben-sliding-wedge", "erleben-spikes",
                             "erleben-wedges"}) {
        Counts counts;
        for (const char* kind : {"vertex-face", "edge-edge"})
            for (const char* file : {"data_0_0.csv", "data_0_1.csv"}) {
                const auto queries = read_queries(folder / name / kind / file, kind[0] == 'v');
                ASSERT_EQ(queries.size(), 125u);
                counts.add(queries);
                all.add(queries);
                expect_oracle_agrees(queries, case_count(125), early_count);
            }
        counts.print(name);
    }
    EXPECT_EQ(all.missed_count, 0);
    EXPECT_GT(all.negative_count, 1800);
    EXPECT_LE(all.false_positive_count, 4);
    EXPECT_LE(all.ran_out_count, 1);
    // These features pass each other at the distance of a rounding error before they meet.
    EXPECT_LE(early_count, 4);
}

struct Sequence {
    const char *name, *frame_t0, *frame_t1, *prefix;
};
class ImpactSequences : public testing::TestWithParam<Sequence> {};

TEST_P(ImpactSequences, NothingIsMissed) {
    const Sequence& sequence = GetParam();
    GRAZE_NEEDS_DATA("sequences");
    const std::filesystem::path folder = data_folder() / "sequences" / sequence.name;
    const SequenceQueries frames(folder / "frames" / sequence.frame_t0,
                                 folder / "frames" / sequence.frame_t1);
    for (const std::string kind : {"vf", "ee"}) {
        const auto queries =
            frames.read(folder / "boxes" / (sequence.prefix + kind + ".json"),
                        folder / "mma_bool" / (sequence.prefix + kind + "_mma_bool.json"));
        ASSERT_FALSE(queries.empty());
        Counts counts;
        counts.add(queries);
        counts.print(sequence.name + (" " + kind));
        EXPECT_EQ(counts.missed_count, 0);
        EXPECT_EQ(counts.false_positive_count, 0);
        EXPECT_EQ(counts.ran_out_count, 0);
        int early_count = 0;
        expect_oracle_agrees(queries, case_count(100), early_count);
        EXPECT_EQ(early_count, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, ImpactSequences,
    testing::Values(Sequence{"cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", "92"},
                    Sequence{"n-body", "balls16_18.ply", "balls16_19.ply", "18"},
                    Sequence{"cloth-funnel", "227.ply", "228.ply", "227"}),
    [](const auto& instance) {
        std::string name = instance.param.name;
        name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
        return name;
    });

// The queries of the frames, as rationals.
TEST(ImpactQueries, QueriesOfClothFunnel) {
    GRAZE_NEEDS_DATA("sequences/cloth-funnel");
    const std::filesystem::path folder = data_folder() / "sequences/cloth-funnel";
    for (const std::string kind : {"vf", "ee"}) {
        auto queries = read_queries(folder / "queries" / ("227" + kind + ".csv"), kind == "vf");
        const auto truths = read_numbers(folder / "mma_bool" / ("227" + kind + "_mma_bool.json"));
        ASSERT_EQ(queries.size(), truths.size());
        for (std::size_t i = 0; i < queries.size(); ++i)
            queries[i].collides = truths[i] != 0;
        Counts counts;
        counts.add(queries);
        counts.print("cloth-funnel rationals " + kind);
        EXPECT_EQ(counts.missed_count, 0);
        EXPECT_GT(counts.negative_count, 50);
        EXPECT_EQ(counts.false_positive_count, 0);
    }
}

}  // namespace
}  // namespace graze
