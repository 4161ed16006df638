//===- Views.h - What the ops that make a view say about it -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tile/Tile.h"

namespace lora {

/// A view taken apart: a base pointer, first coordinates that `tile.subview` has fixed, and for
/// each remaining dimension its size and stride.
struct ViewDescription {
  struct Dimension {
    mlir::Value size;          ///< i32
    mlir::OpFoldResult stride; ///< A number (index attribute), or an i64 value.
  };
  struct Fixed : Dimension {
    mlir::Value index; ///< i32; the view is empty where it is outside of the dimension.
  };

  mlir::Value base;
  llvm::SmallVector<Fixed> fixed;
  llvm::SmallVector<Dimension> dimensions;

  /// The dimension whose stride is known to be 1, if there is one.
  std::optional<unsigned> contiguousDimension() const;
};

/// Follows `tile.subview` and `tile.transpose` to the `tile.view`.
ViewDescription describeView(mlir::Value view);

/// The stride of a dimension if it is a number.
std::optional<int64_t> getStaticStride(mlir::OpFoldResult stride);

} // namespace lora
