// A build for AVX2 says so on a computer without it, instead of dying of an illegal instruction.
#if defined(__x86_64__) && defined(__AVX2__)

#include <unistd.h>

namespace {

// It runs before the constructors of the program's static objects, which may already use AVX2.
__attribute__((constructor(101))) void check_cpu() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
        return;
    }
    constexpr char message[] =
        "graze: this computer has no AVX2, which this build needs: build graze with "
        "GRAZE_CPU_ARCH=x86-64\n";
    // The exit code says the rest where even this cannot be written.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof(message) - 1);
    _exit(1);
}

}  // namespace

#endif
