#include "interrupt.h"

#include <csignal>

#include "command.h"
#include "graze/error.h"
#include "terminal.h"

namespace graze::app {

namespace {

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void note_signal(int number) {
    caught_signal = number;
}

void set_handler(int number, void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    // A reset handler lets the second signal do what signals do; reads and writes go on.
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
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
}

Interrupt::~Interrupt() {
    set_handler(SIGINT, SIG_DFL);
    set_handler(SIGTERM, SIG_DFL);
}

bool Interrupt::is_requested() const {
    return caught_signal != 0;
}

void Interrupt::check() const {
    if (is_requested()) throw Error("interrupted");
}

int Interrupt::exit_code() const {
    return 128 + static_cast<int>(caught_signal);
}

int run_interruptible(const std::string& output,
                      const std::function<void(const Interrupt& interrupt)>& work) {
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
