#include "interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "command.h"
#include "graze/error.h"
#include "graze/write_file.h"
#include "terminal.h"

namespace graze::app {

namespace {

volatile std::sig_atomic_t caught_signal = 0;

// When that signal came [us].
std::atomic<std::int64_t> caught_time = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// What is said where the work does not ask in time, and whether that is the end of it. It is made
// before it is shown to the handler, and stays.
struct LastWords {
    std::string text;
    bool is_end;
};
LastWords words_of_start, words_of_work;
std::atomic<const LastWords*> last_words = nullptr;
static_assert(std::atomic<const LastWords*>::is_always_lock_free);

// Work that asks has this long to do so; the rest is up to it. A second signal within it is the
// same request: `timeout` and others send one to the process and again to its group.
constexpr suseconds_t kPatience = 700'000;  // [us]

std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

void set_timer(suseconds_t microseconds) {
    itimerval timer{};
    timer.it_value.tv_usec = microseconds;
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

extern "C" void note_signal(int number) {
    if (caught_signal == 0) {
        caught_signal = number;
        caught_time = now();
        set_timer(kPatience);
    } else if (now() - caught_time > kPatience) {
        // A second request does what signals do, as soon as this handler returns.
        remove_unfinished_files();
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
}

// Only calls of the system are safe here. Files are written beside and renamed, so that nothing is
// left at the output's name, and what is written beside is removed.
extern "C" void speak(int) {
    const LastWords& words = *last_words.load();
    if (::write(STDERR_FILENO, words.text.data(), words.text.size()) < 0) {
        // No one is there to be told.
    }
    if (!words.is_end) return;
    remove_unfinished_files();
    ::_exit(128 + static_cast<int>(caught_signal));
}

void set_handler(int number, void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    action.sa_flags = SA_RESTART;  // reads and writes go on
    struct sigaction before{};
    // What the parent wants ignored (nohup, a background job) stays ignored.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
    sigaction(number, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(const std::string& words) {
    caught_signal = 0;
    words_of_start = {"graze: " + printable(words) + "\n", true};
    last_words = &words_of_start;
    set_handler(SIGINT, note_signal);
    set_handler(SIGTERM, note_signal);
    set_handler(SIGALRM, speak);
}

Interrupt::~Interrupt() {
    set_timer(0);
    set_handler(SIGALRM, SIG_DFL);
    set_handler(SIGINT, SIG_DFL);
    set_handler(SIGTERM, SIG_DFL);
}

bool Interrupt::is_requested() const {
    if (caught_signal == 0) return false;
    if (last_words.load()->is_end) set_timer(0);
    return true;
}

void Interrupt::finish_what_is_begun(const std::string& words) {
    words_of_work = {"graze: " + printable(words) + "\n", false};
    last_words = &words_of_work;
}

void Interrupt::check() const {
    if (is_requested()) throw Error("interrupted");
}

int Interrupt::exit_code() const {
    return 128 + static_cast<int>(caught_signal);
}

int run_interruptible(const std::string& output,
                      const std::function<void(const Interrupt& interrupt)>& work) {
    const Interrupt interrupt("interrupted; " + output + " was not written");
    try {
        work(interrupt);
        return kOk;
    } catch (const Error&) {
        if (!interrupt.is_requested()) throw;
    }
    print_error("interrupted; " + output + " was not written");
    return interrupt.exit_code();
}

}  // namespace graze::app
