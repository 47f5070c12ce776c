// This file stands for field_vdb.cpp where graze is built without OpenVDB.
#include "graze/error.h"
#include "io/fields/field_vdb.h"

namespace graze::io {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw Error(path.string() +
                ": this graze was built without OpenVDB: install it (Debian: libopenvdb-dev) and "
                "build graze with -DGRAZE_OPENVDB=ON, or use .gfield");
}

}  // namespace

void write_vdb(CpuExecutor&, const SampledField&, const std::filesystem::path& path) {
    fail(path);
}
std::shared_ptr<SampledField> read_vdb(CpuExecutor&, const std::filesystem::path& path,
                                       std::vector<std::string>&) {
    fail(path);
}

}  // namespace graze::io
