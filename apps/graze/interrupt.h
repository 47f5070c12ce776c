// Interrupt: Ctrl-C as a question that long work asks now and then, so that it ends in good order.
#pragma once

#include <functional>
#include <string>

namespace graze::app {

// While one exists, the first SIGINT or SIGTERM is only noted; a second one ends the program, but
// for one that follows within 0.7 s, which is taken for the same. Where the work does not ask
// within that time, the program says the words and ends, so that it answers within a second. No
// file that is not whole is left either way.
class Interrupt {
public:
    explicit Interrupt(const std::string& words);
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // From here on there is something to keep: after that time the words are said, and the work
    // goes on until it asks.
    void finish_what_is_begun(const std::string& words);

    bool is_requested() const;
    // Throws Error where it is.
    void check() const;
    // What shells expect of a program that a signal ended: 128 and its number, 130 for Ctrl-C.
    int exit_code() const;
};

// Runs work whose last step writes the output. Returns the exit code; says that nothing was written
// where the user interrupted it. Passes other errors on. Where the work does not ask in time, the
// program ends without it, so that an interruption is answered within a second.
int run_interruptible(const std::string& output,
                      const std::function<void(const Interrupt& interrupt)>& work);

}  // namespace graze::app
