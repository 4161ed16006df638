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
  View view = {};
  view.origin = op;
  view.element = *getElement(op.getType().getElementType());
  view.rank = op.getType().getRank();
  view.base = program.integer(op.getBase());
  auto dynamicStride = op.getStrides().begin();
  for (unsigned i = 0; i != view.rank; ++i) {
    const int64_t known = op.getStaticStrides()[i];
    view.sizes[i] = program.integer(op.getSizes()[i]);
    view.strides[i] = ShapedType::isDynamic(known) ? program.integer(*dynamicStride++) : known;
    if (view.strides[i] < 0)
      return program.error(op) << "expected strides that are not negative, got " << view.strides[i]
                               << " in dimension " << i;
  }
  program.bind(op.getResult(), view);
  return success();
}

static LogicalResult evaluateSubview(Program &program, tile::SubviewOp op) {
  const View &from = program.view(op.getView());
  const int64_t index = program.integer(op.getIndex());
  View view = from;
  --view.rank;
  for (unsigned i = 0; i != view.rank; ++i) {
    view.sizes[i] = from.sizes[i + 1];
    view.strides[i] = from.strides[i + 1];
  }
  if (index >= 0 && index < from.sizes[0])
    view.base = from.getAddress({index, 0, 0});
  else
    view.sizes = {};
  program.bind(op.getResult(), view);
  return success();
}

static LogicalResult evaluateTranspose(Program &program, tile::TransposeOp op) {
  View view = program.view(op.getView());
  std::swap(view.sizes[0], view.sizes[1]);
  std::swap(view.strides[0], view.strides[1]);
  program.bind(op.getResult(), view);
  return success();
}

void lora::interpreter::addViews(HandlerTable &table) {
  table.add<evaluateView>();
  table.add<evaluateSubview>();
  table.add<evaluateTranspose>();
}
