// A small .vdb file altered in each bit and cut at each byte is refused by graze or read; OpenVDB
// gets no length that is not borne out, and memory stays near what the file takes.
#include "io/fields/vdb_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graze/field_io.h"
#include "io/append_bytes.h"
#include "tests/count_allocations.h"
#include "tests/error_of.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

class VdbArchive : public ::testing::Test {
protected:
    static constexpr std::size_t kMostMemory = 8 << 20;  // [bytes]

    void SetUp() override {
        save_field(make_sampled_field(testing::make_sphere_field(
                       {FieldOrder::zero, true, false, {{0, 0, 0}, 0.5f, {8, 16, 8}}})),
                   folder_ / "sphere.vdb");
        bytes_ = testing::read_bytes(folder_ / "sphere.vdb");
        load(bytes_);  // what is made once is not counted
    }

    // Nothing but an Error or a field without a number that is none comes of the bytes. Returns
    // whether it is a field.
    bool load(const std::string& bytes) {
        testing::write_bytes(folder_ / "altered.vdb", bytes);
        const std::size_t before = allocated_now;
        allocated_peak = before;
        bool is_loaded = false;
        try {
            const Field field = load_field(folder_ / "altered.vdb");
            EXPECT_TRUE(std::isfinite(field.distance({2, 4, 2})));
            EXPECT_TRUE(std::isfinite(field.error()));
            is_loaded = true;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr("altered.vdb: "));
        }
        EXPECT_LT(allocated_peak - before, kMostMemory);
        return is_loaded;
    }

    TemporaryFolder folder_;
    std::string bytes_;
};

TEST_F(VdbArchive, KeepsOneGridAndNothingElse) {
    const std::string once = io::float_grid_archive(bytes_, "once");
    EXPECT_LT(once.size(), bytes_.size());
    EXPECT_EQ(io::float_grid_archive(once, "twice"), once);
    EXPECT_TRUE(load(once));
}

TEST_F(VdbArchive, EveryBitMayBeAltered) {
    std::size_t loaded_count = 0, accepted_count = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        SCOPED_TRACE(i);
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string altered = bytes_;
            altered[i] = static_cast<char>(static_cast<unsigned char>(altered[i]) ^ (1u << bit));
            try {
                const std::string archive = io::float_grid_archive(altered, "altered");
                EXPECT_LE(archive.size(), bytes_.size());
                ++accepted_count;
            } catch (const Error&) {
                continue;
            }
            // Reading all of it takes its time; one bit of each byte is enough.
            if (bit == i * 5 % 8) loaded_count += load(altered);
        }
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(loaded_count, 100u);
    EXPECT_GT(accepted_count, 1000u);
    EXPECT_LT(accepted_count, bytes_.size() * 8 / 2) << "masks are not looked at";
}

// The same with a second grid behind the level set, of a type that is stepped over where the file
// tells its end, and otherwise not read.
TEST_F(VdbArchive, BitsOfASecondGridMayBeAltered) {
    std::string two = bytes_;
    const std::size_t grid_count = two.find(std::string("\x01\0\0\0\x07\0\0\0surface", 15));
    ASSERT_NE(grid_count, std::string::npos);
    two[grid_count] = 2;
    const std::size_t first = two.size();
    const auto append_text = [&](std::string_view text) {
        io::append_bytes(two, static_cast<std::uint32_t>(text.size()));
        two += text;
    };
    append_text("velocity");
    append_text("Tree_vec3s_5_4_3");
    append_text("");
    for (int i = 0; i < 3; ++i)
        io::append_bytes(two, std::int64_t{0});
    two += std::string(50, '\7');
    EXPECT_TRUE(load(two));
    EXPECT_EQ(io::read_float_grids(two, "two").left_out,
              std::vector<std::string>{"velocity (vec3s)"});
    std::size_t loaded_count = 0;
    for (std::size_t i = first; i < two.size(); ++i) {
        SCOPED_TRACE(i);
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string altered = two;
            altered[i] = static_cast<char>(static_cast<unsigned char>(altered[i]) ^ (1u << bit));
            if (bit == i * 5 % 8) {
                loaded_count += load(altered);
                continue;
            }
            try {
                const io::VdbGrids grids = io::read_float_grids(altered, "altered");
                EXPECT_EQ(grids.grids[0].bytes, io::float_grid_archive(bytes_, "one"));
            } catch (const Error&) {
            }
        }
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(loaded_count, 50u);
}

TEST_F(VdbArchive, IsRefusedWhereverItIsCut) {
    const std::string archive = io::float_grid_archive(bytes_, "whole");
    for (std::size_t size = 0; size < archive.size(); ++size)
        ASSERT_THAT(error_of([&] {
                        (void)io::float_grid_archive(std::string_view(archive).substr(0, size),
                                                     "cut");
                    }),
                    HasSubstr("cut: byte"))
            << size;
}

// Lengths of gigabytes in a file of kilobytes, at each place where there is a length.
TEST_F(VdbArchive, LengthsThatNothingBearsOutAreRefused) {
    for (std::size_t i = 0; i + 8 <= bytes_.size(); ++i) {
        // The last three are below 0: so many bytes, not compressed.
        for (const std::uint64_t length :
             {0x7fffffffULL, 0xffffffffULL, 0x7fffffffffffffffULL, 0xffffffffffffffffULL,
              0xfffffffffff0bdc0ULL, 0x8000000000000000ULL}) {
            std::string number, altered = bytes_;
            io::append_bytes(number, length);
            const std::size_t size = length > 0xffffffffULL ? 8 : 4;
            altered.replace(i, size, number.substr(0, size));
            const std::size_t before = allocated_now;
            allocated_peak = before;
            try {
                (void)io::float_grid_archive(altered, "altered");
            } catch (const Error&) {
            }
            ASSERT_LT(allocated_peak - before, 100'000u) << i;
        }
    }
}

// The cells that graze notes beside a grid are believed only where the voxels bear them out.
TEST_F(VdbArchive, NotedCellsDoNotAllocate) {
    const std::size_t at = bytes_.find("graze_cells");
    ASSERT_NE(at, std::string::npos);
    const std::size_t value = at + 11 + 4 + 5 + 4;
    const std::size_t flag = bytes_.find("graze_sparse") + 12 + 4 + 4 + 4;
    ASSERT_EQ(bytes_[flag], 1);
    for (const std::uint32_t cells : {1024u, 8192u, 0x7ffffff8u}) {
        std::string number, altered = bytes_;
        io::append_bytes(number, cells);
        for (std::size_t axis = 0; axis < 3; ++axis)
            altered.replace(value + 4 * axis, 4, number);
        for (const char is_sparse : {'\0', '\1'}) {
            altered[flag] = is_sparse;
            load(altered);
        }
    }
}

}  // namespace
}  // namespace graze
