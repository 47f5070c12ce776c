// Tables 1, 3 and 4 of the paper on points against fields (Xu and Barbic, 2014), beside its own
// figures. Table 2 is in bench_segments.
//
//   bench_sweep [table1] [table3] [table4]    runs only what is named, or everything
#include <algorithm>
#include <string>

#include "benchmarks/sweep_table1.h"

int main(int argc, char** argv) {
    using namespace graze;
    const auto is_wanted = [&](const char* name) {
        return argc == 1 || std::find(argv + 1, argv + argc, std::string(name)) != argv + argc;
    };
    if (is_wanted("table1")) print_table_1(2);
    return 0;
}
