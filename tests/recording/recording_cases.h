// A made-up run for tests of recordings: bodies that fly, rest, sleep, appear late and touch.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "graze/recording.h"

namespace graze::testing {

// In [-1, 1), the same on every machine.
inline float any_number(std::mt19937& bits) {
    return static_cast<float>(static_cast<std::int32_t>(bits())) * 0x1p-31f;
}

inline Mesh tetrahedron(float size) {
    return {{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}},
            {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}}};
}

inline RecordingSetup made_up_setup(std::uint32_t body_count) {
    RecordingSetup setup;
    setup.scene_name = "made up";
    setup.frame_time = 1.0 / 60;
    setup.shapes = {{"small", tetrahedron(0.25f)}, {"large \"one\"", tetrahedron(2)}};
    for (std::uint32_t i = 0; i < body_count; ++i)
        setup.bodies.push_back(
            {"body " + std::to_string(i), i % 2, i == 0 ? BodyMotion::fixed : BodyMotion::dynamic});
    return setup;
}

// Frame `index` of a run without end; any frame can be asked for by itself. Body 0 never moves; of
// the others every third rests most of the time, and body 1 appears in frame 5.
inline RecordingFrame made_up_frame(std::uint32_t body_count, std::int64_t index) {
    RecordingFrame frame;
    frame.time = static_cast<double>(index) / 60;
    for (std::uint32_t i = 0; i < body_count; ++i) {
        std::mt19937 own(i + 1);
        const bool rests = i % 3 == 2 && index % 100 > 10;
        const auto t = static_cast<float>(i == 0 ? 0 : rests ? index / 100 * 100 + 10 : index) / 60;
        BodyState state;
        const Vec3 start{any_number(own), any_number(own), any_number(own)};
        const Vec3 speed{any_number(own), any_number(own), any_number(own)};
        state.pose.translation = start + speed * t + Vec3{0, 0, -0.1f * t * t};
        state.pose.rotation =
            normalized(Quat{std::cos(t), std::sin(t) * speed.x, speed.y, speed.z});
        state.pose.scale = i % 4 == 3 ? 0.5f : 1.0f;
        state.is_present = i != 1 || index >= 5;
        state.is_asleep = rests;
        frame.states.push_back(state);
    }
    if (body_count < 2) return frame;
    // The same contacts for three frames, none now and then.
    std::mt19937 own(static_cast<std::uint32_t>(index / 3));
    for (int k = static_cast<int>(own() % 20); k > 0; --k) {
        const std::uint32_t a = own() % (body_count - 1);
        const std::uint32_t b = a + 1 + own() % (body_count - 1 - a);
        const Vec3 position = Vec3{any_number(own), any_number(own), any_number(own)} * 10.0f;
        const Vec3 normal = normalized(Vec3{any_number(own), any_number(own), any_number(own)});
        frame.contacts.push_back(
            {a, b, kNoFeature, kNoFeature, position, 0.01f * any_number(own), normal, 0});
    }
    return frame;
}

// A sheet of 5 x 4 vertices.
inline Mesh small_sheet() {
    Mesh mesh;
    for (std::uint32_t i = 0; i < 20; ++i) {
        const std::uint32_t column = i % 5, row = i / 5;
        mesh.positions.push_back(
            {0.1f * static_cast<float>(column), 0.1f * static_cast<float>(row), 0});
    }
    for (std::uint32_t i = 0; i < 14; ++i) {
        if (i % 5 == 4) continue;
        mesh.triangles.push_back({{i, i + 1, i + 6}});
        mesh.triangles.push_back({{i, i + 6, i + 5}});
    }
    return mesh;
}

// The same with bodies 1, 4, 7, ... of cloth; 4 has another mesh and rests most of the time.
inline RecordingSetup made_up_cloth_setup(std::uint32_t body_count) {
    RecordingSetup setup = made_up_setup(body_count);
    setup.shapes.push_back({"sheet", small_sheet()});
    for (std::uint32_t i = 1; i < body_count; i += 3) {
        setup.bodies[i].motion = BodyMotion::cloth;
        if (i != 4) setup.bodies[i].shape = 2;
    }
    return setup;
}

inline RecordingFrame made_up_cloth_frame(std::uint32_t body_count, std::int64_t index) {
    RecordingFrame frame = made_up_frame(body_count, index);
    const RecordingSetup setup = made_up_cloth_setup(body_count);
    for (std::uint32_t i = 1; i < body_count; i += 3) {
        const auto t = static_cast<float>(i == 4 ? index / 30 : index) / 60;
        for (const Vec3& p : setup.shapes[setup.bodies[i].shape].mesh.positions) {
            const float wave = std::sin(5 * p.x + 3 * t) * std::cos(4 * p.y);
            frame.positions.push_back(p +
                                      Vec3{0.1f * t, static_cast<float>(i), 0.3f * wave - t * t});
        }
    }
    return frame;
}

// Frames 0 to frame_count - 1, with the vertices of cloth where the setup has cloth.
inline void record_cloth(const std::filesystem::path& file, std::uint32_t body_count,
                         std::int64_t frame_count) {
    RecordingWriter writer(file, made_up_cloth_setup(body_count));
    for (std::int64_t i = 0; i < frame_count; ++i) {
        const RecordingFrame frame = made_up_cloth_frame(body_count, i);
        writer.add(frame.time, frame.states, frame.contacts, frame.positions);
    }
    writer.finish();
}

// Frames 0 to frame_count - 1 of the rigid run.
inline void record_made_up(const std::filesystem::path& file, std::uint32_t body_count,
                           std::int64_t frame_count, bool finishes = true) {
    RecordingWriter writer(file, made_up_setup(body_count));
    for (std::int64_t i = 0; i < frame_count; ++i) {
        const RecordingFrame frame = made_up_frame(body_count, i);
        writer.add(frame.time, frame.states, frame.contacts);
    }
    if (finishes) writer.finish();
}

// Bit by bit, but for contacts, which are the same up to the bounds of docs/formats/recording.md: a
// step of 2^-16 of a quarter of a metre, halved by scale.
inline bool is_recorded(const RecordingFrame& read, const RecordingFrame& made) {
    if (read.time != made.time || read.states.size() != made.states.size() ||
        read.contacts.size() != made.contacts.size() ||
        read.positions.size() != made.positions.size())
        return false;
    for (std::size_t i = 0; i < made.positions.size(); ++i) {
        using Bits = std::array<std::uint32_t, 3>;
        if (std::bit_cast<Bits>(read.positions[i]) != std::bit_cast<Bits>(made.positions[i]))
            return false;
    }
    for (std::size_t i = 0; i < made.states.size(); ++i) {
        const BodyState &a = read.states[i], &b = made.states[i];
        const auto bits = [](const Transform& pose) {
            return std::bit_cast<std::array<std::uint32_t, 8>>(pose);
        };
        if (bits(a.pose) != bits(b.pose) || a.is_present != b.is_present ||
            a.is_asleep != b.is_asleep)
            return false;
    }
    constexpr float kStep = 0.25f / 65536;
    for (std::size_t i = 0; i < made.contacts.size(); ++i) {
        const Contact &a = read.contacts[i], &b = made.contacts[i];
        const Vec3 off = a.position - b.position;
        if (a.body_a != b.body_a || a.body_b != b.body_b ||
            !(std::fabs(off.x) <= kStep / 2 + 1e-6f) || !(std::fabs(off.y) <= kStep / 2 + 1e-6f) ||
            !(std::fabs(off.z) <= kStep / 2 + 1e-6f) ||
            !(std::fabs(a.distance - b.distance) <= kStep / 2 + 1e-6f) ||
            !(length(a.normal - b.normal) < 7e-5f))
            return false;
    }
    return true;
}

}  // namespace graze::testing
