// ContactList: contacts by pair, as the steps of a detection hand them on.
#pragma once

#include "graze/contact.h"
#include "parallel/buffer.h"

namespace graze {

struct ContactList {
    explicit ContactList(Memory& memory) : contacts(memory), offsets(memory) {}

    // On the host as many as there are. On the device the room there is: the total may be less, and
    // where it is more, those beyond the room are missing and the caller makes room and asks again.
    Buffer<Contact> contacts;
    // Pair p has contacts [offsets[p], offsets[p + 1]); the last offset is the total. On the device
    // there may be more offsets than pairs: then the last ones are of pairs without contacts.
    Buffer<std::uint64_t> offsets;

    std::int64_t pair_count() const { return offsets.size() - 1; }
    const std::uint64_t* total() const { return offsets.data() + pair_count(); }
};

}  // namespace graze
