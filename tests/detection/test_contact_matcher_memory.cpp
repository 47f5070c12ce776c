// A steady step of a ContactMatcher, in a program that counts what new allocates, which the thread
// sanitizer does not let it.
#include <gtest/gtest.h>

#include "graze/contact_matcher.h"
#include "tests/count_allocations.h"
#include "tests/detection/detector_scenes.h"

namespace graze {
namespace {

TEST(ContactMatcherMemory, AllocatesNothingInASteadyStep) {
    Scene scene = make_heap(40);
    Detector detector(Method::particles, Device::cpu(1));
    const std::vector<Contact> contacts = copy(detector.detect(scene));
    ContactMatcher matcher(0, Device::cpu(1));
    for (int step = 0; step < 3; ++step)
        matcher.match(scene, contacts);
    const std::size_t before = allocation_count;
    matcher.match(scene, contacts);
    EXPECT_EQ(allocation_count, before);
}

}  // namespace
}  // namespace graze
