//===- LayoutAttributes.cpp - Layouts as attributes -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Transforms/LayoutAttributes.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

static SmallVector<int32_t> flatten(const std::vector<Basis> &bases, int rank) {
  SmallVector<int32_t> flat;
  for (Basis basis : bases)
    for (int d = 0; d != rank; ++d)
      flat.push_back(d == basis.dimension ? basis.step : 0);
  return flat;
}

static std::vector<Basis> unflatten(ArrayRef<int32_t> flat, int rank) {
  std::vector<Basis> bases(flat.size() / rank);
  for (auto [i, step] : llvm::enumerate(flat))
    if (step != 0)
      bases[i / rank] = {static_cast<int>(i) % rank, step};
  return bases;
}

LayoutAttr lora::toAttribute(MLIRContext *context, const Layout &layout) {
  int rank = layout.rank();
  return LayoutAttr::get(context, rank, flatten(layout.registers(), rank),
                         flatten(layout.lanes(), rank), flatten(layout.warps(), rank));
}

Layout lora::fromAttribute(LayoutAttr attribute) {
  int rank = attribute.getRank();
  return Layout(rank, unflatten(attribute.getRegisterBases(), rank),
                unflatten(attribute.getLaneBases(), rank),
                unflatten(attribute.getWarpBases(), rank));
}

Layout lora::getLayoutOf(Type tile) { return fromAttribute(getLayout(tile)); }
