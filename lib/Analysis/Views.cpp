//===- Views.cpp - What the ops that make a view say about it ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Analysis/Views.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

ViewDescription lora::describeView(Value view) {
  Operation *op = view.getDefiningOp();
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    ViewDescription result = describeView(transpose.getView());
    std::swap(result.dimensions[0], result.dimensions[1]);
    return result;
  }
  if (auto subview = dyn_cast<SubviewOp>(op)) {
    ViewDescription result = describeView(subview.getView());
    result.fixed.push_back({result.dimensions.front(), subview.getIndex()});
    result.dimensions.erase(result.dimensions.begin());
    return result;
  }
  auto source = cast<ViewOp>(op);
  ViewDescription result{source.getBase(), {}, {}};
  for (unsigned d = 0; d != source.getType().getRank(); ++d)
    result.dimensions.push_back({source.getSizes()[d], source.getMixedStride(d)});
  return result;
}

std::optional<int64_t> lora::getStaticStride(OpFoldResult stride) {
  auto number = dyn_cast_if_present<Attribute>(stride);
  return number ? std::optional(cast<IntegerAttr>(number).getInt()) : std::nullopt;
}

std::optional<unsigned> ViewDescription::contiguousDimension() const {
  for (auto [d, dimension] : llvm::enumerate(dimensions))
    if (getStaticStride(dimension.stride) == 1)
      return d;
  return std::nullopt;
}
