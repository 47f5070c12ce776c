// Writes and reads recordings of a real run: 400 boxes and capsules fall into a tray and heap up,
// by Bullet alone, in 600 frames at 60 Hz, with Bullet's contacts. There are two runs: in one all
// bodies keep moving a little until the end, in the other they fall asleep.
//
// The counters are the file's bytes for each body and frame without contacts, and its bytes for
// each contact. MB/s are of poses and contacts in memory (BodyState's pose has 32 bytes, Contact
// 48). The sizes by zstd are of the same raw frames. Rates are by CPU time.
#include <benchmark/benchmark.h>
#include <btBulletDynamicsCommon.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <random>

#include "graze/recording.h"
#include "recording/recording_chunk.h"
#include "recording/recording_frame.h"

namespace {

namespace fs = std::filesystem;
using graze::RecordingFrame;

constexpr std::uint32_t kBodies = 400;
constexpr int kFrames = 600;

class Tray {
public:
    explicit Tray(bool sleeps) {
        world_.setGravity({0, 0, -9.81f});
        add(box_floor_, {0, 0, -0.5f}, 0);
        for (int side = 0; side < 4; ++side) {
            const float angle = static_cast<float>(side) * std::numbers::pi_v<float> / 2;
            add(side % 2 == 0 ? wall_x_ : wall_y_, {6 * std::cos(angle), 6 * std::sin(angle), 3},
                0);
        }
        first_ = bodies_.size();
        std::mt19937 bits(1);
        const auto any = [&] { return static_cast<float>(bits() >> 8) * 0x1p-24f; };
        for (std::uint32_t i = 0; i < kBodies; ++i) {
            const std::uint32_t layer = i / 100;
            const btVector3 axis(any() - 0.5f, any() - 0.5f, any() + 0.01f);
            const btVector3 position(static_cast<float>(i % 10) - 4.5f + 0.3f * any(),
                                     static_cast<float>(i / 10 % 10) - 4.5f + 0.3f * any(),
                                     1 + static_cast<float>(layer) * 1.2f);
            btRigidBody& body = add(i % 2 == 0 ? static_cast<btCollisionShape&>(box_) : capsule_,
                                    position, 10, btQuaternion(axis, 6 * any()));
            body.setDamping(0, 0.05f);
            if (sleeps)
                body.setSleepingThresholds(3, 3);
            else
                body.setActivationState(DISABLE_DEACTIVATION);
        }
    }

    RecordingFrame step(int index) {
        world_.stepSimulation(1.0f / 60, 1, 1.0f / 60);
        RecordingFrame frame;
        frame.time = index / 60.0;
        for (std::size_t i = first_; i < bodies_.size(); ++i) {
            const btTransform& pose = bodies_[i]->getWorldTransform();
            const btVector3& t = pose.getOrigin();
            const btQuaternion q = pose.getRotation();
            graze::BodyState state;
            state.pose = {{t.x(), t.y(), t.z()}, {q.w(), q.x(), q.y(), q.z()}, 1};
            state.is_present = true;
            state.is_asleep = !bodies_[i]->isActive();
            frame.states.push_back(state);
        }
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
            add_contacts(*dispatcher_.getManifoldByIndexInternal(i), frame);
        return frame;
    }

private:
    btRigidBody& add(btCollisionShape& shape, const btVector3& position, float mass,
                     const btQuaternion& turn = btQuaternion::getIdentity()) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape.calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo start(mass, nullptr, &shape, inertia);
        start.m_startWorldTransform = btTransform(turn, position);
        bodies_.push_back(std::make_unique<btRigidBody>(start));
        bodies_.back()->setUserIndex(static_cast<int>(bodies_.size()) - 1 - 5);
        world_.addRigidBody(bodies_.back().get());
        return *bodies_.back();
    }
    // Adds the contacts between bodies of the recording.
    static void add_contacts(const btPersistentManifold& manifold, RecordingFrame& frame) {
        const int a = manifold.getBody0()->getUserIndex(), b = manifold.getBody1()->getUserIndex();
        if (a < 0 || b < 0) return;
        for (int i = 0; i < manifold.getNumContacts(); ++i) {
            const btManifoldPoint& point = manifold.getContactPoint(i);
            const btVector3& p = point.getPositionWorldOnB();
            const btVector3& n = point.m_normalWorldOnB;
            frame.contacts.push_back({static_cast<std::uint32_t>(std::min(a, b)),
                                      static_cast<std::uint32_t>(std::max(a, b)), graze::kNoFeature,
                                      graze::kNoFeature, graze::Vec3{p.x(), p.y(), p.z()},
                                      point.getDistance(), graze::Vec3{n.x(), n.y(), n.z()}, 0});
        }
    }

    btBoxShape box_floor_{{6, 6, 0.5f}}, wall_x_{{0.2f, 6, 3}}, wall_y_{{6, 0.2f, 3}};
    btBoxShape box_{{0.25f, 0.35f, 0.2f}};
    btCapsuleShape capsule_{0.2f, 0.5f};
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::size_t first_ = 0;  // the first body that is recorded
};

struct Run {
    graze::RecordingSetup setup;
    std::vector<RecordingFrame> frames;
    double contact_count = 0;
    double asleep_fraction = 0;
};

const Run& run(bool sleeps) {
    static const auto make = [](bool with_sleep) {
        Run result;
        result.setup.frame_time = 1.0 / 60;
        result.setup.shapes = {{"part", {{{0, 0, 0}, {0.7f, 0, 0}, {0, 0.5f, 0}}, {{{0, 1, 2}}}}}};
        for (std::uint32_t i = 0; i < kBodies; ++i)
            result.setup.bodies.push_back({"body", 0, graze::BodyMotion::dynamic});
        const auto tray = std::make_unique<Tray>(with_sleep);
        for (int i = 0; i < kFrames; ++i) {
            result.frames.push_back(tray->step(i));
            result.contact_count += static_cast<double>(result.frames.back().contacts.size());
            for (const graze::BodyState& state : result.frames.back().states)
                result.asleep_fraction += state.is_asleep ? 1.0 / kBodies / kFrames : 0;
        }
        return result;
    };
    static const Run runs[2] = {make(false), make(true)};
    return runs[sleeps ? 1 : 0];
}

double memory_bytes(const Run& from, bool with_contacts) {
    return 32.0 * kBodies * kFrames + (with_contacts ? 48 * from.contact_count : 0);
}

fs::path temporary_file() {
    return fs::temp_directory_path() / "bench_recording.grec";
}

void record(const Run& from, bool with_contacts) {
    graze::RecordingWriter writer(temporary_file(), from.setup);
    for (const RecordingFrame& frame : from.frames)
        writer.add(frame.time, frame.states,
                   with_contacts ? std::span(frame.contacts) : std::span<const graze::Contact>());
    writer.finish();
}

void report(benchmark::State& state, const Run& from, bool with_contacts) {
    state.counters["MB/s"] = benchmark::Counter(memory_bytes(from, with_contacts) / 1e6,
                                                benchmark::Counter::kIsIterationInvariantRate);
    state.counters["us/frame"] = benchmark::Counter(
        kFrames / 1e6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.SetLabel(std::to_string(static_cast<int>(100 * from.asleep_fraction)) + "% asleep, " +
                   std::to_string(static_cast<int>(from.contact_count / kFrames)) +
                   " contacts a frame");
}

void add_frames(benchmark::State& state) {
    const Run& from = run(state.range(0) != 0);
    const bool with_contacts = state.range(1) != 0;
    for (auto _ : state)
        record(from, with_contacts);
    const auto bytes = static_cast<double>(fs::file_size(temporary_file()));
    state.counters["file MB"] = bytes / 1e6;
    if (with_contacts) {
        record(from, false);
        const double poses = static_cast<double>(fs::file_size(temporary_file()));
        state.counters["B/contact"] = (bytes - poses) / from.contact_count;
    } else {
        state.counters["B/body"] = bytes / kBodies / kFrames;
    }
    report(state, from, with_contacts);
    fs::remove(temporary_file());
}

// Reads frames from the first to the last, or at random.
void read_frames(benchmark::State& state) {
    const Run& from = run(false);
    record(from, true);
    const bool by_chance = state.range(0) != 0;
    std::mt19937 bits(1);
    for (auto _ : state) {
        const graze::Recording recording(temporary_file());
        for (std::int64_t i = 0; i < kFrames; ++i)
            benchmark::DoNotOptimize(recording.frame(by_chance ? bits() % kFrames : i));
    }
    report(state, from, true);
    fs::remove(temporary_file());
}

void open(benchmark::State& state) {
    const Run& from = run(false);
    record(from, true);
    for (auto _ : state)
        benchmark::DoNotOptimize(graze::Recording(temporary_file()).frame_count());
    report(state, from, true);
    fs::remove(temporary_file());
}

void export_glb(benchmark::State& state) {
    const Run& from = run(state.range(0) != 0);
    record(from, false);
    const graze::Recording recording(temporary_file());
    const fs::path output = fs::temp_directory_path() / "bench_recording.glb";
    for (auto _ : state)
        graze::write_glb(recording, output);
    state.counters["file MB"] = static_cast<double>(fs::file_size(output)) / 1e6;
    report(state, from, false);
    fs::remove(output);
    fs::remove(temporary_file());
}

// Compresses the same raw frames by either library: level 0 is deflate as in recordings, others are
// zstd's.
void compress(benchmark::State& state) {
    const Run& from = run(false);
    graze::recording::FrameHistory history(kBodies);
    std::vector<std::string> raw;
    for (int i = 0; i < kFrames; ++i) {
        const RecordingFrame& frame = from.frames[static_cast<std::size_t>(i)];
        raw.push_back(history.encode(i % 64 == 0, frame.time, frame.states,
                                     graze::recording::encode_contacts(frame.contacts, 0x1p-17f)));
    }
    const int level = static_cast<int>(state.range(0));
    graze::recording::ChunkEncoder deflate(graze::recording::Content::columns);
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd(ZSTD_createCCtx(),
                                                                    ZSTD_freeCCtx);
    std::string room;
    double stored = 0;
    for (auto _ : state) {
        stored = 0;
        for (const std::string& frame : raw) {
            if (level == 0) {
                room.clear();
                deflate.encode("DELT", frame, 0, room);
                stored += static_cast<double>(room.size());
            } else {
                room.resize(ZSTD_compressBound(frame.size()));
                stored +=
                    16 + static_cast<double>(ZSTD_compressCCtx(zstd.get(), room.data(), room.size(),
                                                               frame.data(), frame.size(), level));
            }
        }
    }
    state.counters["file MB"] = stored / 1e6;
    report(state, from, true);
}

const auto kUnit = benchmark::kMillisecond;
BENCHMARK(add_frames)
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->ArgNames({"sleep", "contacts"})
    ->Unit(kUnit)
    ->MeasureProcessCPUTime();
BENCHMARK(open)->Unit(kUnit)->MeasureProcessCPUTime();
BENCHMARK(read_frames)->Arg(0)->Arg(1)->ArgName("by_chance")->Unit(kUnit)->MeasureProcessCPUTime();
BENCHMARK(export_glb)->Arg(0)->Arg(1)->ArgName("sleep")->Unit(kUnit)->MeasureProcessCPUTime();
BENCHMARK(compress)->Arg(0)->Arg(1)->Arg(3)->ArgName("zstd")->Unit(kUnit)->MeasureProcessCPUTime();

}  // namespace

BENCHMARK_MAIN();
