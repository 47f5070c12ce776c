#include "field/build/build_samples_impl.h"
#include "field/build/fill_samples_cpu.h"

namespace graze {

template SampleOutcome build_samples(CpuExecutor&, const Mesh&, const SamplePlan&, SampledField&);

std::int64_t brick_bytes(FieldOrder order) {
    return kBrickSize * (order == FieldOrder::zero ? 4 : 8) + 8 + 8 * 4;
}

}  // namespace graze
