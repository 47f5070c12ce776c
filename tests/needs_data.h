// For tests on real data: without the folder of it they are skipped, and say so; a folder that
// lacks what they take is a failure.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/data_folder.h"

// Leaves a test where there is no data folder at all, and fails it where that has no such entry.
// scripts/skips knows the reason by its first words.
#define GRAZE_NEEDS_DATA(entry)                                                                 \
    if (!::graze::is_data_folder_given() && !std::filesystem::exists(::graze::data_folder()))   \
        GTEST_SKIP() << "no data folder: GRAZE_DATA is not set and there is no ../shared/data"; \
    ASSERT_TRUE(std::filesystem::exists(::graze::data_folder() / (entry)))                      \
        << "the data folder " << ::graze::data_folder() << " has no " << (entry)
