// A cache entry that cannot be loaded now, since reading fails or memory runs out, may be sound: it
// is there, byte for byte, when the field is built instead. Here each read of a load fails in turn,
// and each allocation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "io/fields/field_cache.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/oracle/case_count.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

// How many more succeed until one fails; below 0: all succeed.
std::atomic<int> reads_left{-1}, allocations_left{-1};
std::atomic<bool> has_failed{false};  // whether one did

bool is_to_fail(std::atomic<int>& left) {
    int now = left;
    while (now >= 0 && !left.compare_exchange_weak(now, now - 1)) {
    }
    if (now == 0) has_failed = true;
    return now == 0;
}

// Other files are read as ever.
bool is_entry(int file) {
    char name[512];
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = ::readlink(link.c_str(), name, sizeof name);
    return size > 0 && std::string_view(name, static_cast<std::size_t>(size)).ends_with(".gfield");
}

}  // namespace
}  // namespace graze

// A sanitizer has its own versions of these.
#if GRAZE_SANITIZED == 0
extern "C" ssize_t read(int file, void* to, size_t count) {
    if (graze::reads_left >= 0 && graze::is_entry(file) && graze::is_to_fail(graze::reads_left)) {
        errno = EIO;
        return -1;
    }
    return ::syscall(SYS_read, file, to, count);
}

void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    if (graze::is_to_fail(graze::allocations_left)) return nullptr;
    const auto step = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(step, (size + step - 1) / step * step);
}
void operator delete(void* pointer, std::align_val_t) noexcept {
    std::free(pointer);
}
void operator delete(void* pointer, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(pointer);
}
void* operator new(std::size_t size) {
    void* block = graze::is_to_fail(graze::allocations_left) ? nullptr : std::malloc(size);
    if (!block) throw std::bad_alloc();
    return block;
}
void operator delete(void* pointer) noexcept {
    std::free(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept {
    std::free(pointer);
}
#endif

namespace graze {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

class FieldCacheFaults : public ::testing::Test {
protected:
    void SetUp() override {
        if (GRAZE_SANITIZED != 0) GTEST_SKIP() << "a sanitizer needs file descriptors of its own";
        unsetenv("GRAZE_CACHE");
        unsetenv("GRAZE_CACHE_LIMIT");
        fetch();
        good_ = testing::read_bytes(entry_);
        ASSERT_EQ(fetch(), "");
        ASSERT_EQ(build_count_, 1);
    }

    // Returns why the entry was not loaded; empty where it was.
    std::string fetch() {
        const io::FieldBuilder build = [&](FieldReport& report) {
            reads_left = allocations_left = -1;
            if (!good_.empty()) {
                EXPECT_TRUE(fs::exists(entry_)) << "the entry is gone";
                EXPECT_TRUE(testing::read_bytes(entry_) == good_);
            }
            ++build_count_;
            report.seconds = 7;
            return make_sampled_field(testing::make_sphere_field(
                {FieldOrder::one, true, true, {{0, 0, 0}, 0.5f, {8, 16, 8}}}));
        };
        FieldCacheReport outcome;
        io::fetch_field({1, 5}, build, nullptr, {.folder = folder_.path()}, &outcome);
        reads_left = allocations_left = -1;
        return outcome.reason;
    }

    TemporaryFolder folder_;
    const fs::path entry_ = folder_ / (io::ContentKey{1, 5}.text() + ".gfield");
    std::string good_;
    int build_count_ = 0;
};

TEST_F(FieldCacheFaults, AReadThatFailsLeavesTheEntry) {
    int failed = 0;
    for (has_failed = true; has_failed; ++failed) {
        has_failed = false;
        reads_left = failed;
        const std::string reason = fetch();
        ASSERT_THAT(reason, has_failed ? HasSubstr("Input/output error") : HasSubstr(""));
    }
    EXPECT_GT(failed, 5);
    // The last one read all, and found the entry.
    EXPECT_EQ(build_count_, failed);
}

TEST_F(FieldCacheFaults, AnAllocationThatFailsLeavesTheEntry) {
    int rebuilt = 0;
    int passing = 0;
    for (has_failed = true; has_failed; ++passing) {
        SCOPED_TRACE(passing);
        has_failed = false;
        const int built = build_count_;
        std::string reason;
        allocations_left = passing;
        try {
            reason = fetch();
        } catch (const std::bad_alloc&) {
            // Before the entry is looked for: the caller's to deal with.
            allocations_left = -1;
        }
        ASSERT_TRUE(testing::read_bytes(entry_) == good_);
        if (build_count_ == built) continue;
        ++rebuilt;
        ASSERT_THAT(reason, HasSubstr("memory"));
    }
    EXPECT_GT(rebuilt, 20);
    EXPECT_EQ(fetch(), "");
}

}  // namespace
}  // namespace graze
