#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "graze/error.h"
#include "io/fields/field_cache.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/oracle/case_count.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using ::testing::HasSubstr;
using testing::same_bits;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

// Sets a variable of the environment for the time of a test.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        if (value)
            ::setenv(name, value, 1);
        else
            ::unsetenv(name);
    }
    ~Environment() {
        if (before_)
            ::setenv(name_.c_str(), before_->c_str(), 1);
        else
            ::unsetenv(name_.c_str());
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

// The user's own settings must not decide what a test finds.
class FieldCache : public ::testing::Test {
protected:
    Environment switch_{"GRAZE_CACHE", nullptr};
    Environment limit_{"GRAZE_CACHE_LIMIT", nullptr};
    TemporaryFolder folder_;
};

std::shared_ptr<SampledField> make_field(std::uint64_t number) {
    const float spacing = 0.5f + 0.25f * static_cast<float>(number);
    return testing::make_sphere_field(
        {FieldOrder::one, number % 2 == 1, true, {{0, 0, 0}, spacing, {8, 16, 8}}});
}

// Asks the cache for field `number` and counts how often it is built.
struct Fetch {
    FieldCacheOptions options;
    std::atomic<int>* build_count;
    FieldReport report{};
    FieldCacheReport outcome{};

    Field operator()(std::uint64_t number) {
        const io::FieldBuilder build = [&](FieldReport& built) {
            ++*build_count;
            built.findings = {"built number " + std::to_string(number)};
            built.seconds = 7;
            return make_sampled_field(make_field(number));
        };
        return io::fetch_field({number, 5}, build, &report, options, &outcome);
    }
};

fs::path entry(const TemporaryFolder& folder, std::uint64_t number) {
    return folder / (io::ContentKey{number, 5}.text() + ".gfield");
}

TEST_F(FieldCache, LoadsTheSecondTime) {
    std::atomic<int> build_count{0};
    Fetch fetch{{.folder = folder_ / "deep/graze"}, &build_count};
    for (const std::uint64_t number : {1u, 2u}) {
        EXPECT_TRUE(same_bits(*samples_of(fetch(number)), *make_field(number)));
        EXPECT_EQ(fetch.outcome.result, FieldCacheResult::stored);
        EXPECT_EQ(fetch.outcome.reason, "");
        EXPECT_TRUE(fs::exists(fetch.outcome.file));
        fetch.report = {};
        EXPECT_TRUE(same_bits(*samples_of(fetch(number)), *make_field(number)));
        EXPECT_EQ(fetch.outcome.result, FieldCacheResult::loaded);
        EXPECT_EQ(fetch.report.findings,
                  std::vector<std::string>{"built number " + std::to_string(number)});
        EXPECT_EQ(fetch.report.seconds, 7);
    }
    EXPECT_EQ(build_count, 2);
    EXPECT_EQ(fs::status(folder_ / "deep/graze").permissions(), fs::perms::owner_all);
}

TEST_F(FieldCache, CanBeSwitchedOff) {
    std::atomic<int> build_count{0};
    Fetch fetch{{.is_on = false, .folder = folder_.path()}, &build_count};
    fetch(1);
    fetch(1);
    EXPECT_EQ(build_count, 2);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::off);
    fetch.options.is_on = true;
    const Environment off("GRAZE_CACHE", "off");
    fetch(1);
    EXPECT_EQ(build_count, 3);
    EXPECT_EQ(folder_.file_count(), 0u);
    EXPECT_EQ(fetch.report.seconds, 7);
}

TEST_F(FieldCache, BuildsAgainWhatDoesNotVerify) {
    std::atomic<int> build_count{0};
    Fetch fetch{{.folder = folder_.path()}, &build_count};
    fetch(1);
    fetch(2);
    const std::string good = testing::read_bytes(entry(folder_, 1));
    std::string altered = good;
    altered[altered.size() / 2] ^= 1;
    int expected = 2;
    for (const std::string& bad :
         {altered, good.substr(0, 200), std::string(), testing::read_bytes(entry(folder_, 2))}) {
        testing::write_bytes(entry(folder_, 1), bad);
        EXPECT_TRUE(same_bits(*samples_of(fetch(1)), *make_field(1)));
        EXPECT_EQ(build_count, ++expected);
        EXPECT_EQ(fetch.outcome.result, FieldCacheResult::stored);
        EXPECT_THAT(fetch.outcome.reason, HasSubstr(entry(folder_, 1).string()));
        EXPECT_EQ(testing::read_bytes(entry(folder_, 1)), good);
    }
}

// No file can be opened for a while.
TEST_F(FieldCache, KeepsWhatCannotBeReadNow) {
    if (GRAZE_SANITIZED != 0) GTEST_SKIP() << "a sanitizer needs file descriptors of its own";
    std::atomic<int> build_count{0};
    Fetch fetch{{.folder = folder_.path()}, &build_count};
    fetch(1);
    const std::string good = testing::read_bytes(entry(folder_, 1));
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const Field field = fetch(1);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_TRUE(same_bits(*samples_of(field), *make_field(1)));
    EXPECT_EQ(build_count, 2);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::not_stored);
    EXPECT_THAT(fetch.outcome.reason, HasSubstr("cannot"));
    ASSERT_TRUE(fs::exists(entry(folder_, 1)));
    EXPECT_EQ(testing::read_bytes(entry(folder_, 1)), good);
    fetch(1);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::loaded);
    EXPECT_EQ(build_count, 2);
}

TEST_F(FieldCache, AnUnwritableFolderIsNoError) {
    std::atomic<int> build_count{0};
    testing::write_bytes(folder_ / "file", "not a folder");
    Fetch fetch{{.folder = folder_ / "file/graze"}, &build_count};
    EXPECT_TRUE(same_bits(*samples_of(fetch(3)), *make_field(3)));
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::not_stored);
    EXPECT_THAT(fetch.outcome.reason, HasSubstr("cannot make it"));
    EXPECT_EQ(fetch.report.seconds, 7);
    // A folder with the entry's name cannot be replaced.
    fetch.options.folder = folder_.path();
    fs::create_directories(entry(folder_, 4) / "x");
    fetch(4);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::not_stored);
    EXPECT_THAT(fetch.outcome.reason, HasSubstr("cannot"));
}

TEST_F(FieldCache, ABuildThatFailsStoresNothing) {
    const io::FieldBuilder build = [](FieldReport&) -> Field { throw Error("stopped"); };
    EXPECT_THROW(io::fetch_field({1, 5}, build, nullptr, {.folder = folder_.path()}, nullptr),
                 Error);
    EXPECT_EQ(folder_.file_count(), 0u);
}

TEST_F(FieldCache, DropsWhatWasNotUsedForLongest) {
    std::atomic<int> build_count{0};
    Fetch fetch{{.folder = folder_.path()}, &build_count};
    for (const std::uint64_t number : {0u, 2u, 4u})
        fetch(number);
    testing::write_bytes(folder_ / "somebody's.gfield", "x");
    const auto now = fs::file_time_type::clock::now();
    const auto old = now - std::chrono::hours(48);
    const fs::path abandoned = entry(folder_, 9).string() + ".tmp123-4";
    const fs::path young = entry(folder_, 8).string() + ".tmp123-4";
    testing::write_bytes(abandoned, "x");
    testing::write_bytes(young, "x");
    fs::last_write_time(abandoned, old);
    for (const std::uint64_t number : {0u, 2u, 4u})
        fs::last_write_time(entry(folder_, number), old + std::chrono::minutes(number));
    // Using the oldest one makes it the newest.
    fetch(0);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::loaded);
    const auto size = [&](std::uint64_t number) {
        return static_cast<std::int64_t>(fs::file_size(entry(folder_, number)));
    };
    // The limit is a little below what the three entries and the new one take.
    fetch(6);
    fetch.options.limit_bytes = size(0) + size(2) + size(4) + size(6) - 1;
    fs::remove(entry(folder_, 6));
    fetch(6);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::stored);
    EXPECT_TRUE(fs::exists(entry(folder_, 0)));
    EXPECT_FALSE(fs::exists(entry(folder_, 2)));
    EXPECT_TRUE(fs::exists(entry(folder_, 4)));
    EXPECT_TRUE(fs::exists(entry(folder_, 6)));
    EXPECT_FALSE(fs::exists(abandoned));
    EXPECT_TRUE(fs::exists(young));
    EXPECT_TRUE(fs::exists(folder_ / "somebody's.gfield"));
}

TEST_F(FieldCache, WhatIsLargerThanTheLimitIsNotKept) {
    std::atomic<int> build_count{0};
    Fetch fetch{{.folder = folder_.path(), .limit_bytes = 500}, &build_count};
    fetch(1);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::not_stored);
    EXPECT_THAT(fetch.outcome.reason, HasSubstr("raise GRAZE_CACHE_LIMIT"));
    EXPECT_EQ(folder_.file_count(), 0u);
    fetch.options.limit_bytes = 0;
    const Environment limit("GRAZE_CACHE_LIMIT", "100");
    fetch(1);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::not_stored);
    const Environment wrong("GRAZE_CACHE_LIMIT", "much");
    EXPECT_THROW(fetch(1), Error);
}

TEST_F(FieldCache, ParsesLimits) {
    EXPECT_EQ(io::parse_cache_limit("123"), 123);
    EXPECT_EQ(io::parse_cache_limit("64K"), 65536);
    EXPECT_EQ(io::parse_cache_limit("3M"), 3 << 20);
    EXPECT_EQ(io::parse_cache_limit("10G"), std::int64_t{10} << 30);
    for (const char* bad : {"", "G", "-1", "1.5G", "10 G", "1g", "9999999999G", "0x10"})
        EXPECT_THROW(io::parse_cache_limit(bad), Error) << bad;
}

TEST_F(FieldCache, FollowsTheXdgSpecification) {
    const Environment home("HOME", "/homes/me");
    {
        const Environment cache("XDG_CACHE_HOME", "/var/mine");
        EXPECT_EQ(default_cache_folder(), "/var/mine/graze");
    }
    {
        const Environment cache("XDG_CACHE_HOME", "relative");
        EXPECT_EQ(default_cache_folder(), "/homes/me/.cache/graze");
    }
    const Environment cache("XDG_CACHE_HOME", nullptr);
    EXPECT_EQ(default_cache_folder(), "/homes/me/.cache/graze");
    const Environment nobody("HOME", nullptr);
    EXPECT_EQ(default_cache_folder(), "");
    std::atomic<int> build_count{0};
    Fetch fetch{{}, &build_count};
    fetch(1);
    EXPECT_EQ(fetch.outcome.result, FieldCacheResult::not_stored);
    EXPECT_THAT(fetch.outcome.reason, HasSubstr("neither XDG_CACHE_HOME nor HOME"));
}

// Several threads read, write, damage and trim at once, and none ever gets a wrong field.
TEST_F(FieldCache, ManyMayShareIt) {
    std::atomic<int> build_count{0}, wrong_count{0};
    const auto work = [&](unsigned seed) {
        std::mt19937 random(seed);
        Fetch fetch{{.folder = folder_.path(), .limit_bytes = 20000}, &build_count};
        for (int round = 0; round < 40; ++round) {
            const std::uint64_t number = random() % 5;
            if (random() % 5 == 0) testing::write_bytes(entry(folder_, random() % 5), "damage");
            if (!same_bits(*samples_of(fetch(number)), *make_field(number))) ++wrong_count;
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (unsigned seed = 0; seed < 4; ++seed)
        threads.emplace_back(work, seed);
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong_count, 0);
    EXPECT_GT(build_count, 4);
    EXPECT_LT(build_count, 160) << "nothing was ever loaded";
}

// Returns the default options with one change, or more.
template <class Change>
FieldOptions options_with(const Change& change) {
    FieldOptions options;
    change(options);
    return options;
}

Mesh tetrahedron() {
    return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
            {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}}};
}

TEST(FieldCacheKey, DependsOnAllThatChangesTheField) {
    std::set<std::string> keys;
    const auto expect_new = [&](const Mesh& mesh, const FieldOptions& options, const char* what) {
        EXPECT_TRUE(keys.insert(io::key_of(mesh, options).text()).second) << what;
    };
    Mesh mesh = tetrahedron();
    expect_new(mesh, {}, "plain");
    mesh.positions[2].y = std::nextafter(1.0f, 2.0f);
    expect_new(mesh, {}, "a vertex moved");
    mesh = tetrahedron();
    std::swap(mesh.triangles[0].v[0], mesh.triangles[0].v[1]);
    expect_new(mesh, {}, "a triangle turned");
    mesh = tetrahedron();
    mesh.triangles.pop_back();
    expect_new(mesh, {}, "a triangle less");
    mesh = tetrahedron();
    expect_new(mesh, options_with([&](FieldOptions& o) { o.resolution = 129; }), "resolution");
    expect_new(mesh, options_with([&](FieldOptions& o) { o.order = FieldOrder::zero; }), "order");
    expect_new(mesh, options_with([&](FieldOptions& o) { o.sparse = true; }), "sparse");
    expect_new(mesh, options_with([&](FieldOptions& o) {
                   o.sparse = true;
                   o.band = 4;
               }),
               "band");
    expect_new(mesh, options_with([&](FieldOptions& o) { o.padding = 3; }), "padding");
    expect_new(mesh, options_with([&](FieldOptions& o) { o.reach = 3; }), "reach");
    expect_new(mesh, options_with([&](FieldOptions& o) { o.sign = FieldSign::shell; }), "sign");
    expect_new(mesh, options_with([&](FieldOptions& o) {
                   o.sign = FieldSign::shell;
                   o.thickness = 0.1f;
               }),
               "thickness");
    expect_new(mesh, options_with([&](FieldOptions& o) { o.measure_error = false; }),
               "measured error");
    expect_new(mesh, options_with([&](FieldOptions& o) { o.finest_resolution = 500; }), "finest");
    expect_new(mesh, options_with([&](FieldOptions& o) {
                   o.finest_resolution = 500;
                   o.memory_limit = 1 << 30;
               }),
               "the memory that a rise may take");
    FieldGrid grid{{-1, -1, -1}, 0.5f, {8, 8, 8}};
    expect_new(mesh, options_with([&](FieldOptions& o) { o.grid = grid; }), "grid");
    grid.origin.z = -1.5f;
    expect_new(mesh, options_with([&](FieldOptions& o) { o.grid = grid; }), "origin");
    grid.cells[1] = 9;
    expect_new(mesh, options_with([&](FieldOptions& o) { o.grid = grid; }), "cells");
    grid.spacing = 0.75f;
    expect_new(mesh, options_with([&](FieldOptions& o) { o.grid = grid; }), "spacing");
}

// Where sides come from winding numbers, a GPU may find others; where they do not, machines share.
TEST(FieldCacheKey, DependsOnTheMachineForWindingNumbers) {
    const Mesh mesh = tetrahedron();
    for (const FieldSign sign :
         {FieldSign::automatic, FieldSign::winding, FieldSign::crossings, FieldSign::shell}) {
        const FieldOptions options = options_with([&](FieldOptions& o) { o.sign = sign; });
        const io::ContentKey cpu = io::key_of(mesh, options, Device::Kind::cpu);
        const io::ContentKey cuda = io::key_of(mesh, options, Device::Kind::cuda);
        const bool is_by_winding = sign == FieldSign::automatic || sign == FieldSign::winding;
        EXPECT_EQ(cpu == cuda, !is_by_winding) << static_cast<int>(sign);
        EXPECT_EQ(io::key_of(mesh, options), cpu);
    }
}

TEST(FieldCacheKey, DependsOnNothingElse) {
    const Mesh mesh = tetrahedron();
    const io::ContentKey key = io::key_of(mesh, {});
    EXPECT_EQ(io::key_of(mesh, options_with([&](FieldOptions& o) { o.device = Device::cpu(3); })),
              key);
    EXPECT_EQ(io::key_of(mesh, options_with([&](FieldOptions& o) { o.memory_limit = 1000; })), key);
    EXPECT_EQ(io::key_of(mesh, options_with([&](FieldOptions& o) {
                             o.progress = [](double) { return true; };
                         })),
              key);
    EXPECT_EQ(io::key_of(mesh, options_with([&](FieldOptions& o) { o.band = 5; })), key)
        << "it is not sparse";
    EXPECT_EQ(io::key_of(mesh, options_with([&](FieldOptions& o) { o.thickness = 5; })), key)
        << "it is no shell";
    const FieldGrid grid{{-1, -1, -1}, 0.5f, {8, 8, 8}};
    EXPECT_EQ(io::key_of(mesh, options_with([&](FieldOptions& o) { o.grid = grid; })),
              io::key_of(mesh, options_with([&](FieldOptions& o) {
                             o.resolution = 7;
                             o.grid = grid;
                         })));
}

// The whole goes together: a mesh, its field, and the field again.
TEST_F(FieldCache, BuildsFromAMeshAndLoads) {
    FieldOptions options;
    options.resolution = 24;
    for (const bool is_sparse : {false, true}) {
        options.sparse = is_sparse;
        FieldReport built, loaded;
        FieldCacheReport outcome;
        const FieldCacheOptions cache{.folder = folder_.path()};
        const Field first = cached_build_field(tetrahedron(), options, &built, cache, &outcome);
        EXPECT_EQ(outcome.result, FieldCacheResult::stored) << outcome.reason;
        EXPECT_TRUE(
            same_bits(*samples_of(first), *samples_of(build_field(tetrahedron(), options))));
        options.device = Device::cpu(1);
        const Field second = cached_build_field(tetrahedron(), options, &loaded, cache, &outcome);
        EXPECT_EQ(outcome.result, FieldCacheResult::loaded);
        EXPECT_TRUE(same_bits(*samples_of(second), *samples_of(first)));
        EXPECT_EQ(loaded.findings, built.findings);
        EXPECT_EQ(loaded.sign, FieldSign::crossings);
        EXPECT_EQ(loaded.sample_count, built.sample_count);
        EXPECT_EQ(loaded.seconds, built.seconds);
    }
}

}  // namespace
}  // namespace graze
