#include "field/build_samples_impl.h"
#include "field/copy_samples.h"
#include "field/fill_cubes_cuda.h"
#include "field/measure_error_cuda.h"

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
