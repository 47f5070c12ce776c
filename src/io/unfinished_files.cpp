#include "io/unfinished_files.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

namespace graze::io {
namespace {

constexpr int kSlots = 64;
constexpr std::size_t kMostBytes = 1024;

enum SlotState : int { kFree, kBeingWritten, kNoted };

// A handler reads a name only where its slot is noted; one that is being written it leaves alone.
struct Slot {
    std::atomic<int> state;
    char name[kMostBytes];
};
Slot slots[kSlots];
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

void UnfinishedFile::note(const std::filesystem::path& name) {
    const std::string& text = name.native();
    if (text.size() >= kMostBytes) return;
    for (int i = 0; i < kSlots; ++i) {
        int expected = kFree;
        if (!slots[i].state.compare_exchange_strong(expected, kBeingWritten)) continue;
        std::memcpy(slots[i].name, text.c_str(), text.size() + 1);
        slots[i].state = kNoted;
        slot_ = i;
        return;
    }
}

void UnfinishedFile::forget() {
    if (slot_ >= 0) slots[slot_].state = kFree;
    slot_ = -1;
}

void unlink_unfinished() noexcept {
    for (const Slot& slot : slots)
        if (slot.state == kNoted) ::unlink(slot.name);
}

}  // namespace graze::io
