// Lists of contacts to reduce, for the tests on either machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contacts/reduce_contacts.h"
#include "parallel/upload.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {

// A ContactList by pair, on the host.
using PairContacts = std::vector<std::vector<Contact>>;

inline Contact make_contact(const Vec3& position, float distance, std::uint32_t index = 0) {
    // The index makes contacts at the same position distinct.
    Contact contact{0, 1, kNoFeature, kNoFeature, position, distance, {0, 0, 1}, 0};
    contact.feature_b.index = index;
    return contact;
}

enum class Positions { on_grid, in_box, over_exponents, one };

// Depths are eighths, so that equal ones are common, both zeros among them.
inline std::vector<Contact> random_contacts(int count, Positions positions, unsigned seed) {
    oracle::RandomPoints<float> random(seed);
    std::vector<Contact> contacts;
    for (int i = 0; i < count; ++i) {
        const Vec3 position = positions == Positions::on_grid  ? random.on_grid(3)
                              : positions == Positions::in_box ? random.in_box(4)
                              : positions == Positions::over_exponents
                                  ? random.over_exponents(-20, 12)
                                  : Vec3{1, 2, 3};
        const float depth = static_cast<float>(random.integer(-8, 24)) / 8;
        contacts.push_back(make_contact(position, -depth, static_cast<std::uint32_t>(i)));
        if (depth == 0 && i % 2 == 0) contacts.back().distance = 0.0f;
    }
    return contacts;
}

struct NamedContacts {
    std::string name;
    PairContacts pairs;
};

// Pairs of all sizes, on both sides of those at which the device uses larger groups of threads, and
// lists of the sizes that scenes have.
inline std::vector<NamedContacts> contact_lists() {
    std::vector<NamedContacts> lists{{"no pair", {}}, {"pairs without contacts", PairContacts(5)}};
    unsigned seed = 1;
    for (const Positions positions :
         {Positions::on_grid, Positions::in_box, Positions::over_exponents, Positions::one}) {
        PairContacts pairs;
        for (const int count : {0,  1,   2,   3,   5,   0,   31,   32,   33,   63, 64,  65,
                                66, 200, 255, 256, 257, 700, 1023, 1024, 1025, 0,  3000}) {
            pairs.push_back(random_contacts(count, positions, seed++));
        }
        for (const int count : {4096, 4097, 9000})
            pairs.push_back(random_contacts(oracle::case_count(count), positions, seed++));
        lists.push_back(
            {"all sizes, positions " + std::to_string(static_cast<int>(positions)), pairs});
    }
    PairContacts small;
    for (int p = 0; p < oracle::case_count(20'000); ++p)
        small.push_back(random_contacts(p % 9, Positions::in_box, seed++));
    lists.push_back({"many small pairs", small});
    lists.push_back({"one huge pair",
                     {random_contacts(oracle::case_count(100'000), Positions::in_box, seed++)}});
    return lists;
}

inline std::vector<ContactReduction> reductions() {
    std::vector<ContactReduction> result;
    for (const float cell_size : {0.0f, 0.3f, 2.0f}) {
        for (const int deepest_count : {0, 1, 40, 300}) {
            for (const int manifold_count : {0, 4}) {
                const ContactReduction reduction{cell_size, deepest_count, manifold_count, 0};
                if (is_reduced(reduction)) result.push_back(reduction);
            }
        }
    }
    result.push_back({0, 0, 1, 0});
    result.push_back({0, 0, 17, 0});
    result.push_back({0, 0, 17, 0.05f});
    result.push_back({0.3f, 0, 9, 0.5f});
    result.push_back({1000, 2, 2, 0});
    return result;
}

inline std::string describe(const ContactReduction& reduction) {
    return "cells of " + std::to_string(reduction.cell_size) + ", deepest " +
           std::to_string(reduction.deepest_count) + ", manifold of " +
           std::to_string(reduction.manifold_count) + ", slack " +
           std::to_string(reduction.manifold_slack);
}

// Puts contacts in a list in the executor's memory, with more room than they need where that is
// asked for.
template <class Executor>
void upload(Executor& executor, const PairContacts& pairs, ContactList& list,
            std::int64_t spare_contacts = 0, std::int64_t spare_pairs = 0) {
    std::vector<Contact> contacts;
    std::vector<std::uint64_t> offsets{0};
    for (const auto& pair : pairs) {
        contacts.insert(contacts.end(), pair.begin(), pair.end());
        offsets.push_back(contacts.size());
    }
    offsets.insert(offsets.end(), static_cast<std::size_t>(spare_pairs), contacts.size());
    const auto count = static_cast<std::int64_t>(contacts.size());
    list.contacts.resize(count + spare_contacts);
    executor.copy_from_host("test: contacts", contacts.data(), list.contacts.data(), count);
    upload(executor, "test: offsets", offsets, list.offsets);
    executor.wait();
}

template <class Executor>
PairContacts download(Executor& executor, const ContactList& list) {
    const std::vector<std::uint64_t> offsets = download(executor, list.offsets);
    const std::vector<Contact> contacts =
        download(executor, list.contacts, static_cast<std::int64_t>(offsets.back()));
    PairContacts pairs;
    for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
        pairs.emplace_back(contacts.begin() + static_cast<std::ptrdiff_t>(offsets[p]),
                           contacts.begin() + static_cast<std::ptrdiff_t>(offsets[p + 1]));
    }
    return pairs;
}

// Lists and workspace of one executor, kept from one reduction to the next.
template <class Executor>
struct Reducer {
    Executor& executor;
    ContactList from{executor.memory()};
    ContactList to{executor.memory()};
    ReduceWorkspace workspace{executor.memory()};

    PairContacts operator()(const PairContacts& pairs, const ContactReduction& reduction) {
        upload(executor, pairs, from);
        reduce_contacts(executor, reduction, from, to, workspace);
        return download(executor, to);
    }
};

}  // namespace graze
