// Trace: the time that each named piece of work took, in the order in which it was issued.
#pragma once

#include <string>
#include <vector>

namespace graze {

struct TraceEntry {
    const char* name;  // the label given to the executor's verb
    double seconds;
};

class Trace {
public:
    void add(const char* name, double seconds) { entries_.push_back({name, seconds}); }
    void clear() { entries_.clear(); }
    const std::vector<TraceEntry>& entries() const { return entries_; }

    // The total over all entries of one name.
    double seconds(const std::string& name) const {
        double sum = 0;
        for (const TraceEntry& entry : entries_) {
            if (name == entry.name) sum += entry.seconds;
        }
        return sum;
    }

private:
    std::vector<TraceEntry> entries_;
};

}  // namespace graze
