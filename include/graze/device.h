// Device: the machine that does the work, this computer's cores or one of its CUDA GPUs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graze {

class Device {
public:
    enum class Kind { cpu, cuda };

    // All cores of this computer.
    static Device cpu() { return Device(Kind::cpu, 0); }
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
    // Which of several GPUs; 0 for the CPU.
    int index() const { return index_; }
    // "cpu" or "cuda:0", as parse() takes it.
    std::string name() const;
    // For people: the model, cores and memory.
    std::string description() const;

    bool operator==(const Device&) const = default;

private:
    Device(Kind kind, int index) : kind_(kind), index_(index) {}

    Kind kind_;
    int index_;
};

}  // namespace graze
