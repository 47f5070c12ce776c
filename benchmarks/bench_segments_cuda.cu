// 10^6 random segments in the bunny's box against its field, on a GPU: times by events, with
// segments and results in the device's memory.
#include <cstdio>
#include <string>
#include <vector>

#include "benchmarks/cuda_timing.h"
#include "benchmarks/random_segments.h"
#include "field/segments/field_steepness.h"
#include "field/segments/segment_engine_impl.h"
#include "graze/field_cache.h"
#include "graze/mesh_io.h"
#include "tests/data_folder.h"

namespace graze {

extern template class SegmentFinder<CudaExecutor>;

namespace {

constexpr int kSegmentCount = 1000000;

void run(const Mesh& mesh) {
    CudaExecutor executor;
    const Buffer<Segment> segments = upload(executor, random_segments(bounds(mesh), kSegmentCount));
    for (const int cells : {128, 256, 1024}) {
        for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
            FieldOptions options;
            options.resolution = cells;
            options.sparse = cells > 128;
            options.order = order;
            options.measure_error = false;
            options.device = Device::cuda();
            const Field field = cached_build_field(mesh, options);
            SegmentFinder<CudaExecutor> finder(executor, field);
            CpuExecutor host;
            const WalkSettings settings{field_steepness(host, field)};
            for (const SegmentWalk walk :
                 {SegmentWalk::cells, SegmentWalk::tree, SegmentWalk::distance}) {
                const SegmentOptions search{0, walk, CellRule::exact};
                const double all = median_milliseconds(
                    executor,
                    [&] {
                        finder.find_intervals(segments.data(), segments.size(), search, settings);
                    },
                    11);
                const double first = median_milliseconds(
                    executor,
                    [&] {
                        finder.find_first_times(segments.data(), segments.size(), search, settings);
                    },
                    11);
                const char* names[] = {"cells", "tree", "distance"};
                std::printf(
                    "%4d^3 %s order %d %-9s intervals %7.3f ms   first times %7.3f ms   "
                    "(bar 2)   %lld intervals\n",
                    cells, options.sparse ? "sparse" : "dense ", order == FieldOrder::one ? 1 : 0,
                    names[static_cast<int>(walk)], all, first,
                    static_cast<long long>(finder.intervals().size()));
            }
        }
    }
}

}  // namespace
}  // namespace graze

int main() {
    if (!graze::find_gpu()) return 0;
    const std::filesystem::path file = graze::data_folder() / "models" / "bunny_hr.obj";
    if (!std::filesystem::exists(file)) {
        std::printf("there is no %s; set GRAZE_DATA to the folder of models\n", file.c_str());
        return 0;
    }
    graze::run(graze::load_mesh(file));
    return 0;
}
