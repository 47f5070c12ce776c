// ContactColours gives the colour of a contact: by its time where bodies move within a step, else
// by its distance.
#pragma once

#include <limits>
#include <span>

#include "graze/contact.h"
#include "pictures/depth_colours.h"

namespace graze {

struct ContactColours {
    bool is_by_time;
    // The least and largest value: [m] distances, low <= 0 <= high; or times.
    float low, high;

    // The value of a contact; the lower, the more it matters.
    float value(const Contact& contact) const {
        return is_by_time ? contact.time : contact.distance;
    }
    // From dark violet at the earliest through green to yellow at the latest, so that lightness
    // alone tells the time.
    Colour of_time(float time) const {
        const double t = high > low ? std::clamp((time - low) / (high - low), 0.0f, 1.0f) : 0;
        return io::colour_of_lightness(26 + 62 * t, 46 + 24 * t, 310 - 205 * t);
    }
    Colour operator()(float value) const {
        return is_by_time ? of_time(value) : DepthColours{low, high}(value);
    }
    const char* label() const { return is_by_time ? "time" : "distance [m]"; }
};

inline ContactColours choose_colours(std::span<const Contact> contacts, bool is_by_time) {
    ContactColours colours{is_by_time, 0, 0};
    if (is_by_time && !contacts.empty()) colours.low = colours.high = contacts.front().time;
    for (const Contact& contact : contacts) {
        colours.low = std::min(colours.low, colours.value(contact));
        colours.high = std::max(colours.high, colours.value(contact));
    }
    return colours;
}

}  // namespace graze
