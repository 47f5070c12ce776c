#include "run_folder.h"

#include <unistd.h>

#include <utility>

#include "graze/error.h"

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
    for (const fs::path& file : {steps_csv(), steps_json(), summary(), recording(), animation()}) {
        if (fs::remove(file, error)) had_earlier_run_ = true;
        if (error) throw Error(file.string() + ": cannot replace it: " + error.message());
    }
}

}  // namespace graze::app
