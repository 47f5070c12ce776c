#include "parallel/stop_question.h"

#include <utility>

namespace graze {

namespace {

thread_local const StopQuestion* question_of_thread = nullptr;

}  // namespace

const StopQuestion* stop_question() noexcept {
    return question_of_thread;
}

StopScope::StopScope(std::function<bool()> is_stopped)
    : is_stopped_(std::move(is_stopped)), before_(question_of_thread) {
    question_of_thread = &is_stopped_;
}

StopScope::~StopScope() {
    question_of_thread = before_;
}

}  // namespace graze
