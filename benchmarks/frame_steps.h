// Runs steps from frame to frame of a folder that `graze simulate` writes for a scene with cloth
// (docs/concepts/cloth.md): continuous steps from each frame to the next, discrete ones at each
// frame.
//
// With an interval of N only the steps from frame k N to frame k N + 1 are taken, for all k, which
// are 300 / N steps of a run of 300 frames. Only these 2 * 300 / N frames need to be in the folder.
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "benchmarks/deforming_arguments.h"
#include "benchmarks/deforming_steps.h"

namespace graze {

// Returns the frames by the number that is the file's name. Throws Error where the folder has no
// two frames for a step.
inline std::map<int, std::filesystem::path> frames_for_steps(const std::filesystem::path& folder,
                                                             int interval) {
    std::map<int, std::filesystem::path> all;
    if (std::filesystem::is_directory(folder)) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string stem = entry.path().stem().string();
            if (entry.path().extension() == ".ply" && !stem.empty() && stem.size() < 10 &&
                stem.find_first_not_of("0123456789") == std::string::npos)
                all[std::stoi(stem)] = entry.path();
        }
    }
    std::map<int, std::filesystem::path> result;
    for (const auto& [number, file] : all) {
        if (number % interval != 0 || !all.contains(number + 1)) continue;
        result[number] = file;
        result[number + 1] = all[number + 1];
    }
    if (result.empty())
        throw Error(folder.string() +
                    ": no frames like 00000.ply and 00001.ply whose first number " +
                    "is a multiple of " + std::to_string(interval));
    return result;
}

struct FrameTimes {
    CallTimes times;
    std::size_t found = 0;

    template <class Find>
    void add(const Find& find) {
        times.time([&] { found += find(); });
    }
    void print() const {
        const std::vector<double>& wall = times.wall();
        std::printf(" | %8.3f %8.3f %8.3f %8.3f %9zu", mean_of(wall), median_of(wall),
                    *std::max_element(wall.begin(), wall.end()), mean_of(times.cpu()), found);
    }
};

inline void print_frames_header() {
    constexpr const char* kColumns = "%-20s %9s %5s | %8s %8s %8s %8s %9s | %8s %8s %8s %8s %9s\n";
    std::printf(kColumns, "[ms] a frame", "", "", "contin.", "", "", "CPU", "", "discrete", "", "",
                "CPU", "");
    std::printf(kColumns, "", "triangles", "steps", "mean", "median", "worst", "mean", "impacts",
                "mean", "median", "worst", "mean", "pairs");
}

// Runs one detector over all frames. Loading and, for a GPU, uploading are not timed, nor are the
// first calls, which make room.
template <class Machine>
void run_frames(const std::filesystem::path& folder, const DeformingArguments& arguments) {
    const auto frames = frames_for_steps(folder, arguments.frame_interval);
    Mesh mesh = load_mesh(frames.begin()->second);
    const bool is_of_run = folder.filename() == "frames";
    const DeformingSequence sequence{
        (is_of_run ? folder.parent_path() : folder).filename().string(), mesh.positions,
        mesh.positions, mesh.triangles};
    DeformingSteps<Machine> steps(sequence, arguments.frame_search, arguments.thread_count);
    steps.run_continuous();
    steps.run_discrete();
    std::vector<Vec3> before;
    FrameTimes continuous, discrete;
    for (const auto& [number, file] : frames) {
        before.swap(mesh.positions);
        mesh = load_mesh(file);
        if (mesh.triangles != sequence.triangles)
            throw Error(file.string() + ": has other triangles than the first frame");
        if (frames.contains(number - 1) && (number - 1) % arguments.frame_interval == 0) {
            steps.assign(before, mesh.positions);
            continuous.add([&] { return steps.run_continuous(); });
        }
        steps.assign(mesh.positions, mesh.positions);
        discrete.add([&] { return steps.run_discrete(); });
    }
    std::printf("%-20s %9zu %5zu", sequence.name.c_str(), sequence.triangles.size(),
                continuous.times.wall().size());
    continuous.print();
    discrete.print();
    std::printf("\n");
}

}  // namespace graze
