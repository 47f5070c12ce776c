// Tables 1, 3 and 4 of the paper on points against fields (Xu and Barbic, 2014), beside its own
// figures. Table 2 is in bench_segments.
//
//   bench_sweep [table1] [table3] [table4] [--model NAME] [--poses N] [--steps N]
//               [--linear-every N]
//
// runs only the tables that are named, or all, on the model that is named, or on all. The linear
// search, which takes minutes, looks at every so-many-th motion or step.
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "benchmarks/sweep_table1.h"
#include "benchmarks/sweep_table3.h"
#include "benchmarks/sweep_table4.h"

int main(int argc, char** argv) {
    using namespace graze;
    std::set<std::string> wanted;
    Table3Options table_3;
    Table4Options table_4;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const char* value = i + 1 < argc ? argv[i + 1] : "";
        if (argument == "--poses") {
            table_3.pose_count = std::strtoul(value, nullptr, 10);
        } else if (argument == "--linear-every") {
            table_3.linear_stride = std::strtoul(value, nullptr, 10);
            table_4.linear_stride = std::atoi(value);
        } else if (argument == "--model") {
            table_3.model = table_4.model = value;
        } else if (argument == "--steps") {
            table_4.step_count = std::atoi(value);
        } else {
            wanted.insert(argument);
            continue;
        }
        ++i;
    }
    const auto is_wanted = [&](const char* name) {
        return wanted.empty() || wanted.count(name) != 0;
    };
    if (is_wanted("table1")) print_table_1(2);
    bool agrees = true;
    if (is_wanted("table3")) agrees = print_table_3(table_3);
    if (is_wanted("table4")) print_table_4(table_4);
    return agrees ? 0 : 1;
}
