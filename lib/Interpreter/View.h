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
  struct Dimension {
    int64_t size;
    /// In elements, not negative.
    int64_t stride;
    /// Whether the stride is 1 whatever the arguments.
    bool isContiguous;
  };

  /// The tile.view that described the memory, for messages.
  mlir::Operation *origin;
  Element element;
  uint64_t base;
  /// One to three.
  llvm::SmallVector<Dimension, 3> dimensions;
  /// Whether a tile.subview fixed a coordinate outside its view. The sizes do not say so.
  bool isEmpty;

  bool contains(llvm::ArrayRef<int64_t> coordinates) const {
    for (auto [coordinate, dimension] : llvm::zip(coordinates, dimensions))
      if (coordinate < 0 || coordinate >= dimension.size)
        return false;
    return !isEmpty;
  }

  /// The address of an element, in arithmetic modulo 2^64.
  uint64_t getAddress(llvm::ArrayRef<int64_t> coordinates) const {
    uint64_t offset = 0;
    for (auto [coordinate, dimension] : llvm::zip(coordinates, dimensions))
      offset += static_cast<uint64_t>(coordinate) * static_cast<uint64_t>(dimension.stride);
    return base + offset * getBytes(element);
  }
};

} // namespace lora::interpreter
