//===- DriverTest.cpp - Tests of loading the driver and of its objects ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/Driver.h"
#include "../ErrorOf.h"

#include "CudaApi.h"
#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <dlfcn.h>
#include <functional>
#include <vector>

using namespace lora;

namespace {

TEST(Driver, MissingLibrary) {
  std::string message = errorOf([] { cuda::loadApi("liblora_no_such_driver.so.1"); });
  EXPECT_TRUE(message.starts_with("CUDA driver: cannot load liblora_no_such_driver.so.1: "))
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Driver, MissingFunction) {
  EXPECT_EQ(errorOf([] { cuda::loadApi("libc.so.6"); }),
            "CUDA driver: libc.so.6 has no cuInit: expected the driver of CUDA 11.8 or later");
}

TEST(Driver, ClearErrorWithoutADriver) {
  if (Driver::available())
    GTEST_SKIP() << "this machine has a driver";
  std::string message = errorOf(Driver::load);
  if (dlopen("libcuda.so.1", RTLD_NOW))
    EXPECT_TRUE(message.starts_with("cuInit: CUDA_ERROR_")) << message;
  else
    EXPECT_TRUE(message.starts_with("CUDA driver: cannot load libcuda.so.1: ")) << message;
  EXPECT_EQ(errorOf([] { Device device; }), message);
}

class DeviceTest : public testing::Test {
protected:
  void SetUp() override {
    if (!Driver::available() || Device::count() == 0)
      GTEST_SKIP() << "this machine has no CUDA device";
  }
};

TEST_F(DeviceTest, OrdinalIsChecked) {
  EXPECT_EQ(errorOf([] { Device device(-1); }),
            "CUDA device -1: expected 0 to " + std::to_string(Device::count() - 1));
}

TEST_F(DeviceTest, BuffersRoundTrip) {
  Device device;
  Stream stream(device);
  DeviceBuffer buffer(device, 1000);
  std::vector<std::byte> sent(1000, std::byte(7)), received(1000);
  buffer.upload(sent, stream);
  buffer.download(received, stream);
  EXPECT_EQ(sent, received);
  buffer.fill(9, stream);
  buffer.download(received, stream);
  EXPECT_EQ(received, std::vector<std::byte>(1000, std::byte(9)));
  EXPECT_EQ(errorOf([&] { buffer.upload(std::span(sent).first(10), stream); }),
            "upload of 10 bytes: expected the size of the device buffer, 1000");
}

TEST_F(DeviceTest, EventsMeasureTime) {
  Device device;
  Stream stream(device);
  Event start(device), end(device);
  start.record(stream);
  end.record(stream);
  end.synchronize();
  EXPECT_GE(end.millisecondsSince(start), 0.0f);
}

TEST_F(DeviceTest, DriverErrorsAreNamed) {
  Device device;
  EXPECT_EQ(errorOf([&] { Module(device, {}); }),
            "code of 0 bytes: expected an ELF file, or text that ends with a zero byte");
  std::vector<std::byte> header(4096);
  const unsigned char magic[] = {0x7f, 'E', 'L', 'F'};
  std::copy_n(reinterpret_cast<const std::byte *>(magic), 4, header.begin());
  std::string message = errorOf([&] { Module(device, header); });
  EXPECT_TRUE(message.starts_with("cuModuleLoadData: CUDA_ERROR_")) << message;
}

} // namespace
