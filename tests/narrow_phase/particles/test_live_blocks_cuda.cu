// Tests that on a GPU, too, contacts are the same to the byte whether blocks are left out before
// the search or in it, by textures and in full precision.
#include <gtest/gtest.h>

#include "broad_phase/body_boxes.h"
#include "detection/body_lists.h"
#include "detection/shape_textures.h"
#include "narrow_phase/particles/particles_impl.h"
#include "narrow_phase/particles/texture_lookup.h"
#include "tests/cuda_test.h"
#include "tests/detection/detector_scenes.h"

namespace graze {

// These are in the library.
extern template ParticleStages find_particle_contacts(CudaExecutor&, const ExactLookup&,
                                                      const PairStep&, const DetectorOptions&,
                                                      StepRooms&, ParticleWorkspace&, ContactList&);
extern template ParticleStages find_particle_contacts(CudaExecutor&, const TextureLookup&,
                                                      const PairStep&, const DetectorOptions&,
                                                      StepRooms&, ParticleWorkspace&, ContactList&);

namespace {

class LiveBlocksCuda : public CudaTest {};

// The search alone, from bodies to contacts.
class Search {
public:
    Search(CudaExecutor& executor, const Scene& scene)
        : executor_(executor),
          table_(executor, {.field = true, .texture = true}),
          bodies_(executor, pinned_memory()),
          boxes_(executor.memory(), scene.size()),
          pairs_(executor.memory()),
          rooms_(pinned_memory()),
          workspace_(executor.memory()),
          result_(executor.memory()) {
        bodies_.update(scene, false, table_);
        executor.for_each("boxes", bodies_.count(),
                          BodyBoxes{table_.bounds(), bodies_.shapes(), bodies_.poses(), nullptr, 0,
                                    boxes_.data()});
        for (int attempt = 0; attempt < 2; ++attempt) {
            find_body_pairs(executor, boxes_.data(), bodies_.filters(), bodies_.count(), pairs_);
            pair_count_ = static_cast<std::int64_t>(executor.read(pairs_.count.data()));
            if (pair_count_ > pairs_.pairs.size()) pairs_.pairs.resize(pair_count_);
        }
    }

    std::vector<Contact> find(const DetectorOptions& options, BlockLists lists) {
        workspace_.block_lists = lists;
        const PairStep step{
            table_.lists(),      bodies_.shapes(),    bodies_.poses(), nullptr, boxes_.data(),
            pairs_.pairs.data(), pairs_.count.data(), pair_count_,     {}};
        const ParticleBodies bodies = particle_bodies(step);
        ParticleStages stages{};
        for (bool fits = false; !fits;) {
            rooms_.begin();
            stages =
                options.particles.uses_textures
                    ? find_particle_contacts(executor_, TextureLookup{bodies, step.shapes.textures},
                                             step, options, rooms_, workspace_, result_)
                    : find_particle_contacts(executor_, ExactLookup{bodies}, step, options, rooms_,
                                             workspace_, result_);
            rooms_.read(executor_);
            executor_.wait();
            fits = rooms_.settle();
        }
        std::vector<Contact> contacts(rooms_.total(stages.contacts));
        executor_.copy_to_host("contacts", result_.contacts.data(), contacts.data(),
                               static_cast<std::int64_t>(contacts.size()));
        executor_.wait();
        return contacts;
    }

private:
    CudaExecutor& executor_;
    ShapeTable<CudaExecutor, ShapeTextures> table_;
    BodyLists<CudaExecutor> bodies_;
    Buffer<Aabb> boxes_;
    BodyPairs pairs_;
    std::int64_t pair_count_ = 0;
    StepRooms rooms_;
    ParticleWorkspace workspace_;
    ContactList result_;
};

TEST_F(LiveBlocksCuda, ListsDoNotShow) {
    const Scene scene = make_heap(60);
    Search search(executor(), scene);
    for (const bool uses_textures : {false, true}) {
        for (const int resolution : {1, 5, 10, 15, 20, 33}) {
            DetectorOptions options;
            options.particles.resolution = resolution;
            options.particles.uses_textures = uses_textures;
            const std::vector<Contact> expected = search.find(options, BlockLists::never);
            EXPECT_TRUE(resolution == 1 || expected.size() > 100);
            EXPECT_TRUE(search.find(options, BlockLists::always) == expected)
                << resolution << (uses_textures ? " by textures" : "");
        }
    }
}

}  // namespace
}  // namespace graze
