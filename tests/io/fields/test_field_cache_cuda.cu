// A field that a GPU builds by winding numbers has another key than one of the CPU.
#include "io/fields/field_cache.h"
#include "tests/cuda_test.h"

namespace graze {
namespace {

using FieldCacheCuda = CudaTest;

TEST_F(FieldCacheCuda, TheDeviceOfTheOptionsIsInTheKey) {
    const Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}}};
    for (const FieldSign sign : {FieldSign::automatic, FieldSign::crossings}) {
        FieldOptions options;
        options.sign = sign;
        const io::ContentKey on_cpu = io::key_of(mesh, options);
        options.device = Device::cuda();
        const io::ContentKey on_gpu = io::key_of(mesh, options);
        EXPECT_EQ(on_gpu, io::key_of(mesh, options, Device::Kind::cuda));
        EXPECT_EQ(on_gpu == on_cpu, sign == FieldSign::crossings);
    }
}

}  // namespace
}  // namespace graze
