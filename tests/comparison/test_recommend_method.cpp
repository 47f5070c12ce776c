// The rules of recommendations, on scores that are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graze/compare_methods.h"
#include "graze/error.h"

namespace graze {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A method that finds all.
MethodScore good(const char* name, Method method, double seconds, double prepare_seconds = 1) {
    MethodScore score;
    score.name = name;
    score.hint = std::string("--method ") + name;
    score.method = method;
    score.must_count = 10;
    score.apart_count = 4;
    score.part_count = score.found_part_count = 12;
    score.judged_count = 100;
    score.depth_error = 0.05;
    score.normal_error = 0.05;
    score.seconds = seconds;
    score.prepare_seconds = prepare_seconds;
    return score;
}

MethodComparison comparison_of(std::vector<MethodScore> scores) {
    MethodComparison comparison;
    comparison.accuracy = 0.01;
    comparison.a.field_error = 0.02;
    comparison.a.has_inside = comparison.b.has_inside = true;
    comparison.scores = std::move(scores);
    return comparison;
}

std::string best(const MethodComparison& comparison, ContactUse use = ContactUse::response) {
    return comparison.scores[static_cast<std::size_t>(recommend_method(comparison, use).score)]
        .name;
}

TEST(RecommendMethod, TakesTheFastestOfThoseThatBreakNoRule) {
    const auto compare = [](auto change) {
        std::vector<MethodScore> scores{good("rays", Method::rays, 1e-3),
                                        good("particles", Method::particles, 3e-3)};
        change(scores[0]);
        return best(comparison_of(scores));
    };
    EXPECT_EQ(compare([](MethodScore&) {}), "rays");
    EXPECT_EQ(compare([](MethodScore& s) { s.missed_count = 1; }), "particles");
    EXPECT_EQ(compare([](MethodScore& s) { s.false_pair_count = 1; }), "particles");
    EXPECT_EQ(compare([](MethodScore& s) { s.found_part_count = 10; }), "particles");
    EXPECT_EQ(compare([](MethodScore& s) { s.false_count = 6; }), "particles");
    EXPECT_EQ(compare([](MethodScore& s) { s.depth_error = 0.3; }), "particles");
    EXPECT_EQ(compare([](MethodScore& s) { s.normal_error = 0.4; }), "particles");
    EXPECT_EQ(compare([](MethodScore& s) { s.time_error = 0.02; }), "particles");
    EXPECT_EQ(compare([](MethodScore& s) { s.applies = false; }), "particles");
    // These are within the rules.
    EXPECT_EQ(compare([](MethodScore& s) { s.found_part_count = 11; }), "rays");
    EXPECT_EQ(compare([](MethodScore& s) { s.false_count = 5; }), "rays");
    EXPECT_EQ(compare([](MethodScore& s) { s.depth_error = {}; }), "rays");
    EXPECT_EQ(compare([](MethodScore& s) { s.graze_count = 3; }), "rays");
}

TEST(RecommendMethod, DepthAndNormalDoNotMatterForACheck) {
    std::vector<MethodScore> scores{good("features", Method::features, 1e-3),
                                    good("particles", Method::particles, 3e-3)};
    scores[0].depth_error = 0.9;
    scores[0].normal_error = 1;
    const MethodComparison comparison = comparison_of(scores);
    EXPECT_EQ(best(comparison), "particles");
    EXPECT_EQ(best(comparison, ContactUse::check), "features");
    const MethodRecommendation found = recommend_method(comparison, ContactUse::response);
    EXPECT_THAT(found.options, Contains(HasSubstr("--use check): features")));
    EXPECT_THAT(found.reasons, Contains(HasSubstr("90% off in the depth")));
    EXPECT_THAT(recommend_method(comparison, ContactUse::check).options,
                Contains(HasSubstr("--use response): particles")));
}

TEST(RecommendMethod, OfThoseAboutAsFastTakesTheOneThatIsReadyFirst) {
    EXPECT_EQ(best(comparison_of({good("particles", Method::particles, 1.0e-3, 2),
                                  good("rays", Method::rays, 1.2e-3, 0.1)})),
              "rays");
    EXPECT_EQ(best(comparison_of({good("particles", Method::particles, 1.0e-3, 2),
                                  good("rays", Method::rays, 1.3e-3, 0.1)})),
              "particles");
}

TEST(RecommendMethod, NamesTheOneThatIsReadyMuchSooner) {
    const auto options_of = [](double prepare_seconds) {
        const MethodComparison comparison =
            comparison_of({good("particles", Method::particles, 1e-3, 2),
                           good("rays", Method::rays, 4e-3, prepare_seconds)});
        EXPECT_EQ(best(comparison), "particles");
        return recommend_method(comparison, ContactUse::response).options;
    };
    EXPECT_THAT(options_of(0.1), Contains(HasSubstr("rays, ready in 0.1 s, not 2 s")));
    EXPECT_THAT(options_of(1), Not(Contains(HasSubstr("ready in"))));
}

// Misses are worse than contacts too many, those worse than parts, and these than depths.
TEST(RecommendMethod, WhereAllBreakARuleTheLeastSeriousOneIsNearest) {
    MethodScore misses = good("particles", Method::particles, 1e-3);
    misses.missed_count = 1;
    MethodScore invents = good("sweep", Method::sweep, 1e-3);
    invents.false_pair_count = 2;
    MethodScore shallow = good("features", Method::features, 9e-3);
    shallow.depth_error = 0.8;
    MethodComparison comparison = comparison_of({misses, invents, shallow});
    MethodRecommendation found = recommend_method(comparison, ContactUse::response);
    EXPECT_EQ(best(comparison), "features");
    EXPECT_FALSE(found.meets_all);
    EXPECT_THAT(found.summary, HasSubstr("No method meets all"));
    EXPECT_THAT(found.summary, HasSubstr("80% off in the depth"));
    EXPECT_THAT(found.options, Contains(HasSubstr("finer field")));
    EXPECT_EQ(best(comparison_of({misses, invents})), "sweep");
    MethodScore misses_more = misses;
    misses_more.missed_count = 2;
    misses_more.name = "rays";
    EXPECT_EQ(best(comparison_of({misses_more, misses})), "particles");
}

TEST(RecommendMethod, GivesAReasonForEachOtherMethod) {
    MethodScore absent = good("rays", Method::rays, 1e-3);
    absent.applies = false;
    absent.reason = "the first mesh is open";
    const MethodComparison comparison = comparison_of(
        {good("particles", Method::particles, 1e-3), good("sweep", Method::sweep, 4e-3), absent});
    const MethodRecommendation found = recommend_method(comparison, ContactUse::response);
    ASSERT_EQ(found.reasons.size(), 2u);
    EXPECT_THAT(found.reasons[0], HasSubstr("sweep does as well, but takes 4 times as long"));
    EXPECT_THAT(found.reasons[1], HasSubstr("rays does not apply: the first mesh is open"));
    EXPECT_THAT(found.summary, HasSubstr("Take particles (--method particles)"));
    EXPECT_THAT(found.options, Not(Contains(HasSubstr("finer field"))));
}

TEST(RecommendMethod, SaysWhereNoMethodApplies) {
    MethodScore absent = good("rays", Method::rays, 1e-3);
    absent.applies = false;
    EXPECT_THROW(recommend_method(comparison_of({absent}), ContactUse::check), Error);
}

}  // namespace
}  // namespace graze
