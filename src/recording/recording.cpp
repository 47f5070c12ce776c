#include "graze/recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "graze/error.h"
#include "recording/recording_reader.h"

namespace graze {
namespace {

// A file that may grow meanwhile: what was there when it was opened is all that is looked at.
class RecordingFile final : public recording::RecordingSource {
public:
    explicit RecordingFile(const std::filesystem::path& path) : path_(path) {
        descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor_ < 0) fail(std::generic_category().message(errno));
        struct stat status{};
        const bool is_known = ::fstat(descriptor_, &status) == 0;
        if (!is_known || !S_ISREG(status.st_mode)) {
            ::close(descriptor_);
            fail(is_known && S_ISDIR(status.st_mode) ? "it is a folder"
                                                     : "it is not a regular file");
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~RecordingFile() override { ::close(descriptor_); }
    RecordingFile(const RecordingFile&) = delete;
    RecordingFile& operator=(const RecordingFile&) = delete;

    std::uint64_t size() const override { return size_; }
    void read(std::uint64_t offset, char* to, std::size_t count) const override {
        while (count > 0) {
            const ssize_t got = ::pread(descriptor_, to, count, static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) fail(std::generic_category().message(errno));
            if (got == 0) fail("it became shorter meanwhile");
            to += got;
            offset += static_cast<std::uint64_t>(got);
            count -= static_cast<std::size_t>(got);
        }
    }

private:
    [[noreturn]] void fail(const std::string& cause) const {
        throw Error(path_.string() + ": cannot read: " + cause);
    }

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace

struct Recording::Parts {
    recording::RecordingReader reader;
};

Recording::Recording(const std::filesystem::path& file)
    : parts_(new Parts{
          recording::RecordingReader(std::make_unique<RecordingFile>(file), file.string())}) {}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

const RecordingSetup& Recording::setup() const {
    return parts_->reader.setup();
}
std::int64_t Recording::frame_count() const {
    return parts_->reader.frame_count();
}
RecordingFrame Recording::frame(std::int64_t index) const {
    return parts_->reader.frame(index);
}
bool Recording::is_complete() const {
    return why_incomplete().empty();
}
const std::string& Recording::why_incomplete() const {
    return parts_->reader.why_incomplete();
}

}  // namespace graze
