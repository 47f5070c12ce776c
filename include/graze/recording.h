// A recorded run: where everything was in every frame, and where it touched
// (docs/formats/recording.md).
//
// A recording can be read while it is written and after its writer was killed: every frame that was
// added is there, and the recording says that it is not complete.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graze/simulation.h"

namespace graze {

// Everything that does not change from frame to frame.
struct RecordingSetup {
    struct ShapeEntry {
        std::string name;
        Mesh mesh;  // to look at: the shape's own, or the surface of its field
    };
    struct BodyEntry {
        std::string name;
        std::uint32_t shape = 0;                  // in shapes
        BodyMotion motion = BodyMotion::dynamic;  // cloth deforms, all others are rigid
    };
    std::string scene_name;
    double frame_time = 0;  // [s] from frame to frame
    std::vector<ShapeEntry> shapes;
    std::vector<BodyEntry> bodies;
};
// The meshes are those of the shapes, or the surfaces of their fields; of a solid without end, as a
// plane, what is around the other bodies where they start.
RecordingSetup describe_recording(const SceneDescription& scene);

struct RecordingFrame {
    double time = 0;                // [s]
    std::vector<BodyState> states;  // of all bodies, poses bit by bit; velocities are not kept
    // Features are not kept. Positions and distances are off by at most 2^-17 of the longest side
    // of the smallest body, normals by 6e-5 rad.
    std::vector<Contact> contacts;
    // [m] World: the vertices of the bodies that deform, body after body, bit by bit. The poses of
    // these bodies are those that they started with, and do not apply to them.
    std::vector<Vec3> positions{};
};
// The vertices of one body that deforms; none where the body is rigid.
std::span<const Vec3> positions_of(const RecordingSetup& setup, const RecordingFrame& frame,
                                   std::uint32_t body);

class RecordingWriter {
public:
    // Replaces what is there. Throws Error where the file cannot be written, here and below, and
    // where the setup is wrong: a body of a shape that is not there, a broken mesh.
    RecordingWriter(const std::filesystem::path& file, const RecordingSetup& setup);
    ~RecordingWriter();
    RecordingWriter(RecordingWriter&&) noexcept;
    RecordingWriter& operator=(RecordingWriter&&) noexcept;

    // The operating system has it when it returns: killing the process loses nothing. Times go up.
    // positions: as in RecordingFrame. Throws Error also where a number is not finite; the
    // recording then goes on without the frame.
    void add(double time, std::span<const BodyState> states, std::span<const Contact> contacts,
             std::span<const Vec3> positions = {});
    // The simulation as it is now; the setup is that of describe_recording() for its scene.
    void add(const Simulation& simulation);
    // Marks the recording as complete, which it is not without that, and waits for the disk.
    void finish();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

class Recording {
public:
    // Looks at all of the file as it is now; frames that are added later take another Recording.
    // Throws Error where the file is none, or broken before its first frame. Where a frame is torn
    // or altered, the recording ends before it.
    explicit Recording(const std::filesystem::path& file);
    ~Recording();
    Recording(Recording&&) noexcept;
    Recording& operator=(Recording&&) noexcept;

    const RecordingSetup& setup() const;
    std::int64_t frame_count() const;
    // In any order and from any thread; frames in a row are the fastest. Throws Error where it is
    // not there, was changed meanwhile, or was forged.
    RecordingFrame frame(std::int64_t index) const;
    // The writer finished, and all of it is there.
    bool is_complete() const;
    // In plain words, why it is not; empty where it is.
    const std::string& why_incomplete() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// glTF 2.0 in one binary file: every shape once, every body a node, the motion as an animation.
// Bodies that deform have morph targets, at most 256 and 128 MiB, which stand for frames that are
// spread evenly (docs/commands/export.md). Bodies that are not there yet have scale 0. Written
// beside and renamed.
void write_glb(const Recording& recording, const std::filesystem::path& file,
               const Progress& progress = nullptr);

// Comma-separated, with a line of names first: a row for each body that is there, or for each
// contact, in each frame (docs/commands/export.md). Written beside and renamed.
enum class RecordingTable { poses, contacts };
void write_csv(const Recording& recording, RecordingTable table, const std::filesystem::path& file,
               const Progress& progress = nullptr);

}  // namespace graze
