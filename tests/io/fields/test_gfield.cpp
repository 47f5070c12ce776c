#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "graze/field_io.h"
#include "io/fields/chunk_filter.h"
#include "io/fields/field_report_bytes.h"
#include "io/fields/gfield.h"
#include "io/fields/gfield_chunks.h"
#include "tests/error_of.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/io/string_sink.h"
#include "tests/oracle/case_count.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::make_sphere_field;
using testing::name_of;
using testing::same_bits;
using testing::SphereCase;
using ::testing::StartsWith;
using testing::StringSink;
using testing::TemporaryFolder;

std::string to_bytes(const SampledField& field, const io::GfieldExtras& extras = {},
                     int thread_count = 0) {
    CpuExecutor executor(thread_count);
    StringSink sink;
    io::write_gfield(executor, field, extras, "field", sink);
    return sink.content;
}
io::GfieldContent from_bytes(std::string_view bytes, bool verify = true) {
    CpuExecutor executor;
    io::MemorySource source(bytes);
    return io::read_gfield(executor, source, "file", verify);
}

std::string read_error(std::string_view bytes, bool verify = true) {
    return error_of([&] { from_bytes(bytes, verify); });
}

// Returns the same where only the summary is asked for.
std::string summary_error(std::string_view bytes) {
    return error_of([&] {
        io::MemorySource source(bytes);
        io::read_gfield_beginning(source, "file");
    });
}

FieldReport some_report() {
    FieldReport report;
    report.sign = FieldSign::winding;
    report.findings = {"two holes were closed", "", std::string("odd \0 bytes \xff", 13)};
    report.doubtful_sample_count = 12;
    report.doubtful_box = {{-1, 2, -3}, {4, 5.5f, 6}};
    report.sample_count = 1'000'000'000'000;
    report.brick_count = 7;
    report.memory_bytes = 123'456;
    report.error = 0.25f;
    report.seconds = 1.5;
    return report;
}
void expect_equal(const FieldReport& a, const FieldReport& b) {
    EXPECT_EQ(a.sign, b.sign);
    EXPECT_EQ(a.findings, b.findings);
    EXPECT_EQ(a.doubtful_sample_count, b.doubtful_sample_count);
    EXPECT_EQ(a.doubtful_box.min, b.doubtful_box.min);
    EXPECT_EQ(a.doubtful_box.max, b.doubtful_box.max);
    EXPECT_EQ(a.sample_count, b.sample_count);
    EXPECT_EQ(a.brick_count, b.brick_count);
    EXPECT_EQ(a.memory_bytes, b.memory_bytes);
    EXPECT_EQ(a.error, b.error);
    EXPECT_EQ(a.seconds, b.seconds);
}

TEST(Gfield, RoundTripsBitByBit) {
    for (const SphereCase& c : testing::sphere_cases()) {
        const auto field = make_sphere_field(c);
        const io::GfieldContent content =
            from_bytes(to_bytes(*field, {some_report(), {0x123456789abcdef0, 42}}));
        EXPECT_TRUE(same_bits(*content.field, *field)) << name_of(c);
        EXPECT_EQ(content.extras.key, (io::ContentKey{0x123456789abcdef0, 42}));
        ASSERT_TRUE(content.extras.report.has_value());
        expect_equal(*content.extras.report, some_report());
        EXPECT_FALSE(from_bytes(to_bytes(*field)).extras.report.has_value());
    }
}

// Each array has several chunks, the last ones shorter, of noise that does not compress.
TEST(Gfield, RoundTripsLargeFields) {
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        for (const bool is_sparse : {false, true}) {
            const FieldGrid grid{{0, 0, 0}, 1, {104, 96, 64}};
            const auto field = make_sphere_field({order, is_sparse, true, grid});
            std::mt19937 random(5);
            for (std::int64_t i = 0; i < field->values.size(); i += 3)
                field->values.data()[i] = static_cast<float>(random()) - 2e9f;
            for (std::int64_t i = 0; i < field->samples.size(); i += 3)
                field->samples.data()[i].value =
                    half_from_float(static_cast<float>(random() % 999));
            const std::string bytes = to_bytes(*field, {}, 1);
            EXPECT_TRUE(same_bits(*from_bytes(bytes).field, *field));
            EXPECT_EQ(to_bytes(*field, {}, 0), bytes) << "threads change the file";
        }
    }
}

TEST(Gfield, SavesAndLoadsFiles) {
    const TemporaryFolder folder;
    const auto path = folder / "sphere.gfield";
    const auto samples = make_sphere_field({FieldOrder::one, true});
    const FieldReport report = some_report();
    save_field(make_sampled_field(samples), path, &report);
    FieldReport again;
    EXPECT_TRUE(same_bits(*samples_of(load_field(path, &again)), *samples));
    expect_equal(again, report);

    save_field(make_sampled_field(samples), path);
    load_field(path, &again);
    EXPECT_TRUE(again.findings.empty());
    EXPECT_EQ(again.brick_count, samples->brick_count());
    EXPECT_EQ(again.sample_count, samples->samples.size());
    EXPECT_EQ(again.memory_bytes, samples->memory_bytes());
    EXPECT_EQ(again.error, samples->error);
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Gfield, SummaryTellsWhatIsInside) {
    const TemporaryFolder folder;
    const auto path = folder / "sphere.GFIELD";
    for (const SphereCase& c : testing::sphere_cases()) {
        const auto field = make_sphere_field(c);
        const FieldReport report = some_report();
        save_field(make_sampled_field(field), path, &report);
        const FieldFileSummary summary = read_field_summary(path);
        EXPECT_EQ(summary.version, 1);
        EXPECT_EQ(summary.grid, field->grid);
        EXPECT_EQ(summary.order, field->order);
        EXPECT_EQ(summary.is_sparse, field->is_sparse);
        EXPECT_EQ(summary.is_surface_inside, field->is_surface_inside);
        EXPECT_EQ(summary.has_min_max_tree, c.has_tree);
        EXPECT_EQ(summary.sample_count, field->values.size() + field->samples.size());
        EXPECT_EQ(summary.brick_count, field->brick_count());
        EXPECT_EQ(summary.band, field->band);
        EXPECT_EQ(summary.error, field->error);
        EXPECT_EQ(summary.memory_bytes, field->memory_bytes()) << name_of(c);
        EXPECT_EQ(summary.file_bytes, std::int64_t(std::filesystem::file_size(path)));
        ASSERT_TRUE(summary.report.has_value());
        expect_equal(*summary.report, report);
    }
}

// Returns files of a few thousand bytes, each of which can be changed.
std::vector<SphereCase> small_cases() {
    std::vector<SphereCase> cases = testing::sphere_cases();
    for (SphereCase& c : cases) {
        if (c.is_sparse)
            std::fill_n(c.grid.cells, 3, 8);
        else
            std::copy_n(std::array{6, 5, 4}.data(), 3, c.grid.cells);
    }
    return cases;
}

// Every beginning of a file is refused, and so is a file with more behind it.
TEST(Gfield, RefusesEveryOtherLength) {
    for (const SphereCase& c : small_cases()) {
        const std::string bytes = to_bytes(*make_sphere_field(c), {some_report(), {}});
        const std::size_t step = oracle::case_count(10) == 10 ? 1 : 37;
        for (std::size_t size = 0; size < bytes.size(); size += step) {
            // A copy of exactly this size lets the address sanitizer see reads beyond it.
            const std::vector<char> cut(bytes.begin(), bytes.begin() + std::ptrdiff_t(size));
            const std::string message = read_error({cut.data(), cut.size()});
            ASSERT_THAT(message, StartsWith("file: ")) << size;
            ASSERT_EQ(message.find('\n'), std::string::npos) << message;
            ASSERT_EQ(summary_error({cut.data(), cut.size()}), message);
            // Nor is there an end that would be taken for one without checksums.
            ASSERT_THAT(read_error({cut.data(), cut.size()}, false), StartsWith("file: ")) << size;
        }
        EXPECT_THAT(read_error(bytes + '\0'), HasSubstr("1 bytes follow"));
        EXPECT_THAT(summary_error(bytes + '\0'), HasSubstr("1 bytes follow"));
    }
}

// Every byte is changed in one bit, in all, and at random.
TEST(Gfield, RefusesEveryAlteredByte) {
    for (const SphereCase& c : small_cases()) {
        std::string bytes = to_bytes(*make_sphere_field(c), {some_report(), {3, 4}});
        std::mt19937 random(11);
        const std::size_t step = oracle::case_count(10) == 10 ? 1 : 37;
        for (std::size_t i = 0; i < bytes.size(); i += step) {
            for (const unsigned change :
                 {1u << random() % 8, 0xffu, 1 + static_cast<unsigned>(random()) % 255}) {
                bytes[i] = static_cast<char>(bytes[i] ^ change);
                ASSERT_THAT(read_error(bytes), StartsWith("file: ")) << i << " by " << change;
                ASSERT_THAT(summary_error(bytes), StartsWith("file: ")) << i << " by " << change;
                bytes[i] = static_cast<char>(bytes[i] ^ change);
            }
        }
        EXPECT_EQ(read_error(bytes), "");
        EXPECT_EQ(summary_error(bytes), "");
    }
}

// Without checksums an altered file is an Error or some other valid field, never a crash.
TEST(Gfield, SurvivesAlteredBytesWithoutChecksums) {
    for (const SphereCase& c : small_cases()) {
        const std::string bytes = to_bytes(*make_sphere_field(c), {some_report(), {}});
        std::mt19937 random(12);
        for (int round = 0; round < oracle::case_count(1000); ++round) {
            std::string altered = bytes;
            for (int change = 0; change < 1 + round % 4; ++change)
                altered[random() % altered.size()] ^= static_cast<char>(1u << random() % 8);
            try {
                const auto field = from_bytes(altered, false).field;
                to_bytes(*field);  // it is valid
            } catch (const Error& error) {
                ASSERT_THAT(error.what(), StartsWith("file: "));
            }
        }
    }
}

TEST(Gfield, SwappedChunksAreNoticed) {
    // Two chunks of a constant field are the same but for their order.
    const FieldGrid grid{{0, 0, 0}, 1, {127, 127, 31}};
    auto field = make_sphere_field({FieldOrder::zero, false, false, grid});
    std::fill_n(field->values.data(), field->values.size(), 1.0f);
    std::string bytes = to_bytes(*field);
    const auto size_at = [&](std::size_t at) {
        std::uint32_t stored;
        std::memcpy(&stored, bytes.data() + at + 8, 4);
        return std::size_t{16} + stored;
    };
    const std::size_t first = io::kGfieldHeaderBytes, size = size_at(first);
    ASSERT_EQ(size_at(first + size), size);
    ASSERT_EQ(bytes.substr(first + 8, size - 8), bytes.substr(first + size + 8, size - 8));
    for (std::size_t i = first; i < first + size; ++i)
        std::swap(bytes[i], bytes[i + size]);
    EXPECT_THAT(read_error(bytes), HasSubstr("checksum in the samples is wrong"));
}

TEST(Gfield, SaysWhatIsWrong) {
    const auto field = make_sphere_field({FieldOrder::one, true});
    const std::string bytes = to_bytes(*field);
    EXPECT_EQ(read_error(""), "file: the file is empty");
    EXPECT_EQ(read_error("ply\nformat ascii 1.0\n"), "file: byte 0: this is no .gfield file");
    std::string other = bytes;
    other[8] = 9;
    EXPECT_EQ(read_error(other), "file: byte 8: version 9 of the format; this graze reads 1 to 2");
    EXPECT_EQ(read_error(bytes.substr(0, 100)), "file: byte 100: the file ends inside its header");
    other = bytes;
    other[45] ^= 1;
    EXPECT_EQ(read_error(other),
              "file: byte 120: the header's checksum is wrong: the file was altered");
    other = bytes;
    other[bytes.size() / 2] ^= 1;
    EXPECT_THAT(read_error(other), HasSubstr("the samples is wrong: the file was altered"));
    EXPECT_THAT(read_error(bytes.substr(0, bytes.size() - 1)), HasSubstr("ends inside the tree"));
}

// A header that announces much is not believed before the file is long enough for it.
TEST(Gfield, AnnouncedSizesDoNotAllocate) {
    const auto field = make_sphere_field({FieldOrder::one, false, false});
    const std::int64_t before = host_memory().allocation_count();
    for (const bool is_sparse : {false, true}) {
        io::GfieldHeader header;
        header.layout = {{{0, 0, 0}, 1, {8000, 8000, 8000}}, FieldOrder::one, is_sparse, true, 0};
        if (is_sparse) header.layout.brick_count = 1'000'000'000;
        const std::string bytes = io::encode_header(header) + std::string(1000, 'x');
        EXPECT_THAT(read_error(bytes), HasSubstr("the file ends early"));
    }
    EXPECT_EQ(host_memory().allocation_count(), before);
}

// Chunks of zeros compress to next to nothing: 60 KB could stand for a gigabyte.
TEST(Gfield, ASmallFileIsNoLargeField) {
    const std::int64_t before = host_memory().allocation_count();
    io::GfieldHeader header;
    header.layout = {{{0, 0, 0}, 1, {640, 640, 640}}, FieldOrder::zero, false, false, 0};
    const std::string bytes = io::encode_header(header) + std::string(60000, '\0');
    EXPECT_THAT(read_error(bytes), HasSubstr("the file ends early"));
    EXPECT_EQ(host_memory().allocation_count(), before);
}

// Fields that compress to next to nothing are read again all the same.
TEST(Gfield, LargeSmoothFieldsRoundTrip) {
    const Field plane = Field::plane({1, 0, 0}, 0), ball = Field::sphere({0.1f, 0, 0}, 0.7f);
    const auto nothing = [](const Vec3&) { return FieldValue{1, {0, 0, 0}}; };
    const FieldGrid dense{{-1, -1, -1}, 2.0f / 256, {256, 256, 256}};
    const FieldGrid fine{{-1, -1, -1}, 2.0f / 1024, {1024, 1024, 1024}};
    const FieldOrder zero = FieldOrder::zero, one = FieldOrder::one;
    const std::vector<Field> fields{
        sample_field(nothing, dense, {.order = zero}), sample_field(plane, dense, {.order = zero}),
        sample_field(plane, dense, {.order = one}), sample_field(ball, dense, {.order = one}),
        sample_field(plane, fine, {.order = zero, .sparse = true, .band = 1}),
        // All of the coarse level, and no brick.
        sample_field(nothing, fine, {.order = zero, .sparse = true, .band = 1})};
    for (const Field& field : fields) {
        const SampledField& samples = *samples_of(field);
        const std::string bytes = to_bytes(samples);
        SCOPED_TRACE(bytes.size());
        EXPECT_GE(bytes.size() * io::kGfieldMostRatio + io::kGfieldFreeBytes,
                  static_cast<std::uint64_t>(samples.memory_bytes()) / 2);
        EXPECT_EQ(read_error(bytes), "");
        EXPECT_TRUE(same_bits(*from_bytes(bytes).field, samples));
    }
}

TEST(Gfield, RefusesHeadersThatNoFieldHas) {
    io::GfieldHeader good;
    good.layout = {{{0, 0, 0}, 1, {8, 16, 24}}, FieldOrder::zero, true, true, 2};
    const auto fault = [](io::GfieldHeader header) {
        const std::string bytes = io::encode_header(header);
        return error_of([&] { io::decode_header(bytes, "file"); });
    };
    EXPECT_EQ(fault(good), "");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    io::GfieldHeader h = good;
    h.layout.grid.cells[1] = 0;
    EXPECT_THAT(fault(h), HasSubstr("the grid has 0 cells"));
    h.layout.grid.cells[1] = -8;
    EXPECT_THAT(fault(h), HasSubstr("the grid has -8 cells"));
    h.layout.grid.cells[1] = 12;
    EXPECT_THAT(fault(h), HasSubstr("no multiple of 8"));
    h = good;
    for (std::int32_t& cells : h.layout.grid.cells)
        cells = 1 << 24;
    EXPECT_THAT(fault(h), HasSubstr("more than 2^31 blocks"));
    h.layout.grid.cells[0] = std::numeric_limits<std::int32_t>::max();
    EXPECT_THAT(fault(h), HasSubstr("cells along an axis"));
    for (const float bad : {0.0f, -1.0f, nan, inf}) {
        h = good;
        h.layout.grid.spacing = bad;
        EXPECT_THAT(fault(h), HasSubstr("not finite or not positive"));
    }
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{7}}) {
        h = good;
        h.layout.brick_count = bad;
        EXPECT_THAT(fault(h), HasSubstr("bricks in a grid of 6 blocks"));
    }
    h = good;
    h.layout.is_sparse = false;
    EXPECT_THAT(fault(h), HasSubstr("2 bricks in a grid of 0"));
    h = good;
    h.band = nan;
    EXPECT_THAT(fault(h), HasSubstr("the band is no distance"));
    h = good;
    h.error = -1;
    EXPECT_THAT(fault(h), HasSubstr("the error is no distance"));
    h = good;
    h.seam = 0.25f;
    EXPECT_EQ(fault(h), "");
    h.seam = inf;
    EXPECT_THAT(fault(h), HasSubstr("the seam is no distance"));
    // A seam belongs to version 2, whose number is at byte 8, and to no other.
    const auto with_version = [](io::GfieldHeader header, char version) {
        std::string bytes = io::encode_header(header);
        bytes[8] = version;
        return error_of([&] { io::decode_header(bytes, "file", /*verify_hash=*/false); });
    };
    EXPECT_THAT(with_version(good, 2), HasSubstr("the seam is no distance"));
    h.seam = 0.25f;
    EXPECT_EQ(with_version(h, 2), "");
    EXPECT_THAT(with_version(h, 1), HasSubstr("a reserved byte is not zero"));
    h = good;
    h.report_bytes = io::kGfieldMaxReportBytes + 1;
    EXPECT_THAT(fault(h), HasSubstr("a report of 1048577 bytes"));
}

// What is refused when it is written would be refused when it is read, too.
TEST(Gfield, RefusesToWriteWhatIsNotAField) {
    const auto fault = [](const SphereCase& c, const auto& spoil) {
        const auto field = make_sphere_field(c);
        spoil(*field);
        return error_of([&] { to_bytes(*field); });
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(fault({}, [&](SampledField& f) { f.values.data()[17] = nan; }),
                HasSubstr("value 17 is not finite"));
    EXPECT_THAT(fault({FieldOrder::one},
                      [](SampledField& f) { f.samples.data()[3].slope[1].bits = 0x7c00; }),
                HasSubstr("sample 3 is not finite"));
    EXPECT_THAT(fault({}, [](SampledField& f) { f.values.resize(9); }),
                HasSubstr("there are 9 values where the grid asks for"));
    EXPECT_THAT(fault({}, [](SampledField& f) { f.errors.data()[1] = f.error * 2; }),
                HasSubstr("error 1 is negative"));
    EXPECT_THAT(
        fault({}, [](SampledField& f) { f.tree.nodes.data()[2].min = half_from_float(99); }),
        HasSubstr("tree node 2 has no order"));
    const SphereCase sparse{FieldOrder::zero, true};
    EXPECT_THAT(fault(sparse, [&](SampledField& f) { f.coarse.data()[5] = nan; }),
                HasSubstr("coarse value 5 is not finite"));
    EXPECT_THAT(fault(sparse,
                      [](SampledField& f) {
                          std::swap(f.block_of_brick.data()[0], f.block_of_brick.data()[1]);
                      }),
                HasSubstr("is not where the table of blocks says"));
    EXPECT_THAT(fault(sparse, [](SampledField& f) { f.block_of_brick.data()[0] = 1 << 30; }),
                HasSubstr("brick 0 is not where"));
    FieldGrid wide{{0, 0, 0}, 1, {64, 64, 64}};
    EXPECT_THAT(fault({FieldOrder::zero, true, true, wide},
                      [](SampledField& f) { f.brick_of_block.data()[0] = 3; }),
                HasSubstr("names a brick that is not there"));
}

// Returns the file of a sparse field of order 0, whatever is in it, with checksums that are right.
std::string forge(const SampledField& field) {
    CpuExecutor executor;
    StringSink sink;
    io::GfieldHeader header;
    header.layout = io::layout_of(field);
    header.error = field.error;
    sink.write(io::encode_header(header));
    io::ChunkWriter writer(executor, sink, header.hash);
    const auto sections = io::sections_of(header);
    const auto write = [&](int section, const auto& buffer) {
        writer.write(sections[static_cast<std::size_t>(section)],
                     reinterpret_cast<const char*>(buffer.data()));
    };
    write(io::kBrickSection, field.block_of_brick);
    write(io::kCoarseSection, field.coarse);
    write(io::kSampleSection, field.values);
    write(io::kErrorSection, field.errors);
    write(io::kTreeSection, field.tree.nodes);
    return sink.content;
}

TEST(Gfield, RefusesForgedContent) {
    const auto fault = [](const auto& spoil) {
        const auto field = make_sphere_field({FieldOrder::zero, true});
        spoil(*field);
        return read_error(forge(*field));
    };
    EXPECT_EQ(fault([](SampledField&) {}), "");
    EXPECT_THAT(fault([](SampledField& f) { f.block_of_brick.data()[1] = 0; }),
                HasSubstr("brick 1 is in block 0, which is not in the grid or out of order"));
    EXPECT_THAT(fault([](SampledField& f) { f.block_of_brick.data()[0] = -1; }),
                HasSubstr("brick 0 is in block -1"));
    EXPECT_THAT(
        fault([](SampledField& f) { f.block_of_brick.data()[f.brick_count() - 1] = 1 << 30; }),
        HasSubstr("is in block 1073741824"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(fault([&](SampledField& f) { f.values.data()[5] = nan; }),
                HasSubstr("file: value 5 is not finite"));
    EXPECT_THAT(fault([&](SampledField& f) { f.errors.data()[0] = nan; }),
                HasSubstr("file: error 0 is negative"));
}

TEST(Gfield, RefusesForgedReports) {
    const auto field = make_sphere_field({});
    FieldReport report = some_report();
    report.sample_count = -5;
    EXPECT_THAT(read_error(to_bytes(*field, {report, {}})),
                HasSubstr("file: the report: byte 40: a negative number of samples"));
    report = some_report();
    report.seconds = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(read_error(to_bytes(*field, {report, {}})), HasSubstr("the time is not a number"));
    report = some_report();
    report.sign = static_cast<FieldSign>(17);
    EXPECT_THAT(read_error(to_bytes(*field, {report, {}})), HasSubstr("number 17"));
}

TEST(FieldReportBytes, LeavesOutWhatDoesNotFit) {
    FieldReport report = some_report();
    report.findings.assign(100, std::string(1000, 'x'));
    const std::string bytes = io::encode_report(report, 5000);
    EXPECT_LE(bytes.size(), 5000u);
    EXPECT_EQ(io::decode_report(bytes, "file").findings.size(), 4u);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THROW(io::decode_report(bytes.substr(0, size), "file"), Error);
    EXPECT_THROW(io::decode_report(bytes + "x", "file"), Error);
}

TEST(ChunkFilter, IsReversible) {
    std::mt19937 random(3);
    for (const io::ChunkLayout layout :
         {io::ChunkLayout{1, 1, 0}, {4, 1, 0}, {4, 1, 5}, {2, 4, 0}, {2, 4, 7}, {2, 2, 0}}) {
        for (const std::int64_t count : {1, 2, 4, 5, 6, 7, 8, 63, 1000}) {
            std::string from(static_cast<std::size_t>(count * layout.element_bytes()), '\0');
            for (char& c : from)
                c = static_cast<char>(random());
            std::string filtered = from, again = from;
            std::vector<std::uint32_t> scratch(from.size() / 4 + 1);
            char* between = reinterpret_cast<char*>(scratch.data());
            filter_chunk(layout, from.data(), between, filtered.data(), count);
            unfilter_chunk(layout, filtered.data(), between, again.data(), count);
            EXPECT_EQ(again, from);
        }
    }
}

// The result is known by hand, as docs/formats/gfield.md says: 10, 12, 9 become 10, 2, -3, folded
// to 20, 4, 5.
TEST(ChunkFilter, DoesWhatItsDescriptionSays) {
    const std::uint32_t from[3] = {10, 12, 9};
    std::uint32_t scratch[3];
    char to[12];
    io::filter_chunk({4, 1, 0}, reinterpret_cast<const char*>(from),
                     reinterpret_cast<char*>(scratch), to, 3);
    EXPECT_THAT(to, ::testing::ElementsAre(20, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(FieldIo, NamesWhatItCannotDo) {
    const TemporaryFolder folder;
    EXPECT_THAT(error_of([] { load_field("x.obj"); }),
                HasSubstr("x.obj: unknown field format '.obj'; the extensions are .gfield"));
    EXPECT_THAT(error_of([] { load_field("x.npy"); }), HasSubstr(".npy is written only"));
    EXPECT_THAT(error_of([&] { load_field(folder / "missing.gfield"); }),
                HasSubstr("No such file"));
    EXPECT_THAT(error_of([&] { save_field(Field::sphere({0, 0, 0}, 1), folder / "x.gfield"); }),
                HasSubstr("not sampled"));
    EXPECT_THAT(error_of([&] { read_field_summary("x.vdb"); }), HasSubstr("only .gfield"));
    auto field = make_sphere_field({});
    field->values.data()[0] = std::numeric_limits<float>::infinity();
    testing::write_bytes(folder / "old.gfield", "what was there before");
    EXPECT_THAT(error_of([&] { save_field(make_sampled_field(field), folder / "old.gfield"); }),
                HasSubstr("old.gfield: cannot write: value 0 is not finite"));
    EXPECT_EQ(testing::read_bytes(folder / "old.gfield"), "what was there before");
    EXPECT_EQ(folder.file_count(), 1u);
}

}  // namespace
}  // namespace graze
