// RunFolder: where a run leaves its files, and their names.
#pragma once

#include <cstdint>
#include <filesystem>

namespace graze::app {

class RunFolder {
public:
    // Touches nothing. Throws Error where something else has its name, so that no long work comes
    // before that.
    explicit RunFolder(std::filesystem::path folder);
    // Makes the folder where it is not there, and removes the files of an earlier run. Throws Error
    // where that cannot be.
    void prepare();

    const std::filesystem::path& path() const { return folder_; }
    bool had_earlier_run() const { return had_earlier_run_; }
    std::filesystem::path steps_csv() const { return folder_ / "steps.csv"; }
    std::filesystem::path steps_json() const { return folder_ / "steps.json"; }
    std::filesystem::path summary() const { return folder_ / "summary.json"; }
    std::filesystem::path recording() const { return folder_ / "run.grec"; }
    std::filesystem::path animation() const { return folder_ / "run.glb"; }
    std::filesystem::path page() const { return folder_ / "run.html"; }
    // The frames of scenes with cloth are in a folder of their own, which the first of these makes.
    // The first frame is 0.
    void make_frames() const;
    std::filesystem::path frame(std::int64_t index) const;

private:
    void remove_frames();

    std::filesystem::path folder_;
    bool had_earlier_run_ = false;
};

}  // namespace graze::app
