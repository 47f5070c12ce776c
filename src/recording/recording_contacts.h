// The contacts of a recorded frame as whole numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graze/contact.h"
#include "recording/byte_planes.h"

namespace graze::recording {

// A contact's position and distance are multiples of a step, half of which they are off at most;
// its normal is off by 6e-5 rad at most, its time by 1 / 131070.
struct ContactCode {
    std::uint32_t body_a, body_b;
    std::int32_t position[3];  // [step]
    std::int32_t distance;     // [step]
    std::int16_t normal[2];    // on the unfolded octahedron; both -32768: zero
    std::uint16_t time;        // [1 / 65535]

    bool operator==(const ContactCode&) const = default;
};

struct ContactCodes {
    float step = 0;  // [m] a power of 2
    std::vector<ContactCode> contacts;

    bool operator==(const ContactCodes&) const = default;
};

// wanted_step [m]: larger ones are taken where coordinates would not fit. Contacts are finite.
ContactCodes encode_contacts(std::span<const Contact> contacts, float wanted_step);
std::vector<Contact> decode_contacts(const ContactCodes& codes);

// Appends them as columns.
void append_contacts(std::string& raw, const ContactCodes& codes);
// Throws Error, whose message says only what is wrong.
ContactCodes take_contacts(RawCursor& cursor, std::uint32_t body_count);

}  // namespace graze::recording
