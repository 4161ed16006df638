//===- Views.cpp - Interpretation of ops that make views ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "Tile/Tile.h"

using namespace mlir;
using namespace lora;
using namespace lora::interpreter;

static LogicalResult evaluateView(Program &program, tile::ViewOp op) {
  View view{op,
            *getElement(op.getType().getElementType()),
            static_cast<uint64_t>(program.integer(op.getBase())),
            {},
            /*isEmpty=*/false};
  auto dynamicStride = op.getStrides().begin();
  for (auto [i, size] : llvm::enumerate(op.getSizes())) {
    const int64_t known = op.getStaticStrides()[i];
    const bool isDynamic = ShapedType::isDynamic(known);
    const int64_t stride = isDynamic ? program.integer(*dynamicStride++) : known;
    if (stride < 0)
      return program.error(op) << "expected strides that are not negative, got " << stride
                               << " in dimension " << i;
    view.dimensions.push_back({program.integer(size), stride, !isDynamic && known == 1});
  }
  program.bind(op.getResult(), std::move(view));
  return success();
}

static LogicalResult evaluateSubview(Program &program, tile::SubviewOp op) {
  View view = program.view(op.getView());
  const int64_t index = program.integer(op.getIndex());
  if (index < 0 || index >= view.dimensions[0].size)
    view.isEmpty = true;
  view.base = view.getAddress({index, 0, 0});
  view.dimensions.erase(view.dimensions.begin());
  program.bind(op.getResult(), std::move(view));
  return success();
}

static LogicalResult evaluateTranspose(Program &program, tile::TransposeOp op) {
  View view = program.view(op.getView());
  std::swap(view.dimensions[0], view.dimensions[1]);
  program.bind(op.getResult(), std::move(view));
  return success();
}

void lora::interpreter::addViews(HandlerTable &table) {
  table.add<evaluateView>();
  table.add<evaluateSubview>();
  table.add<evaluateTranspose>();
}
