#include "run_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "graze/error.h"
#include "graze/write_file.h"

namespace graze::app {

namespace fs = std::filesystem;

RunFolder::RunFolder(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
        throw Error(folder_.string() + ": is not a folder; name another one with --out");
}

void RunFolder::prepare() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw Error(folder_.string() + ": cannot make the folder: " + error.message());
    if (::access(folder_.c_str(), W_OK) != 0)
        throw Error(folder_.string() + ": no permission to write there");
    // What an earlier run left would seem to be this one's if this one were killed.
    for (const fs::path& file :
         {steps_csv(), steps_json(), summary(), recording(), animation(), page()}) {
        remove_abandoned_files(file);
        if (fs::remove(file, error)) had_earlier_run_ = true;
        if (error) throw Error(file.string() + ": cannot replace it: " + error.message());
    }
    remove_frames();
}

void RunFolder::make_frames() const {
    std::error_code error;
    fs::create_directories(folder_ / "frames", error);
    if (error)
        throw Error((folder_ / "frames").string() + ": cannot make the folder: " + error.message());
}

fs::path RunFolder::frame(std::int64_t index) const {
    char name[32];
    std::snprintf(name, sizeof name, "%05lld.ply", static_cast<long long>(index));
    return folder_ / "frames" / name;
}

// Removes only what is called like a frame: the folder is not ours alone.
void RunFolder::remove_frames() {
    const fs::path frames = folder_ / "frames";
    std::error_code error;
    if (!fs::is_directory(frames, error)) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(frames)) {
        const std::string name = entry.path().filename().string();
        const auto is_number = [](const std::string& stem) {
            return stem.size() >= 5 && std::all_of(stem.begin(), stem.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
        };
        constexpr const char* kHalf = ".ply.tmp";
        if (const std::size_t end = name.find(kHalf);
            end != std::string::npos && is_number(name.substr(0, end)))
            remove_abandoned_files(frames / (name.substr(0, end) + ".ply"));
        if (!is_number(entry.path().stem().string()) || entry.path().extension() != ".ply")
            continue;
        had_earlier_run_ = true;
        if (!fs::remove(entry.path(), error))
            throw Error(entry.path().string() + ": cannot replace it: " + error.message());
    }
}

}  // namespace graze::app
