// PoseFile: poses of a few runs of successive steps of a simulation, with the meshes of its bodies,
// in a file, so that a benchmark detects what the simulation had without simulating.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "graze/error.h"
#include "graze/scene.h"
#include "graze/write_file.h"

namespace graze {

// Successive steps, the poses of all bodies in each.
struct PoseRun {
    std::string name;
    std::uint32_t first_step = 0;
    std::vector<std::vector<Transform>> steps;
};

struct PoseFile {
    // A body of the file. Those that have not come yet are far away, each by itself.
    struct Member {
        std::uint32_t mesh;  // index
        std::uint32_t is_static;
    };

    std::string scene;
    std::vector<Mesh> meshes;
    std::vector<Member> bodies;
    std::vector<PoseRun> runs;

    // The bodies as in the first step of the first run.
    Scene make_scene() const {
        std::vector<Shape> shapes;
        for (const Mesh& mesh : meshes)
            shapes.push_back(Shape::from_mesh(mesh));
        Scene result;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            Body body{.shape = shapes[bodies[i].mesh]};
            if (!runs.empty() && !runs[0].steps.empty()) body.pose = runs[0].steps[0][i];
            body.is_static = bodies[i].is_static != 0;
            result.add(body);
        }
        return result;
    }
};

inline void set_poses(Scene& scene, const std::vector<Transform>& poses) {
    for (std::uint32_t i = 0; i < scene.size(); ++i)
        scene.set_pose(i, poses[i]);
}

namespace pose_file {

constexpr char kMagic[8] = {'G', 'P', 'O', 'S', 'E', 'S', '0', '1'};

class Writer {
public:
    explicit Writer(const WriteBytes& write) : write_(write) {}

    template <class T>
    void put(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put_number(values.size());
        put_bytes(values.data(), values.size() * sizeof(T));
    }
    void put(const std::string& text) { put(std::vector<char>(text.begin(), text.end())); }
    void put_number(std::uint64_t value) { put_bytes(&value, sizeof(value)); }
    void put_bytes(const void* bytes, std::size_t size) {
        write_({static_cast<const char*>(bytes), size});
    }

private:
    const WriteBytes& write_;
};

class Reader {
public:
    explicit Reader(const std::filesystem::path& path)
        : path_(path), stream_(path, std::ios::binary) {
        if (!stream_) throw Error(path.string() + ": cannot be opened");
        char magic[sizeof(kMagic)];
        get_bytes(magic, sizeof(magic));
        if (std::memcmp(magic, kMagic, sizeof(magic)) != 0)
            throw Error(path.string() + ": not a file of poses; make one with bench_rays record");
    }

    template <class T>
    std::vector<T> list() {
        std::vector<T> values(number(1u << 30));
        get_bytes(values.data(), values.size() * sizeof(T));
        return values;
    }
    std::string text() {
        const std::vector<char> letters = list<char>();
        return {letters.begin(), letters.end()};
    }
    std::uint64_t number(std::uint64_t most) {
        std::uint64_t value = 0;
        get_bytes(&value, sizeof(value));
        if (value > most) throw Error(path_.string() + ": a count is too large");
        return value;
    }

private:
    void get_bytes(void* bytes, std::size_t size) {
        stream_.read(static_cast<char*>(bytes), static_cast<std::streamsize>(size));
        if (!stream_) throw Error(path_.string() + ": ends too early");
    }

    std::filesystem::path path_;
    std::ifstream stream_;
};

}  // namespace pose_file

inline void save_poses(const std::filesystem::path& path, const PoseFile& file) {
    write_file(path, [&](const WriteBytes& write) {
        pose_file::Writer out(write);
        out.put_bytes(pose_file::kMagic, sizeof(pose_file::kMagic));
        out.put(file.scene);
        out.put_number(file.meshes.size());
        for (const Mesh& mesh : file.meshes) {
            out.put(mesh.positions);
            out.put(mesh.triangles);
        }
        out.put(file.bodies);
        out.put_number(file.runs.size());
        for (const PoseRun& run : file.runs) {
            out.put(run.name);
            out.put_number(run.first_step);
            out.put_number(run.steps.size());
            for (const std::vector<Transform>& poses : run.steps)
                out.put(poses);
        }
    });
}

inline PoseFile load_poses(const std::filesystem::path& path) {
    pose_file::Reader in(path);
    PoseFile file;
    file.scene = in.text();
    file.meshes.resize(in.number(10'000));
    for (Mesh& mesh : file.meshes) {
        mesh.positions = in.list<Vec3>();
        mesh.triangles = in.list<Triangle>();
    }
    file.bodies = in.list<PoseFile::Member>();
    file.runs.resize(in.number(1000));
    for (PoseRun& run : file.runs) {
        run.name = in.text();
        run.first_step = static_cast<std::uint32_t>(in.number(~std::uint32_t{0}));
        run.steps.resize(in.number(1'000'000));
        for (std::vector<Transform>& poses : run.steps) {
            poses = in.list<Transform>();
            if (poses.size() != file.bodies.size())
                throw Error(path.string() + ": a step has poses of another number of bodies");
        }
    }
    for (const PoseFile::Member& body : file.bodies) {
        if (body.mesh >= file.meshes.size())
            throw Error(path.string() + ": a body names a mesh that is not there");
    }
    return file;
}

}  // namespace graze
