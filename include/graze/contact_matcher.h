// ContactMatcher: which contacts of this step are those of the last one, whatever the method.
//
//     graze::ContactMatcher matcher;
//     for (;;) {  // a step
//         const auto contacts = detector.detect(scene);
//         const graze::ContactMatches& matches = matcher.match(scene, contacts);
//         for (std::size_t i = 0; i < contacts.size(); ++i)
//             impulses[i] = matches.last_indices[i] == graze::kNewContact
//                               ? 0 : last_impulses[matches.last_indices[i]];
//         for (const graze::EndedContact& ended : matches.ended) ...
//     }
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "graze/detector.h"

namespace graze {

// In place of an index: the contact was not there in the last step.
inline constexpr std::uint32_t kNewContact = 0xffffffffu;

// A contact of the last step that is there no more.
struct EndedContact {
    std::uint64_t id;
    std::uint32_t body_a, body_b;
    std::uint32_t last_index;  // in the contacts of the last step
};

// All stays until the next call.
struct ContactMatches {
    // By contact of this step: a number that it keeps as long as it lasts, and that no other has
    // had. They count from 1.
    std::span<const std::uint64_t> ids;
    // By contact of this step: its index in the last step's contacts, or kNewContact.
    std::span<const std::uint32_t> last_indices;
    std::span<const std::uint32_t> begun;  // indices of the contacts that are new, ascending
    std::span<const EndedContact> ended;   // ascending by their last index
    // Bodies that touch and did not in the last step, and the other way around, ascending.
    std::span<const BodyPair> begun_pairs, ended_pairs;
};

// A contact goes on where the last step had one between the same two bodies
//   - with the same features, where the method knows any (an impact at the same vertex and face),
//   - or, of those that are left, the nearest within reach, seen from whichever of the two bodies
//     it has moved less on: what slides keeps its contacts, and so does what it slides over. Where
//     several want the same one, the nearest has it.
// So each contact of the last step goes on as one at most. A reduction that picks a few of many
// contacts that are as deep may pick others in each step (ContactReduction): then those end, and
// others begin. The answer is the same for any number of
// threads, and a steady step allocates nothing.
class ContactMatcher {
public:
    // reach: [m] how far a contact may move on both bodies from one step to the next and still be
    // the same; 0 means a fiftieth of the smaller body's longest side. The work is the host's;
    // device says by how many threads. Throws Error where reach is below 0 or not finite.
    explicit ContactMatcher(float reach = 0, const Device& device = Device::cpu());
    ~ContactMatcher();
    ContactMatcher(ContactMatcher&&) noexcept;
    ContactMatcher& operator=(ContactMatcher&&) noexcept;

    // The contacts of a step and the scene that they were found in, all or some, in any order.
    // Throws Error where one is between bodies that the scene has not, or is not finite.
    const ContactMatches& match(const Scene& scene, std::span<const Contact> contacts);
    // The same without a scene, as for deforming meshes: positions are compared in the world, and
    // where reach is 0 features alone tell.
    const ContactMatches& match(std::span<const Contact> contacts);

    // All contacts of this body are new in the next step, as where its index is another body's now.
    void forget(std::uint32_t body);
    // All contacts are new in the next step; ids go on.
    void forget_all();

private:
    class Steps;
    std::unique_ptr<Steps> steps_;
};

}  // namespace graze
