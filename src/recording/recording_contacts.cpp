#include "recording/recording_contacts.h"

#include <algorithm>
#include <cmath>

#include "graze/error.h"

namespace graze::recording {
namespace {

constexpr double kNormalSteps = 32767;
constexpr std::int16_t kNoNormal = -32768;
constexpr double kTimeSteps = 65535;
// What a contact takes as raw bytes.
constexpr std::uint64_t kContactBytes = 30;

double side(double x) {
    return x < 0 ? -1 : 1;
}

// The unit sphere as an octahedron, |x| + |y| + |z| = 1, whose lower half is folded outwards over
// the upper one, onto a square (Meyer et al., On Floating-Point Normal Vectors, 2010).
void encode_normal(const Vec3& normal, std::int16_t (&to)[2]) {
    const double x = normal.x, y = normal.y, z = normal.z;
    const double sum = std::fabs(x) + std::fabs(y) + std::fabs(z);
    if (!(sum > 0)) {
        to[0] = to[1] = kNoNormal;
        return;
    }
    double u = x / sum, v = y / sum;
    if (z < 0) {
        const double folded = (1 - std::fabs(v)) * side(u);
        v = (1 - std::fabs(u)) * side(v);
        u = folded;
    }
    to[0] = static_cast<std::int16_t>(std::lround(u * kNormalSteps));
    to[1] = static_cast<std::int16_t>(std::lround(v * kNormalSteps));
}

Vec3 decode_normal(const std::int16_t (&from)[2]) {
    if (from[0] == kNoNormal && from[1] == kNoNormal) return {0, 0, 0};
    double x = from[0] / kNormalSteps, y = from[1] / kNormalSteps;
    const double z = 1 - std::fabs(x) - std::fabs(y);
    if (z < 0) {
        const double unfolded = (1 - std::fabs(y)) * side(x);
        y = (1 - std::fabs(x)) * side(y);
        x = unfolded;
    }
    return static_cast<Vec3>(normalized(Vec3d{x, y, z}));
}

// The least power of 2, from wanted up, whose multiples reach as far as the contacts do.
float fitting_step(std::span<const Contact> contacts, float wanted) {
    float reach = 0;
    for (const Contact& c : contacts)
        for (const float number : {c.position.x, c.position.y, c.position.z, c.distance})
            reach = std::max(reach, std::fabs(number));
    const double least = std::max(double{wanted}, double{reach} / (1 << 30));
    const int exponent = std::clamp(std::ilogb(std::max(least, 1e-30)), -100, 100);
    const double step = std::ldexp(1.0, exponent);
    return static_cast<float>(reach / step > (1 << 30) ? 2 * step : step);
}

std::int32_t steps_of(float number, float step) {
    return static_cast<std::int32_t>(std::llround(double{number} / step));
}
float length_of(std::int32_t steps, float step) {
    return static_cast<float>(double{step} * steps);
}

// Applies to each of a contact's numbers, in the order of their columns. visit takes a function
// that gives the number of a contact, as a reference.
template <class Visit>
void for_each_column(const Visit& visit) {
    visit([](auto& c) -> auto& { return c.body_a; });
    visit([](auto& c) -> auto& { return c.body_b; });
    visit([](auto& c) -> auto& { return c.position[0]; });
    visit([](auto& c) -> auto& { return c.position[1]; });
    visit([](auto& c) -> auto& { return c.position[2]; });
    visit([](auto& c) -> auto& { return c.distance; });
    visit([](auto& c) -> auto& { return c.normal[0]; });
    visit([](auto& c) -> auto& { return c.normal[1]; });
    visit([](auto& c) -> auto& { return c.time; });
}

}  // namespace

ContactCodes encode_contacts(std::span<const Contact> contacts, float wanted_step) {
    ContactCodes codes;
    codes.step = fitting_step(contacts, wanted_step);
    codes.contacts.reserve(contacts.size());
    for (const Contact& contact : contacts) {
        ContactCode code{};
        code.body_a = contact.body_a;
        code.body_b = contact.body_b;
        for (int axis = 0; axis < 3; ++axis)
            code.position[axis] = steps_of(contact.position[axis], codes.step);
        code.distance = steps_of(contact.distance, codes.step);
        encode_normal(contact.normal, code.normal);
        const double time = std::clamp(double{contact.time}, 0.0, 1.0);
        code.time = static_cast<std::uint16_t>(std::lround(time * kTimeSteps));
        codes.contacts.push_back(code);
    }
    return codes;
}

std::vector<Contact> decode_contacts(const ContactCodes& codes) {
    std::vector<Contact> contacts;
    contacts.reserve(codes.contacts.size());
    for (const ContactCode& code : codes.contacts) {
        Contact contact{code.body_a, code.body_b, kNoFeature, kNoFeature, {}, 0, {}, 0};
        for (int axis = 0; axis < 3; ++axis)
            contact.position[axis] = length_of(code.position[axis], codes.step);
        contact.distance = length_of(code.distance, codes.step);
        contact.normal = decode_normal(code.normal);
        contact.time = static_cast<float>(code.time / kTimeSteps);
        contacts.push_back(contact);
    }
    return contacts;
}

void append_contacts(std::string& raw, const ContactCodes& codes) {
    append(raw, static_cast<std::uint32_t>(codes.contacts.size()));
    append(raw, codes.step);
    for_each_column([&](const auto& number_of) {
        using Number = std::remove_cvref_t<decltype(number_of(codes.contacts[0]))>;
        using Bits = std::make_unsigned_t<Number>;
        std::vector<Bits> column;
        column.reserve(codes.contacts.size());
        Bits before = 0;
        for (const ContactCode& code : codes.contacts) {
            const auto bits = static_cast<Bits>(number_of(code));
            column.push_back(fold_sign(static_cast<Bits>(bits - before)));
            before = bits;
        }
        append_planes<Bits>(raw, column);
    });
}

ContactCodes take_contacts(RawCursor& cursor, std::uint32_t body_count) {
    ContactCodes codes;
    const std::uint64_t count = cursor.next<std::uint32_t>();
    codes.step = cursor.next<float>();
    if (!(codes.step > 0) || !std::isfinite(codes.step * 0x1p31f))
        throw Error("the step of its contacts is no length");
    if (count * kContactBytes > cursor.bytes_left()) throw Error("it ends inside its contacts");
    codes.contacts.resize(count);
    for_each_column([&](const auto& number_of) {
        using Number = std::remove_cvref_t<decltype(number_of(codes.contacts[0]))>;
        using Bits = std::make_unsigned_t<Number>;
        std::vector<Bits> column(count);
        cursor.planes<Bits>(column);
        Bits before = 0;
        for (std::size_t i = 0; i < count; ++i) {
            before = static_cast<Bits>(before + unfold_sign(column[i]));
            number_of(codes.contacts[i]) = static_cast<Number>(before);
        }
    });
    for (const ContactCode& code : codes.contacts)
        if (code.body_a >= body_count || code.body_b >= body_count)
            throw Error("a contact names a body that is not there");
    return codes;
}

}  // namespace graze::recording
