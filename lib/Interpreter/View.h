//===- View.h - Views at run time -----------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tensor.h"

#include "mlir/IR/Operation.h"

#include <array>
#include <cstdint>

namespace lora::interpreter {

struct View {
  /// The tile.view that described the memory, for messages.
  mlir::Operation *origin;
  Element element;
  unsigned rank;
  uint64_t base;
  std::array<int64_t, 3> sizes;
  /// In elements, not negative.
  std::array<int64_t, 3> strides;

  bool contains(llvm::ArrayRef<int64_t> coordinates) const {
    for (unsigned i = 0; i != rank; ++i)
      if (coordinates[i] < 0 || coordinates[i] >= sizes[i])
        return false;
    return true;
  }

  /// The address of an element, in arithmetic modulo 2^64.
  uint64_t getAddress(llvm::ArrayRef<int64_t> coordinates) const {
    uint64_t offset = 0;
    for (unsigned i = 0; i != rank; ++i)
      offset += static_cast<uint64_t>(coordinates[i]) * static_cast<uint64_t>(strides[i]);
    return base + offset * getBytes(element);
  }
};

} // namespace lora::interpreter
