// Recordings: what is written is read, and what is torn, altered or forged is noticed.
#include "graze/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <limits>
#include <thread>

#include "graze/error.h"
#include "recording/recording_chunk.h"
#include "recording/recording_reader.h"
#include "tests/error_of.h"
#include "tests/oracle/case_count.h"
#include "tests/recording/recording_cases.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;
using testing::is_recorded;
using testing::made_up_frame;
using testing::made_up_setup;
using testing::read_bytes;
using testing::record_made_up;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(Recording, GivesBackWhatWasAdded) {
    const TemporaryFolder folder;
    const std::int64_t count = 300;
    record_made_up(folder / "run.grec", 40, count);
    const Recording recording(folder / "run.grec");
    EXPECT_TRUE(recording.is_complete());
    EXPECT_EQ(recording.why_incomplete(), "");
    ASSERT_EQ(recording.frame_count(), count);
    const RecordingSetup &read = recording.setup(), made = made_up_setup(40);
    EXPECT_EQ(read.scene_name, made.scene_name);
    EXPECT_EQ(read.frame_time, made.frame_time);
    ASSERT_EQ(read.shapes.size(), made.shapes.size());
    for (std::size_t i = 0; i < made.shapes.size(); ++i) {
        EXPECT_EQ(read.shapes[i].name, made.shapes[i].name);
        EXPECT_EQ(read.shapes[i].mesh.positions, made.shapes[i].mesh.positions);
        EXPECT_EQ(read.shapes[i].mesh.triangles, made.shapes[i].mesh.triangles);
    }
    ASSERT_EQ(read.bodies.size(), made.bodies.size());
    for (std::size_t i = 0; i < made.bodies.size(); ++i) {
        EXPECT_EQ(read.bodies[i].name, made.bodies[i].name);
        EXPECT_EQ(read.bodies[i].shape, made.bodies[i].shape);
        EXPECT_EQ(read.bodies[i].motion, made.bodies[i].motion);
    }
    for (std::int64_t i = 0; i < count; ++i)
        ASSERT_TRUE(is_recorded(recording.frame(i), made_up_frame(40, i))) << "frame " << i;
}

TEST(Recording, FramesInAnyOrderFromManyThreads) {
    const TemporaryFolder folder;
    record_made_up(folder / "run.grec", 12, 200);
    const Recording recording(folder / "run.grec");
    const auto look = [&](std::uint32_t seed) {
        std::mt19937 own(seed);
        for (int k = 0; k < oracle::case_count(300); ++k) {
            const auto i = static_cast<std::int64_t>(own() % 200);
            ASSERT_TRUE(is_recorded(recording.frame(i), made_up_frame(12, i))) << "frame " << i;
        }
    };
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 1; seed <= 3; ++seed)
        threads.emplace_back(look, seed);
    for (std::thread& thread : threads)
        thread.join();
    for (std::int64_t i = 199; i >= 0; --i)
        ASSERT_TRUE(is_recorded(recording.frame(i), made_up_frame(12, i))) << "frame " << i;
}

TEST(Recording, CanBeReadWhileItIsWritten) {
    const TemporaryFolder folder;
    const auto file = folder / "run.grec";
    RecordingWriter writer(file, made_up_setup(5));
    EXPECT_EQ(Recording(file).frame_count(), 0);
    for (std::int64_t i = 0; i < 150; ++i) {
        const RecordingFrame frame = made_up_frame(5, i);
        writer.add(frame.time, frame.states, frame.contacts);
        const Recording recording(file);
        EXPECT_THAT(recording.why_incomplete(), HasSubstr("still at work"));
        ASSERT_EQ(recording.frame_count(), i + 1);
        ASSERT_TRUE(is_recorded(recording.frame(i), frame));
    }
    const Recording before(file);
    writer.finish();
    writer.finish();  // once is enough
    EXPECT_FALSE(before.is_complete());
    EXPECT_TRUE(is_recorded(before.frame(77), made_up_frame(5, 77)));
    EXPECT_TRUE(Recording(file).is_complete());
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Recording, OfNothing) {
    const TemporaryFolder folder;
    RecordingWriter writer(folder / "empty.grec", {});
    writer.add(0, {}, {});
    writer.finish();
    const Recording recording(folder / "empty.grec");
    EXPECT_TRUE(recording.is_complete());
    EXPECT_EQ(recording.frame_count(), 1);
    EXPECT_TRUE(recording.frame(0).states.empty());
    EXPECT_THAT(error_of([&] { recording.frame(1); }), HasSubstr("frame 1 is not there"));
    EXPECT_THAT(error_of([&] { recording.frame(-1); }), HasSubstr("frame -1 is not there"));
}

TEST(Recording, BodiesAtRestCostNextToNothing) {
    const TemporaryFolder folder;
    const auto file = folder / "run.grec";
    RecordingWriter writer(file, made_up_setup(1000));
    const RecordingFrame frame = made_up_frame(1000, 20);
    writer.add(0, frame.states, frame.contacts);
    const auto before = std::filesystem::file_size(file);
    for (int i = 1; i <= 50; ++i)
        writer.add(i, frame.states, frame.contacts);
    EXPECT_LT(std::filesystem::file_size(file) - before, 50 * 200u);
}

TEST(Recording, RefusesWhatIsNoFrameAndGoesOn) {
    const TemporaryFolder folder;
    const auto file = folder / "run.grec";
    RecordingWriter writer(file, made_up_setup(3));
    RecordingFrame frame = made_up_frame(3, 0);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto add = [&](double time) {
        return error_of([&] { writer.add(time, frame.states, frame.contacts); });
    };
    frame.states[1].pose.translation.y = nan;
    EXPECT_THAT(add(0), AllOf(HasSubstr("run.grec: frame 0: body 1: its position")));
    frame = made_up_frame(3, 0);
    frame.states[2].pose.rotation.w += 1;
    EXPECT_THAT(add(0), HasSubstr("body 2: its rotation"));
    frame = made_up_frame(3, 0);
    frame.states[0].pose.scale = 0;
    EXPECT_THAT(add(0), HasSubstr("body 0: its scale"));
    frame = made_up_frame(3, 0);
    frame.states.pop_back();
    EXPECT_THAT(add(0), HasSubstr("2 states for 3 bodies"));
    frame = made_up_frame(3, 0);
    frame.contacts = {{0, 3, kNoFeature, kNoFeature, {0, 0, 0}, 0, {0, 0, 1}, 0}};
    EXPECT_THAT(add(0), HasSubstr("a contact names a body that is not there"));
    frame.contacts = {{0, 2, kNoFeature, kNoFeature, {0, nan, 0}, 0, {0, 0, 1}, 0}};
    EXPECT_THAT(add(0), HasSubstr("not finite"));
    frame = made_up_frame(3, 0);
    EXPECT_EQ(add(0), "");
    EXPECT_THAT(add(0), HasSubstr("above that of the frame before"));
    EXPECT_THAT(add(nan), HasSubstr("its time"));
    EXPECT_EQ(add(1), "");
    writer.finish();
    EXPECT_THAT(add(2), HasSubstr("finished"));
    EXPECT_EQ(Recording(file).frame_count(), 2);
    EXPECT_TRUE(Recording(file).is_complete());
}

// As on a full disk: the frame is lost, what was written of it is removed, and others follow.
TEST(Recording, GoesOnAfterAFailedWrite) {
    const TemporaryFolder folder;
    const auto file = folder / "run.grec";
    RecordingWriter writer(file, made_up_setup(30));
    const auto add = [&](std::int64_t i) {
        const RecordingFrame frame = made_up_frame(30, i);
        writer.add(frame.time, frame.states, frame.contacts);
    };
    add(0);
    add(1);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit limit = before;
    limit.rlim_cur = std::filesystem::file_size(file) + 100;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    const std::string message = error_of([&] { add(2); });
    const std::string again = error_of([&] { add(3); });
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, HasSubstr("run.grec: cannot write"));
    EXPECT_THAT(again, HasSubstr("run.grec: cannot write"));
    EXPECT_EQ(std::filesystem::file_size(file), limit.rlim_cur - 100);
    add(4);
    add(5);
    writer.finish();
    const Recording recording(file);
    EXPECT_TRUE(recording.is_complete());
    ASSERT_EQ(recording.frame_count(), 4);
    const std::int64_t kept[4] = {0, 1, 4, 5};
    for (std::int64_t i = 0; i < 4; ++i)
        EXPECT_TRUE(is_recorded(recording.frame(i), made_up_frame(30, kept[i]))) << "frame " << i;
}

TEST(Recording, RefusesASetupThatIsNone) {
    const TemporaryFolder folder;
    const auto message = [&](const RecordingSetup& setup) {
        return error_of([&] { const RecordingWriter writer(folder / "run.grec", setup); });
    };
    RecordingSetup setup = made_up_setup(3);
    setup.bodies[1].shape = 2;
    EXPECT_THAT(message(setup), HasSubstr("shape 2, and there are 2"));
    setup = made_up_setup(3);
    setup.frame_time = std::numeric_limits<double>::infinity();
    EXPECT_THAT(message(setup), HasSubstr("frame time"));
    setup = made_up_setup(3);
    setup.shapes[0].mesh.triangles[0].v[1] = 4;
    EXPECT_NE(message(setup), "");
    EXPECT_EQ(folder.file_count(), 0u);
    EXPECT_THAT(
        error_of([&] { const RecordingWriter writer(folder / "none/run.grec", made_up_setup(1)); }),
        HasSubstr("cannot write"));
}

TEST(Recording, RefusesOtherFiles) {
    const TemporaryFolder folder;
    const auto message = [&](const std::filesystem::path& file) {
        return error_of([&] { const Recording recording(file); });
    };
    EXPECT_THAT(message(folder / "absent.grec"), HasSubstr("absent.grec: cannot read"));
    EXPECT_THAT(message(folder.path()), HasSubstr("it is a folder"));
    write_bytes(folder / "text.grec", "v 0 0 0\n");
    EXPECT_THAT(message(folder / "text.grec"), HasSubstr("this is no recording"));
    record_made_up(folder / "run.grec", 2, 1);
    std::string bytes = read_bytes(folder / "run.grec");
    for (const char version : {0, 3}) {
        bytes[8] = version;
        write_bytes(folder / "later.grec", bytes);
        EXPECT_THAT(message(folder / "later.grec"),
                    HasSubstr("version " + std::to_string(version) +
                              " of the format; this graze reads 1 and 2"));
    }
}

// Reads all that can be read of a spoiled recording; every frame must be as it was made.
struct Salvage {
    std::int64_t frame_count = -1;  // -1: it could not be opened
    bool is_complete = false;
};
Salvage salvage(std::string_view bytes, std::uint32_t body_count) {
    Salvage result;
    try {
        const recording::RecordingReader reader(std::make_unique<recording::MemoryRecording>(bytes),
                                                "spoiled");
        result.frame_count = reader.frame_count();
        result.is_complete = reader.why_incomplete().empty();
        for (std::int64_t i = 0; i < result.frame_count; ++i)
            EXPECT_TRUE(is_recorded(reader.frame(i), made_up_frame(body_count, i)));
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("spoiled: byte "));
    }
    return result;
}

// The sizes of a recording as frames are added, the end mark last.
std::vector<std::uint64_t> sizes_of(const std::filesystem::path& file, std::uint32_t body_count,
                                    std::int64_t frame_count) {
    RecordingWriter writer(file, made_up_setup(body_count));
    std::vector<std::uint64_t> sizes = {std::filesystem::file_size(file)};
    for (std::int64_t i = 0; i < frame_count; ++i) {
        const RecordingFrame frame = made_up_frame(body_count, i);
        writer.add(frame.time, frame.states, frame.contacts);
        sizes.push_back(std::filesystem::file_size(file));
    }
    writer.finish();
    sizes.push_back(std::filesystem::file_size(file));
    return sizes;
}

TEST(Recording, CutAnywhereKeepsEveryWholeFrame) {
    const TemporaryFolder folder;
    const std::vector<std::uint64_t> sizes = sizes_of(folder / "run.grec", 3, 6);
    const std::string bytes = read_bytes(folder / "run.grec");
    ASSERT_EQ(sizes.back(), bytes.size());
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const Salvage found = salvage(std::string_view(bytes).substr(0, size), 3);
        std::int64_t whole = -1;  // frames that fit
        while (whole < 6 && sizes[static_cast<std::size_t>(whole + 1)] <= size)
            ++whole;
        ASSERT_EQ(found.frame_count, whole) << "cut at " << size;
        ASSERT_EQ(found.is_complete, size == bytes.size()) << "cut at " << size;
    }
}

TEST(Recording, OneAlteredBitAnywhereIsNoticed) {
    const TemporaryFolder folder;
    const std::vector<std::uint64_t> sizes = sizes_of(folder / "run.grec", 3, 4);
    const std::string bytes = read_bytes(folder / "run.grec");
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string altered = bytes;
        altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << (bit % 8)));
        const Salvage found = salvage(altered, 3);
        std::int64_t whole = -1;
        while (whole < 4 && sizes[static_cast<std::size_t>(whole + 1)] <= bit / 8)
            ++whole;
        ASSERT_EQ(found.frame_count, whole) << "bit " << bit;
        ASSERT_FALSE(found.is_complete) << "bit " << bit;
    }
}

TEST(Recording, ChunksThatAreMissingOrMovedAreNoticed) {
    const TemporaryFolder folder;
    const std::vector<std::uint64_t> sizes = sizes_of(folder / "run.grec", 3, 4);
    const std::string bytes = read_bytes(folder / "run.grec");
    const auto without = [&](std::size_t frame) {
        std::string left = bytes;
        left.erase(sizes[frame], sizes[frame + 1] - sizes[frame]);
        return left;
    };
    for (std::size_t frame = 0; frame < 4; ++frame) {
        EXPECT_EQ(salvage(without(frame), 3).frame_count, static_cast<std::int64_t>(frame));
    }
    write_bytes(folder / "more.grec", bytes + "x");
    EXPECT_THAT(Recording(folder / "more.grec").why_incomplete(), HasSubstr("1 bytes follow"));
    EXPECT_EQ(salvage(bytes + "x", 3).frame_count, 4);
}

// Chunks with right checksums and a wrong content.
class Forgery {
public:
    explicit Forgery(std::uint32_t version = 1) : bytes_(recording::file_head(version)) {
        for (int i = 3; i >= 0; --i)
            checksum_ = (checksum_ << 8) |
                        static_cast<unsigned char>(bytes_[12 + static_cast<std::size_t>(i)]);
    }
    Forgery& add(std::string_view tag, std::string_view raw) {
        checksum_ = encoder_.encode(tag, raw, checksum_, bytes_);
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    recording::ChunkEncoder encoder_{recording::Content::text};
    std::string bytes_;
    std::uint32_t checksum_ = 0;
};

TEST(Recording, ForgedChunksGiveErrors) {
    const TemporaryFolder folder;
    const auto file = folder / "forged.grec";
    const auto message = [&](const Forgery& forgery) {
        write_bytes(file, forgery.bytes());
        return error_of([&] {
            const Recording recording(file);
            for (std::int64_t i = 0; i < recording.frame_count(); ++i)
                recording.frame(i);
        });
    };
    EXPECT_THAT(message(Forgery()), HasSubstr("the setup: only its first bytes"));
    EXPECT_THAT(message(Forgery().add("SETU", "{")), HasSubstr("no JSON"));
    EXPECT_THAT(message(Forgery().add("SETU", "[]")), HasSubstr("scene"));
    EXPECT_THAT(message(Forgery().add("MESH", "")), HasSubstr("the setup: it is missing"));
    EXPECT_THAT(message(Forgery().add("SETU", std::string(100000, '['))), HasSubstr("no JSON"));
    const std::string setup =
        R"({"scene":"","frame_time":0.1,"shapes":[{"name":"a"}],"bodies":[{"name":"b","shape":0,)"
        R"("motion":"dynamic"}]})";
    EXPECT_THAT(message(Forgery().add("SETU", setup)), HasSubstr("a mesh: only"));
    std::string wrong = setup;
    wrong.replace(wrong.find("\"shape\":0"), 9, "\"shape\":1");
    EXPECT_THAT(message(Forgery().add("SETU", wrong)), HasSubstr("shape 1, and there are 1"));
    wrong.replace(wrong.find("\"shape\":1"), 9, "\"shape\":-1");
    EXPECT_THAT(message(Forgery().add("SETU", wrong)), HasSubstr("member shape"));
    // Four billion vertices in eight bytes.
    EXPECT_THAT(
        message(Forgery().add("SETU", setup).add("MESH", "\xff\xff\xff\xff\xff\xff\xff\xff")),
        HasSubstr("not those it holds"));
    const std::string no_mesh(8, '\0');
    const auto started = [&] {
        return std::move(Forgery().add("SETU", setup).add("MESH", no_mesh));
    };
    EXPECT_EQ(message(started()), "");
    EXPECT_THAT(message(started().add("KEYF", "")), HasSubstr("frame 0: it ends early"));
    // A pose of zeros, and one of ones, which are no numbers.
    EXPECT_THAT(message(started().add("KEYF", std::string(11, '\0'))), HasSubstr("body 0: its"));
    std::string frame(8 + 3 + 32, '\xff');
    frame.replace(0, 8, 8, '\0');
    EXPECT_THAT(message(started().add("KEYF", frame)), HasSubstr("body 0: its"));
    write_bytes(file, started().add("DELT", frame).bytes());
    EXPECT_THAT(Recording(file).why_incomplete(), HasSubstr("before frame 0: what is there is no"));
    write_bytes(file, started().add("ENDR", std::string(8, '\1')).bytes());
    EXPECT_THAT(Recording(file).why_incomplete(), HasSubstr("speaks of"));
}

TEST(Recording, SizesOfTerabytesTakeNoMemory) {
    const TemporaryFolder folder;
    record_made_up(folder / "run.grec", 2, 3);
    std::string bytes = read_bytes(folder / "run.grec");
    const std::size_t offset = bytes.find("KEYF");
    for (const std::size_t size_offset : {offset + 4, offset + 8}) {
        std::string altered = bytes;
        altered.replace(size_offset, 4, 4, '\xff');
        write_bytes(folder / "large.grec", altered);
        EXPECT_EQ(Recording(folder / "large.grec").frame_count(), 0);
    }
}

TEST(Recording, ContactsFarAwayAreKeptToTheirSize) {
    const TemporaryFolder folder;
    RecordingWriter writer(folder / "run.grec", made_up_setup(2));
    RecordingFrame frame = made_up_frame(2, 0);
    frame.contacts.clear();
    for (const float far : {1e9f, -1e29f, 1e-20f, 0.0f})
        frame.contacts.push_back(
            {0, 1, kNoFeature, kNoFeature, {far, 1, 2}, far, {0, 0, far == 0 ? 0.0f : -1.0f}, 1});
    writer.add(0, frame.states, frame.contacts);
    const RecordingFrame read = Recording(folder / "run.grec").frame(0);
    ASSERT_EQ(read.contacts.size(), frame.contacts.size());
    for (std::size_t i = 0; i < read.contacts.size(); ++i) {
        EXPECT_NEAR(read.contacts[i].position.x, frame.contacts[i].position.x, 1e29 * 0x1p-30);
        EXPECT_NEAR(read.contacts[i].distance, frame.contacts[i].distance, 1e29 * 0x1p-30);
        EXPECT_EQ(read.contacts[i].normal, frame.contacts[i].normal);
        EXPECT_EQ(read.contacts[i].time, 1);
    }
}

}  // namespace
}  // namespace graze
