#include "graze/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graze/error.h"
#include "graze/version.h"

namespace graze {
namespace {

using testing::HasSubstr;

// The message of the Error that parsing the text throws.
std::string parse_error(const std::string& text) {
    try {
        Device::parse(text);
    } catch (const Error& error) {
        return error.what();
    }
    ADD_FAILURE() << "'" << text << "' was taken for a device";
    return {};
}

TEST(Device, CpuIsAlwaysThere) {
    const Device cpu = Device::cpu();
    EXPECT_EQ(cpu.kind(), Device::Kind::cpu);
    EXPECT_FALSE(cpu.is_cuda());
    EXPECT_EQ(cpu.index(), 0);
    EXPECT_EQ(cpu.name(), "cpu");
    EXPECT_THAT(cpu.description(), HasSubstr("core"));
    EXPECT_EQ(Device::parse("cpu"), cpu);
}

TEST(Device, ListStartsWithTheCpuAndNamesParse) {
    const std::vector<Device> devices = Device::list();
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices[0], Device::cpu());
    for (std::size_t i = 1; i < devices.size(); ++i) {
        EXPECT_TRUE(devices[i].is_cuda());
        EXPECT_EQ(devices[i].index(), static_cast<int>(i) - 1);
        EXPECT_FALSE(devices[i].description().empty());
    }
    for (const Device& device : devices)
        EXPECT_EQ(Device::parse(device.name()), device);
    if (!has_cuda()) {
        EXPECT_EQ(devices.size(), 1u);
    }
}

TEST(Device, BestIsTheFirstGpuElseTheCpu) {
    const std::vector<Device> devices = Device::list();
    EXPECT_EQ(Device::best(), devices.size() > 1 ? devices[1] : devices[0]);
    EXPECT_EQ(Device::parse("best"), Device::best());
}

TEST(Device, AskingForAGpuThatIsNotThereSaysWhatToDo) {
    const int gpu_count = static_cast<int>(Device::list().size()) - 1;
    EXPECT_THROW(Device::cuda(gpu_count), Error);
    EXPECT_THROW(Device::cuda(-1), Error);
    EXPECT_THROW(Device::parse("cuda:" + std::to_string(gpu_count)), Error);
    if (gpu_count == 0) {
        EXPECT_THAT(parse_error("cuda"), HasSubstr("cpu"));
    } else {
        EXPECT_EQ(Device::parse("cuda"), Device::cuda(0));
        EXPECT_THAT(parse_error("cuda:" + std::to_string(gpu_count)),
                    HasSubstr("cuda:" + std::to_string(gpu_count - 1)));
    }
}

TEST(Device, OtherTextIsRefused) {
    for (const char* text :
         {"", "CPU", "gpu", "cpu ", " cpu", "cpu:0", "cuda:", "cuda:x", "cuda:0x", "cuda: 0",
          "cuda:0 ", "cuda:99999999999", "cuda0", "cuda,0"}) {
        EXPECT_THAT(parse_error(text), HasSubstr(std::string("'") + text + "'"));
        EXPECT_THAT(parse_error(text), HasSubstr("best"));
    }
}

TEST(Device, Equality) {
    EXPECT_TRUE(Device::cpu() == Device::cpu());
    for (const Device& device : Device::list())
        EXPECT_EQ(device == Device::cpu(), !device.is_cuda());
}

TEST(Version, IsTheHeaders) {
    EXPECT_EQ(std::string(version()), std::to_string(GRAZE_VERSION_MAJOR) + "." +
                                          std::to_string(GRAZE_VERSION_MINOR) + "." +
                                          std::to_string(GRAZE_VERSION_PATCH));
}

}  // namespace
}  // namespace graze
