#include "interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "command.h"
#include "graze/error.h"
#include "terminal.h"

namespace graze::app {

namespace {

volatile std::sig_atomic_t caught_signal = 0;

// When that signal came [us].
std::atomic<std::int64_t> caught_time = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// What is said where the work does not ask in time; empty: it has all the time it takes.
std::string last_words;

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
        if (!last_words.empty()) set_timer(kPatience);
    } else if (now() - caught_time > kPatience) {
        // A second request does what signals do, as soon as this handler returns.
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
}

// Only calls of the system are safe here. Files are written beside and renamed, so that nothing is
// left at the output's name.
extern "C" void end_now(int) {
    if (::write(STDERR_FILENO, last_words.data(), last_words.size()) < 0) {
        // No one is there to be told.
    }
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

Interrupt::Interrupt() {
    caught_signal = 0;
    set_handler(SIGINT, note_signal);
    set_handler(SIGTERM, note_signal);
    set_handler(SIGALRM, end_now);
}

Interrupt::~Interrupt() {
    set_timer(0);
    set_handler(SIGALRM, SIG_DFL);
    set_handler(SIGINT, SIG_DFL);
    set_handler(SIGTERM, SIG_DFL);
}

bool Interrupt::is_requested() const {
    if (caught_signal == 0) return false;
    set_timer(0);
    return true;
}

void Interrupt::check() const {
    if (is_requested()) throw Error("interrupted");
}

int Interrupt::exit_code() const {
    return 128 + static_cast<int>(caught_signal);
}

int run_interruptible(const std::string& output,
                      const std::function<void(const Interrupt& interrupt)>& work) {
    last_words = "graze: interrupted; " + printable(output) + " was not written\n";
    const Interrupt interrupt;
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
