// Serves a recording of any size to a browser on this computer, piece by piece.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "interrupt.h"

namespace graze::app {

// Answers on 127.0.0.1 alone, at the port, or any free one where that is 0, until the user
// interrupts; ready is called with the address once it can be opened. Throws Error where the port
// is taken, and where the program was built without the page.
void serve_run(const std::filesystem::path& recording, int port, const Interrupt& interrupt,
               const std::function<void(const std::string& address)>& ready);

}  // namespace graze::app
