#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "graze/write_file.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using ::testing::HasSubstr;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(WriteFile, ReplacesWhatWasThere) {
    const TemporaryFolder folder;
    const std::string bytes("zero \0 byte\n", 12);
    write_file(folder / "new.txt", bytes);
    EXPECT_EQ(read_bytes(folder / "new.txt"), bytes);
    write_file(folder / "new.txt", "shorter");
    EXPECT_EQ(read_bytes(folder / "new.txt"), "shorter");
    write_file(folder / "new.txt", "");
    EXPECT_EQ(read_bytes(folder / "new.txt"), "");
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(WriteFile, JoinsThePieces) {
    const TemporaryFolder folder;
    std::string expected;
    write_file(folder / "rows.txt", [&](const WriteBytes& write) {
        for (int i = 0; i < 20000; ++i) {
            const std::string row = std::to_string(i) + "\n";
            expected += row;
            write(row);
        }
    });
    EXPECT_GT(expected.size(), 100000u);  // more than is gathered before it is written
    EXPECT_EQ(read_bytes(folder / "rows.txt"), expected);
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(WriteFile, WhatTheCallerThrowsLeavesTheFileUntouched) {
    const TemporaryFolder folder;
    write_bytes(folder / "kept.txt", "before");
    const auto fill = [](const WriteBytes& write) {
        write(std::string(1 << 20, 'x'));
        throw std::runtime_error("no more rows");
    };
    EXPECT_THROW(write_file(folder / "kept.txt", fill), std::runtime_error);
    EXPECT_THROW(write_file(folder / "new.txt", fill), std::runtime_error);
    EXPECT_EQ(read_bytes(folder / "kept.txt"), "before");
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(WriteFile, SaysWhyItCannotWrite) {
    const TemporaryFolder folder;
    EXPECT_EQ(error_of([&] { write_file(folder / "none" / "x.txt", "text"); }),
              (folder / "none" / "x.txt").string() + ": cannot write: No such file or directory");
    fs::create_directory(folder / "folder");
    EXPECT_THAT(error_of([&] { write_file(folder / "folder", "text"); }),
                HasSubstr("folder: cannot write: it exists and is not a file"));
    EXPECT_EQ(folder.file_count(), 1u);
}

// Nothing is forbidden to root, so that a child gives up what makes it root before it writes.
TEST(WriteFile, SaysWhereItMayNotWrite) {
    constexpr uid_t kNobody = 65534;
    const TemporaryFolder folder;
    fs::create_directory(folder / "folder");
    fs::permissions(folder.path(), fs::perms::all);
    fs::permissions(folder / "folder", fs::perms(0555));
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const bool is_allowed = ::geteuid() != 0 || ::setresuid(kNobody, kNobody, kNobody) == 0;
        const std::string said =
            is_allowed ? error_of([&] { write_file(folder / "folder" / "x.txt", "text"); })
                       : "the child stays root";
        const ssize_t written = ::write(ends[1], said.data(), said.size());
        ::_exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    char text[4096];
    const ssize_t size = ::read(ends[0], text, sizeof text);
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ASSERT_GE(size, 0);
    EXPECT_THAT(std::string(text, static_cast<std::size_t>(size)), HasSubstr("Permission denied"));
    fs::permissions(folder / "folder", fs::perms::owner_all);
}

// A program that is killed while it writes leaves its half, which the next one takes over.
TEST(WriteFile, RemovesWhatAKilledProgramLeft) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
        write_file(folder / "run.grec", [](const WriteBytes& write) {
            write(std::string(1 << 20, 'x'));
            ::raise(SIGKILL);
        });
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(folder.file_count(), 1u);
    EXPECT_FALSE(fs::exists(folder / "run.grec"));
    write_file(folder / "run.grec", "whole");
    EXPECT_EQ(read_bytes(folder / "run.grec"), "whole");
    EXPECT_EQ(folder.file_count(), 1u);
}

// A program that ends in a signal handler leaves nothing of what it writes, in any folder.
TEST(WriteFile, UnfinishedFilesCanBeRemovedInAHandler) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "deep");
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGTERM, [](int) {
            remove_unfinished_files();
            ::_exit(7);
        });
        write_file(folder / "done.txt", "whole");
        write_file(folder / "a.txt", [&](const WriteBytes& write_a) {
            write_a(std::string(1 << 20, 'x'));
            write_file(folder / "deep/b.txt", [&](const WriteBytes& write_b) {
                write_b("half");
                if (folder.file_count() == 3) ::raise(SIGTERM);
            });
        });
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(read_bytes(folder / "done.txt"), "whole");
    EXPECT_EQ(folder.file_count(), 2u) << "the file and the folder";
    EXPECT_TRUE(fs::is_empty(folder / "deep"));
    remove_unfinished_files();
    EXPECT_EQ(read_bytes(folder / "done.txt"), "whole");
}

// Only what no one holds is abandoned.
TEST(WriteFile, AbandonedFilesAreRemoved) {
    const TemporaryFolder folder;
    for (const char* name : {"a.txt.tmp", "a.txt.tmp3", "a.txt.tmp3x", "b.txt.tmp", "a.txt"})
        write_bytes(folder / name, "x");
    fs::create_symlink("a.txt", folder / "a.txt.tmp4");
    write_file(folder / "a.txt", [&](const WriteBytes& write) {
        write("new");
        remove_abandoned_files(folder / "a.txt");
    });
    EXPECT_EQ(read_bytes(folder / "a.txt"), "new");
    EXPECT_FALSE(fs::exists(folder / "a.txt.tmp3"));
    for (const char* name : {"a.txt.tmp3x", "b.txt.tmp", "a.txt.tmp4"})
        EXPECT_TRUE(fs::exists(folder / name)) << name;
    EXPECT_EQ(folder.file_count(), 4u);
    remove_abandoned_files(folder / "none/a.txt");
}

TEST(WriteFile, WritersOfOneFileDoNotMix) {
    const TemporaryFolder folder;
    write_file(folder / "one.txt", [&](const WriteBytes& write) {
        write(std::string(1 << 20, 'a'));
        write_file(folder / "one.txt", "inner");
        EXPECT_EQ(read_bytes(folder / "one.txt"), "inner");
        write("b");
    });
    EXPECT_EQ(read_bytes(folder / "one.txt"), std::string(1 << 20, 'a') + "b");
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(WriteFile, ReplacesTheTargetOfALink) {
    const TemporaryFolder folder;
    write_bytes(folder / "real.txt", "old");
    fs::create_symlink("real.txt", folder / "link.txt");
    write_file(folder / "link.txt", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
    EXPECT_EQ(read_bytes(folder / "real.txt"), "new");
}

}  // namespace
}  // namespace graze
