#include "detection/detector_engine_impl.h"
#include "parallel/cpu_executor.h"
#include "parallel/fill.h"

namespace graze {

namespace {

class CpuSearch {
public:
    explicit CpuSearch(CpuExecutor& executor) : executor_(executor) {}

    void prepare(const DetectorOptions& /*options*/, const ShapeTable<CpuExecutor>& /*table*/) {}

    template <class... Arguments>
    ParticleStages find(const DetectorOptions& /*options*/, const ParticleBodies& bodies,
                        Arguments&&... arguments) {
        return find_particle_contacts(executor_, ExactLookup{bodies}, bodies,
                                      std::forward<Arguments>(arguments)...);
    }

private:
    CpuExecutor& executor_;
};

}  // namespace

std::unique_ptr<DetectorEngine> make_cpu_engine(const DetectorOptions& options) {
    return std::make_unique<DetectorEngineOn<CpuExecutor, CpuSearch>>(options, host_memory(),
                                                                      options.thread_count);
}

}  // namespace graze
