// Recordings of bodies that deform: what is written is read, bit by bit, and what is torn, altered
// or forged is noticed.
#include "recording/recording_vertices.h"

#include <gmock/gmock.h>

#include <limits>

#include "graze/error.h"
#include "recording/recording_reader.h"
#include "recording/recording_setup.h"
#include "tests/error_of.h"
#include "tests/recording/recording_cases.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::is_recorded;
using testing::made_up_cloth_frame;
using testing::made_up_cloth_setup;
using testing::read_bytes;
using testing::record_cloth;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

TEST(RecordingVertices, AreGivenBackBitByBit) {
    const TemporaryFolder folder;
    record_cloth(folder / "run.grec", 11, 200);
    const Recording recording(folder / "run.grec");
    EXPECT_TRUE(recording.is_complete());
    ASSERT_EQ(recording.frame_count(), 200);
    EXPECT_EQ(recording.setup().bodies[4].motion, BodyMotion::cloth);
    for (std::int64_t i = 0; i < 200; ++i)
        ASSERT_TRUE(is_recorded(recording.frame(i), made_up_cloth_frame(11, i))) << "frame " << i;
    std::mt19937 any(1);
    for (int k = 0; k < 100; ++k) {
        const auto i = static_cast<std::int64_t>(any() % 200);
        ASSERT_TRUE(is_recorded(recording.frame(i), made_up_cloth_frame(11, i))) << "frame " << i;
    }
    EXPECT_EQ(read_bytes(folder / "run.grec")[8], 2) << "the version";
}

TEST(RecordingVertices, BelongToTheirBodies) {
    const RecordingSetup setup = made_up_cloth_setup(8);  // 1, 4 and 7 are cloth
    const RecordingFrame frame = made_up_cloth_frame(8, 3);
    EXPECT_TRUE(positions_of(setup, frame, 0).empty());
    EXPECT_TRUE(positions_of(setup, frame, 99).empty());
    ASSERT_EQ(positions_of(setup, frame, 1).size(), 20u);
    ASSERT_EQ(positions_of(setup, frame, 4).size(), 4u);
    EXPECT_EQ(positions_of(setup, frame, 1)[0].y, 1);
    EXPECT_EQ(positions_of(setup, frame, 4)[0], frame.positions[20]);
    EXPECT_EQ(positions_of(setup, frame, 7)[19], frame.positions.back());
    EXPECT_THAT([&] { positions_of(setup, RecordingFrame{}, 1); },
                ThrowsMessage<Error>(HasSubstr("fewer positions")));
}

TEST(RecordingVertices, AreRefusedWhereTheyAreWrong) {
    const TemporaryFolder folder;
    const auto file = folder / "run.grec";
    RecordingWriter writer(file, made_up_cloth_setup(5));
    RecordingFrame frame = made_up_cloth_frame(5, 0);
    const auto add = [&](double time) {
        return error_of([&] { writer.add(time, frame.states, frame.contacts, frame.positions); });
    };
    frame.positions.pop_back();
    EXPECT_THAT(add(0), HasSubstr("frame 0: 23 positions for 24 vertices"));
    frame = made_up_cloth_frame(5, 0);
    frame.positions[21].y = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(add(0), HasSubstr("vertex 21 of the bodies that deform"));
    frame = made_up_cloth_frame(5, 0);
    EXPECT_EQ(add(0), "");
    EXPECT_EQ(add(1), "");
    EXPECT_EQ(Recording(file).frame_count(), 2);
    RecordingWriter rigid(folder / "rigid.grec", testing::made_up_setup(2));
    frame = testing::made_up_frame(2, 0);
    EXPECT_THAT(error_of([&] {
                    rigid.add(0, frame.states, frame.contacts, std::vector<Vec3>(1, Vec3{0, 0, 0}));
                }),
                HasSubstr("1 positions for 0 vertices"));
}

TEST(RecordingVertices, AtRestCostNextToNothing) {
    const TemporaryFolder folder;
    const auto file = folder / "run.grec";
    RecordingWriter writer(file, made_up_cloth_setup(300));
    const RecordingFrame frame = made_up_cloth_frame(300, 20);
    writer.add(0, frame.states, {}, frame.positions);
    const auto before = std::filesystem::file_size(file);
    for (int i = 1; i <= 50; ++i)
        writer.add(i, frame.states, {}, frame.positions);
    EXPECT_LT(std::filesystem::file_size(file) - before, 50 * 150u);
}

// Reads all that can be read of a spoiled recording; every frame must be as it was made.
std::int64_t salvaged(std::string_view bytes, bool& is_complete) {
    is_complete = false;
    try {
        const recording::RecordingReader reader(std::make_unique<recording::MemoryRecording>(bytes),
                                                "spoiled");
        is_complete = reader.why_incomplete().empty();
        for (std::int64_t i = 0; i < reader.frame_count(); ++i)
            EXPECT_TRUE(is_recorded(reader.frame(i), made_up_cloth_frame(3, i)));
        return reader.frame_count();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("spoiled: byte "));
        return -1;
    }
}

TEST(RecordingVertices, CutOrAlteredAnywhereEveryWholeFrameIsKept) {
    const TemporaryFolder folder;
    const auto file = folder / "run.grec";
    std::vector<std::uint64_t> sizes;
    {
        RecordingWriter writer(file, made_up_cloth_setup(3));
        sizes.push_back(std::filesystem::file_size(file));
        for (std::int64_t i = 0; i < 4; ++i) {
            const RecordingFrame frame = made_up_cloth_frame(3, i);
            writer.add(frame.time, frame.states, frame.contacts, frame.positions);
            sizes.push_back(std::filesystem::file_size(file));
        }
        writer.finish();
    }
    const std::string bytes = read_bytes(file);
    const auto whole_before = [&](std::uint64_t offset) {
        std::int64_t whole = -1;
        while (whole < 4 && sizes[static_cast<std::size_t>(whole + 1)] <= offset)
            ++whole;
        return whole;
    };
    bool is_complete = false;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        ASSERT_EQ(salvaged(std::string_view(bytes).substr(0, size), is_complete),
                  whole_before(size))
            << "cut at " << size;
        ASSERT_EQ(is_complete, size == bytes.size());
    }
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 3) {
        std::string altered = bytes;
        altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << (bit % 8)));
        ASSERT_EQ(salvaged(altered, is_complete), whole_before(bit / 8)) << "bit " << bit;
        ASSERT_FALSE(is_complete);
    }
}

// Chunks with right checksums and a wrong content.
class ForgedVertices {
public:
    explicit ForgedVertices(std::uint32_t version, std::uint32_t body_count = 1)
        : bytes_(recording::file_head(version)) {
        checksum_ = io::load<std::uint32_t, std::endian::little>(bytes_.data() + 12);
        setup_.shapes = {{"sheet", testing::small_sheet()}};
        setup_.bodies.assign(body_count, {"cloth", 0, BodyMotion::cloth});
        add("SETU", recording::encode_setup(setup_));
        add("MESH", recording::encode_mesh(setup_.shapes[0].mesh));
    }
    ForgedVertices& add(std::string_view tag, std::string_view raw) {
        checksum_ = encoder_.encode(tag, raw, checksum_, bytes_);
        return *this;
    }
    ForgedVertices& add_frame(bool is_key, double time) {
        const std::vector<BodyState> states(setup_.bodies.size());
        return add(is_key ? "KEYF" : "DELT", frames_.encode(is_key, time, states, {1, {}}));
    }
    std::string vertices(bool is_key, float height) {
        std::vector<Vec3> positions = setup_.shapes[0].mesh.positions;
        for (Vec3& p : positions)
            p.z = height;
        return vertices_.encode(is_key, positions);
    }
    const std::string& bytes() const { return bytes_; }

private:
    recording::ChunkEncoder encoder_{recording::Content::text};
    RecordingSetup setup_;
    recording::FrameHistory frames_{1};
    recording::VertexHistory vertices_{{20}};
    std::string bytes_;
    std::uint32_t checksum_ = 0;
};

TEST(RecordingVertices, ForgedChunksGiveErrors) {
    struct Answer {
        std::string error, why_incomplete;
    };
    const auto read = [](const ForgedVertices& forged) {
        Answer answer{"", ""};
        try {
            const recording::RecordingReader reader(
                std::make_unique<recording::MemoryRecording>(forged.bytes()), "forged");
            answer.why_incomplete = reader.why_incomplete();
            for (std::int64_t i = 0; i < reader.frame_count(); ++i)
                reader.frame(i);
        } catch (const Error& error) {
            answer.error = error.what();
        }
        return answer;
    };
    using Forged = ForgedVertices;
    Forged right(2);
    right.add("VERT", right.vertices(true, 1)).add_frame(true, 0);
    right.add("VERT", right.vertices(false, 2)).add_frame(false, 1);
    EXPECT_EQ(read(right).error, "");
    EXPECT_THAT(read(right).why_incomplete, HasSubstr("no end mark after its 2 frames"));
    EXPECT_THAT(read(Forged(1)).error, HasSubstr("none of dynamic, fixed and kinematic"));
    EXPECT_THAT(read(Forged(2).add_frame(true, 0)).why_incomplete,
                HasSubstr("before frame 0: what is there are no vertices"));
    Forged twice(2);
    const std::string key = twice.vertices(true, 1);
    twice.add("VERT", key).add("VERT", key);
    EXPECT_THAT(read(twice).why_incomplete, HasSubstr("before frame 0: what is there is no frame"));
    EXPECT_THAT(read(Forged(2).add("VERT", key).add("ENDR", std::string(8, '\0'))).why_incomplete,
                HasSubstr("before frame 0: what is there is no frame"));
    EXPECT_THAT(read(Forged(2).add("VERT", key)).why_incomplete, HasSubstr("after its 0 frames"));
    EXPECT_THAT(read(Forged(2).add("VERT", "").add_frame(true, 0)).error,
                HasSubstr("frame 0: it ends early"));
    EXPECT_THAT(read(Forged(2).add("VERT", key.substr(0, 100)).add_frame(true, 0)).error,
                HasSubstr("frame 0: its vertices are not as many"));
    EXPECT_THAT(read(Forged(2).add("VERT", std::string(1, '\0')).add_frame(true, 0)).error,
                HasSubstr("a key frame lacks vertices"));
    std::string infinite = key;  // by the bytes of x, of which the highest come last
    infinite.replace(1, 60, 60, '\0').replace(61, 20, 20, '\xff');
    EXPECT_THAT(read(Forged(2).add("VERT", infinite).add_frame(true, 0)).error,
                HasSubstr("position that is not finite"));
    // More than fit, in a small file: a mesh that many bodies have.
    RecordingSetup many = made_up_cloth_setup(2);
    many.shapes[2].mesh.positions.assign(1 << 20, Vec3{0, 0, 0});
    many.bodies.assign(100, {"", 2, BodyMotion::cloth});
    EXPECT_THAT(error_of([&] { (void)recording::deforming_vertex_counts(many); }),
                HasSubstr("104857600 vertices together"));
}

}  // namespace
}  // namespace graze
