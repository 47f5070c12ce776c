// The count of cases of a test that compares with slow exact arithmetic. It is a tenth under
// a sanitizer, which takes ten times as long for each and looks for other errors than wrong
// results.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRAZE_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAZE_SANITIZED 1
#endif
#if !defined(GRAZE_SANITIZED)
#define GRAZE_SANITIZED 0
#endif

namespace graze::oracle {

// It also scales what is expected of so many cases, for instance at least 1000 pairs that meet.
constexpr int case_count(int full) {
    return GRAZE_SANITIZED != 0 ? full / 10 : full;
}

}  // namespace graze::oracle
