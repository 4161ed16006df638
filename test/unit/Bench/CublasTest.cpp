//===- CublasTest.cpp - Tests of products by cuBLAS -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Cublas.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <vector>

using namespace lora;

namespace {

std::string loadError(const std::string &path) {
  try {
    Cublas(Device(), path);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(Cublas, MultipliesRowMajorMatrices) {
  Device device;
  Stream stream(device);
  Cublas cublas(device, FAKE_CUBLAS);
  EXPECT_EQ(cublas.version(), "13.0.2");
  // x is [2, 3], w is [2, 3] in rows of 4, out is [2, 2] in rows of 5.
  auto upload = [&](const std::vector<float> &values) {
    std::vector<std::byte> bits(values.size() * 2);
    for (size_t i = 0; i < values.size(); ++i)
      storeElement(DType::F16, bits.data(), int64_t(i), values[i]);
    DeviceBuffer buffer(device, bits.size());
    buffer.upload(bits, stream);
    return buffer;
  };
  DeviceBuffer x = upload({1, 2, 3, 4, 5, 6}), w = upload({1, 0, 1, 9, 2, 1, 0, 9});
  DeviceBuffer out = upload({1, 1, 7, 7, 7, 1, 1, 7, 7, 7});
  RowMajorProduct product = {DType::F16,    2, 2, 3, x.address(), w.address(),
                             out.address(), 3, 4, 5, 1,           1};
  cublas.multiply(product, stream);
  std::vector<std::byte> bits(20);
  out.download(bits, stream);
  std::vector<float> found;
  for (int i = 0; i < 10; ++i)
    found.push_back(loadElement(DType::F16, bits.data(), i));
  EXPECT_EQ(found, (std::vector<float>{5, 5, 7, 7, 7, 11, 14, 7, 7, 7}));
}

TEST(Cublas, RefusedProduct) {
  Device device;
  Stream stream(device);
  Cublas cublas(device, FAKE_CUBLAS);
  RowMajorProduct product;
  product.k = 4;
  try {
    cublas.multiply(product, stream);
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "cuBLAS: cublasGemmEx failed with status 7");
  }
}

TEST(Cublas, MissingLibrary) {
  EXPECT_TRUE(
      loadError("/none/libcublas.so").starts_with("cuBLAS: cannot load /none/libcublas.so"));
  EXPECT_EQ(loadError("libc.so.6"),
            "cuBLAS: found no cublasCreate_v2 in the library, expected version 12 or later");
}

} // namespace
