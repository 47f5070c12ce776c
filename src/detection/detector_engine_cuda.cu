#include "detection/detector_engine_impl.h"
#include "detection/texture_table.h"
#include "parallel/cuda_executor.h"
#include "parallel/fill.h"

namespace graze {

namespace {

class CudaSearch {
public:
    explicit CudaSearch(CudaExecutor& executor) : executor_(executor), textures_(executor) {}

    void prepare(const DetectorOptions& options, const ShapeTable<CudaExecutor>& table) {
        if (options.particles.uses_textures) textures_.update(table);
    }

    template <class... Arguments>
    ParticleStages find(const DetectorOptions& options, const ParticleBodies& bodies,
                        Arguments&&... arguments) {
        if (options.particles.uses_textures) {
            return find_particle_contacts(executor_, TextureLookup{bodies, textures_.list()},
                                          bodies, std::forward<Arguments>(arguments)...);
        }
        return find_particle_contacts(executor_, ExactLookup{bodies}, bodies,
                                      std::forward<Arguments>(arguments)...);
    }

private:
    CudaExecutor& executor_;
    TextureTable textures_;
};

}  // namespace

std::unique_ptr<DetectorEngine> make_cuda_engine(const DetectorOptions& options, int device_index) {
    return std::make_unique<DetectorEngineOn<CudaExecutor, CudaSearch>>(options, pinned_memory(),
                                                                        device_index);
}

}  // namespace graze
