// Device: the machine that does the work, this computer's cores or one of its CUDA GPUs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graze {

class Device {
public:
    enum class Kind { cpu, cuda };

    // The cores of this computer: as many threads as given, or one for each core where that is 0.
    // Throws Error where it is negative.
    static Device cpu(int threads = 0);
    // The GPU with this index; throws Error where there is none or the library was built without
    // CUDA.
    static Device cuda(int index = 0);
    // The first GPU where one is usable, else the CPU.
    static Device best();
    // Every usable device, the CPU first.
    static std::vector<Device> list();
    // "cpu", "cuda", "cuda:1" or "best"; throws Error for anything else.
    static Device parse(std::string_view text);

    Kind kind() const { return kind_; }
    bool is_cuda() const { return kind_ == Kind::cuda; }
    // The same device, which uses so many threads of the CPU: for all of the work, or for the part
    // of it that a GPU leaves to the CPU. 0 means all cores.
    Device with_threads(int threads) const;

    // It tells one of several GPUs from the others; 0 for the CPU.
    int index() const { return index_; }
    // How many threads of the CPU may work; 0 means all cores.
    int threads() const { return threads_; }
    // "cpu" or "cuda:0", as parse() takes it.
    std::string name() const;
    // For people: the model, cores and memory.
    std::string description() const;

    bool operator==(const Device&) const = default;

private:
    Device(Kind kind, int index, int threads) : kind_(kind), index_(index), threads_(threads) {}

    Kind kind_;
    int index_;
    int threads_;
};

}  // namespace graze
