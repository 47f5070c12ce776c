#include "graze/number_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "io/npy_header.h"
#include "io/tables/parse_table.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

std::string npy(const std::string& header, const std::string& content) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 255);
    bytes += static_cast<char>(header.size() >> 8);
    return bytes + header + content;
}
template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(NumberTable, ComesBackFromBothKindsOfFiles) {
    const testing::TemporaryFolder folder;
    const NumberTable table{2,
                            3,
                            {0.1f, -3e-30f, 5, std::numeric_limits<float>::max(), -0.0f, 1e-45f},
                            {"x", "y", "z"}};
    for (const char* name : {"a.npy", "a.csv", "A.NPY"}) {
        save_table(table, folder.path() / name);
        const NumberTable read = load_table(folder.path() / name);
        EXPECT_EQ(read.row_count, 2) << name;
        EXPECT_EQ(read.column_count, 3) << name;
        EXPECT_EQ(read.values, table.values) << name;
        EXPECT_TRUE(std::signbit(read.values[4])) << name;
    }
    EXPECT_THAT(load_table(folder.path() / "a.csv").column_names, ElementsAre("x", "y", "z"));
    save_table({3, 1, {1, 2, 3}, {}}, folder.path() / "column.npy");
    EXPECT_EQ(load_table(folder.path() / "column.npy").row_count, 3);
    save_table({0, 3, {}, {}}, folder.path() / "none.npy");
    EXPECT_EQ(load_table(folder.path() / "none.npy").row_count, 0);
    EXPECT_NE(error_of([&] { save_table({2, 3, {1}, {}}, folder.path() / "b.npy"); }), "");
    EXPECT_NE(error_of([&] { save_table(table, folder.path() / "b.txt"); }), "");
}

TEST(NumberTable, ReadsArraysAsNumPyWritesThem) {
    const NumberTable doubles =
        io::parse_npy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }      \n",
                          bytes_of<double>({1, 2.5, -3, 1e-50})),
                      "a.npy");
    EXPECT_THAT(doubles.values, ElementsAre(1, 2.5f, -3, 0));
    EXPECT_EQ(doubles.column_count, 2);
    const NumberTable line =
        io::parse_npy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
                          bytes_of<float>({1, 2, 3})),
                      "a.npy");
    EXPECT_EQ(line.row_count, 3);
    EXPECT_EQ(line.column_count, 1);
}

TEST(NumberTable, SaysWhatIsWrongWithAnArray) {
    const auto error = [](const std::string& header, const std::string& content) {
        return error_of([&] { io::parse_npy(npy(header, content), "a.npy"); });
    };
    const std::string four = bytes_of<float>({1, 2, 3, 4});
    EXPECT_THAT(error_of([] { io::parse_npy("x", "a.npy"); }), HasSubstr("no NumPy array"));
    EXPECT_THAT(error("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", four),
                HasSubstr("astype('float32')"));
    EXPECT_THAT(error("{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }", four),
                HasSubstr("little-endian"));
    EXPECT_THAT(error("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", four),
                HasSubstr("ascontiguousarray"));
    EXPECT_THAT(error("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", four),
                HasSubstr("16 bytes"));
    EXPECT_THAT(error("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }", four),
                HasSubstr("3 dimensions"));
    EXPECT_THAT(
        error("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", four),
        HasSubstr("shape"));
    EXPECT_THAT(error("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }", four),
                HasSubstr("rows of 0"));
    EXPECT_THAT(
        error("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387905, 4), }",
              four),
        HasSubstr("16 bytes"));
    EXPECT_THAT(error("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                      bytes_of<float>({1, std::numeric_limits<float>::quiet_NaN()})),
                HasSubstr("number 1 is not finite"));
    EXPECT_THAT(error("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
                      bytes_of<double>({1e39})),
                HasSubstr("number 0"));
}

TEST(NumberTable, ReadsTextOfMostKinds) {
    const auto read = [](const char* text) { return io::parse_csv(text, "a.csv"); };
    EXPECT_THAT(read("1,2,3\n4,5,6\n").values, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(read("\xEF\xBB\xBF# a remark\r\nx, y\r\n1; 2\r\n\r\n3\t+4e0").values,
                ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(read("x,y of it\n1 2\n").column_names, ElementsAre("x", "y of it"));
    EXPECT_THAT(read("points of a bunny\n1 2\n").column_names, ElementsAre());
    EXPECT_THAT(read("1,2\r3,4\r").values, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(read("").row_count, 0);
    EXPECT_EQ(read("x,y,z\n").row_count, 0);
}

TEST(NumberTable, SaysWhatIsWrongWithText) {
    const auto error = [](const char* text) {
        return error_of([&] { io::parse_csv(text, "a.csv"); });
    };
    EXPECT_EQ(error("1,2\n3\n"), "a.csv:2: a row of 1 numbers, where those before have 2");
    EXPECT_EQ(error("1,2\n3,apple pie\n"),
              "a.csv:2: 'apple' is no number; give numbers apart by commas");
    EXPECT_THAT(error("1,nan\n"), HasSubstr("a.csv:1: 'nan' is not finite"));
    EXPECT_THAT(error("x,y\n1,1e99\n"), HasSubstr("a.csv:2: '1e99' is not finite"));
    EXPECT_THAT(error("x\ny\n"), HasSubstr("a.csv:2: 'y' is no number"));
    EXPECT_THAT(error("1,2x\n"), HasSubstr("a.csv:1"));
}

// Whatever the bytes: a table or one clear message.
TEST(NumberTable, TakesBytesAsTheyCome) {
    std::mt19937 random(3);
    const std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n",
                                 bytes_of<float>({1, 2, 3, 4}));
    const std::string text = "x,y\n1,2\n-3.5e3,4\n";
    int read_count = 0, refused_count = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = round % 2 ? good : text;
        for (unsigned k = 0; k <= random() % 3; ++k)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
        const std::string error = error_of([&] {
            const NumberTable table =
                round % 2 ? io::parse_npy(bytes, "a") : io::parse_csv(bytes, "a");
            ASSERT_EQ(table.values.size(), static_cast<std::size_t>(table.row_count) *
                                               static_cast<std::size_t>(table.column_count));
            ++read_count;
        });
        refused_count += error.empty() ? 0 : 1;
        EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
    EXPECT_GT(read_count, 1000);
    EXPECT_GT(refused_count, 1000);
}

}  // namespace
}  // namespace graze
