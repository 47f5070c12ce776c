// ThreadLists: what threads find, each in a list of its own. Lists are kept from step to step, so
// that a steady step hardly allocates.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

namespace graze {

template <class List>
class ThreadLists {
public:
    // A list that no other thread has: a free one, or a new one where there is none.
    List& take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return lists_.emplace_back();
        List& list = *free_.back();
        free_.pop_back();
        return list;
    }
    void give_back(List& list) {
        const std::lock_guard lock(mutex_);
        free_.push_back(&list);
    }
    // All lists; to be called while no thread has one.
    std::deque<List>& all() { return lists_; }

private:
    std::mutex mutex_;
    std::deque<List> lists_;
    std::vector<List*> free_;
};

}  // namespace graze
