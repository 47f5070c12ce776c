// Tests that a step whose contacts are reduced takes memory for a slice of its pairs, not for all,
// and that slices do not show in the answer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include "graze/detector.h"
#include "narrow_phase/particles/most_pairs.h"
#include "parallel/cpu_executor.h"
#include "parallel/memory.h"

namespace {

std::atomic<std::size_t> bytes_now{0}, bytes_peak{0};
constexpr std::size_t kHeader = 256;  // no less than any alignment

}  // namespace

// The host's Memory takes its blocks from here.
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    static_cast<void>(alignment);
    auto* block = static_cast<char*>(
        std::aligned_alloc(kHeader, (size + 2 * kHeader - 1) / kHeader * kHeader));
    if (!block) return nullptr;
    *reinterpret_cast<std::size_t*>(block) = size;
    const std::size_t now = bytes_now += size;
    std::size_t peak = bytes_peak;
    while (now > peak && !bytes_peak.compare_exchange_weak(peak, now)) {
    }
    return block + kHeader;
}
void operator delete(void* pointer, std::align_val_t) noexcept {
    if (!pointer) return;
    char* block = static_cast<char*>(pointer) - kHeader;
    bytes_now -= *reinterpret_cast<std::size_t*>(block);
    std::free(block);
}

namespace graze {
namespace {

// Spheres around one point: all of them overlap, with a contact for most particles.
Scene make_cluster(int count) {
    const Shape sphere = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(-0.2f, 0.2f);
    Scene scene;
    for (int i = 0; i < count; ++i)
        scene.add(sphere, {{unit(random), unit(random), unit(random)}, Quat::identity(), 1});
    return scene;
}

DetectorOptions reduced_options(int resolution) {
    DetectorOptions options;
    options.particles.resolution = resolution;
    options.reduction.deepest_count = 4;
    return options;
}

std::vector<Contact> contacts_of(std::span<const Contact> contacts) {
    return {contacts.begin(), contacts.end()};
}

TEST(DetectorMemory, IsBoundedWherePairsAreMany) {
    // Two to four times as many particles as a slice has.
    const Scene few = make_cluster(65), many = make_cluster(92);
    std::size_t peaks[2];
    for (const Scene* scene : {&few, &many}) {
        Detector detector(Method::particles, Device::cpu(), reduced_options(10));
        const std::size_t before = bytes_now;
        bytes_peak = before;
        EXPECT_FALSE(detector.detect(*scene).empty());
        EXPECT_GT(detector.report().found_count, kParticlesAtOnce<CpuExecutor>);
        peaks[scene == &many] = bytes_peak - before;
    }
    EXPECT_LT(peaks[1], std::size_t{150} << 20);
    EXPECT_LT(peaks[1], peaks[0] + peaks[0] / 4);
}

TEST(DetectorMemory, SlicesDoNotShow) {
    const Scene scene = make_cluster(12);
    DetectorOptions options = reduced_options(32);  // 32 of 66 pairs at once
    options.reduction.cell_size = 0.1f;
    ASSERT_LT(most_particle_pairs<CpuExecutor>(options), 66 / 2);
    Detector detector(Method::particles, Device::cpu(), options);
    const std::vector<Contact> all = contacts_of(detector.detect(scene));
    const StepReport report = detector.report();
    EXPECT_EQ(report.pair_count, 66);
    EXPECT_EQ(report.contact_count, static_cast<std::int64_t>(all.size()));
    // Pair by pair there are no slices.
    std::vector<Contact> expected;
    std::int64_t found_count = 0;
    double particles = 0;
    for (std::uint32_t a = 0; a < scene.size(); ++a) {
        for (std::uint32_t b = a + 1; b < scene.size(); ++b) {
            const std::vector<BodyPair> pair{{a, b}};
            const std::vector<Contact> one = contacts_of(detector.detect(scene, pair));
            expected.insert(expected.end(), one.begin(), one.end());
            found_count += detector.report().found_count;
            particles += detector.report().figure("particles");
        }
    }
    EXPECT_EQ(all, expected);
    EXPECT_EQ(report.found_count, found_count);
    EXPECT_EQ(report.figure("particles"), particles);
}

TEST(DetectorMemory, SlicesSeeTheLastContactsAndAllocateNothing) {
    DetectorOptions options = reduced_options(24);
    options.particles.uses_last_contacts = true;
    Detector one(Method::particles, Device::cpu(1), options);
    Detector all(Method::particles, Device::cpu(), options);
    Scene scene = make_cluster(13);
    ASSERT_LT(most_particle_pairs<CpuExecutor>(options), 78);
    std::int64_t allocations = 0;
    for (int step = 0; step < 5; ++step) {
        if (step == 3) allocations = host_memory().allocation_count();
        EXPECT_EQ(contacts_of(one.detect(scene)), contacts_of(all.detect(scene))) << step;
    }
    EXPECT_EQ(host_memory().allocation_count(), allocations);
}

}  // namespace
}  // namespace graze
