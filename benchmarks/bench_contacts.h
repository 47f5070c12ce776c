// Lists of contacts of the sizes that scenes have, for benchmarks of what is done with contacts.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "graze/contact.h"

namespace graze {

struct BenchContacts {
    const char* name;
    std::vector<Contact> contacts;
    std::vector<std::uint64_t> offsets;
};

// Each pair touches in a bowl of a metre, at random points of it; the deepest are in the middle.
inline BenchContacts bench_contacts(const char* name, int pair_count, int contacts_per_pair) {
    BenchContacts list{name, {}, {0}};
    std::uint32_t state = 1;
    const auto next = [&state] {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(state >> 8) / 16777216.0f;
    };
    for (int p = 0; p < pair_count; ++p) {
        const Vec3 centre{next() * 100, next() * 100, next() * 100};
        for (int i = 0; i < contacts_per_pair; ++i) {
            const float x = next() - 0.5f, y = next() - 0.5f;
            const auto a = static_cast<std::uint32_t>(p);
            list.contacts.push_back({a,
                                     a + 1,
                                     kNoFeature,
                                     kNoFeature,
                                     centre + Vec3{x, y, x * x + y * y},
                                     (x * x + y * y - 1) / 10,
                                     {0, 0, 1},
                                     0});
        }
        list.offsets.push_back(list.contacts.size());
    }
    return list;
}

inline std::vector<BenchContacts> all_bench_contacts() {
    return {bench_contacts("1,156 pairs with 700", 1156, 700),
            bench_contacts("3 pairs with 8,000", 3, 8000),
            bench_contacts("1 pair with 100,000", 1, 100'000),
            bench_contacts("100,000 pairs with 4", 100'000, 4)};
}

}  // namespace graze
