// Runs the program itself, in a folder of its own that is gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace graze {

struct Outcome {
    int exit_code;
    std::string out, err;
};

class ProgramTest : public ::testing::Test {
protected:
    void SetUp() override {
        const char* program = std::getenv("GRAZE_APP");
        if (!program) GTEST_SKIP() << "the environment variable GRAZE_APP names no program to test";
        program_ = program;
        folder_ = std::filesystem::temp_directory_path() /
                  ("graze_test_program_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        // What the program keeps for later runs, it keeps here.
        setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
        unsetenv("GRAZE_CACHE");
    }
    void TearDown() override {
        if (!folder_.empty()) std::filesystem::remove_all(folder_);
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    std::string read(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }

    // Runs the program in the folder of the test's files.
    Outcome graze(const std::string& arguments) const {
        return shell("'" + program_ + "' " + arguments + " >out.txt 2>err.txt");
    }
    Outcome shell(const std::string& command) const {
        const int status = std::system(("cd '" + folder_.string() + "' && " + command).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")};
    }

    std::string program_;
    std::filesystem::path folder_;
};

}  // namespace graze
