#include "field/build/build_samples_impl.h"
#include "field/build/fill_cubes_cuda.h"
#include "field/build/measure_error_cuda.h"
#include "field/sampled/copy_samples.h"

namespace graze {

template SampleOutcome build_samples(CudaExecutor&, const Mesh&, const SamplePlan&, SampledField&);

SampleOutcome build_samples_on_cuda(int device_index, const Mesh& mesh, const SamplePlan& plan,
                                    SampledField& field) {
    CudaExecutor executor(device_index);
    SampledField built(executor.memory());
    const SampleOutcome outcome = build_samples(executor, mesh, plan, built);
    download_samples(executor, built, field);
    return outcome;
}

}  // namespace graze
