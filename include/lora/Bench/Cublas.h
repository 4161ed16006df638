//===- Cublas.h - Matrix products by cuBLAS -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Driver.h"
#include "lora/Support/DType.h"

#include <cstdint>
#include <memory>
#include <string>

namespace lora {

/// out[m, n] = alpha * sum over k of x[m, k] * w[n, k] + beta * out[m, n], all row-major, on device
/// addresses, with strides in elements from one row to the next.
struct RowMajorProduct {
  /// Of all three matrices; sums are in f32.
  DType type = DType::F16;
  int64_t m = 0, n = 0, k = 0;
  uint64_t x = 0, w = 0, out = 0;
  int64_t xStride = 0, wStride = 0, outStride = 0;
  float alpha = 1, beta = 0;
};

/// cuBLAS, which is loaded at run time. Not thread-safe.
class Cublas {
public:
  /// Loads the library from a path, or, if that is empty, looks for it where CUDA is installed.
  /// Throws Error if it cannot be loaded or started.
  Cublas(const Device &device, const std::string &path = "");

  /// E.g. "13.0.2".
  std::string version() const;

  /// Enqueues the product. Throws Error with cuBLAS's status if it refuses.
  void multiply(const RowMajorProduct &product, Stream &stream);

  struct Library;

private:
  std::shared_ptr<const Library> library;
  /// Destroyed before the memory that cuBLAS works in.
  DeviceBuffer workspace;
  std::shared_ptr<void> handle;
};

} // namespace lora
