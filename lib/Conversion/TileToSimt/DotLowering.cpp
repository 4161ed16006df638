//===- DotLowering.cpp - Products on tensor cores ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "Simt/Simt.h"
#include "lora/Layout/MmaLayouts.h"
#include "lora/Transforms/LayoutAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

Registers KernelLowering::dot(DotOp op, const Registers &accumulator) {
  auto lhsType = op.getLhs().getType(), rhsType = op.getRhs().getType();
  Registers lhs = tiles.lookup(op.getLhs()), rhs = tiles.lookup(op.getRhs());
  Type element = lhsType.getElementType();
  // Both 16-bit types fit into tf32, so mixed operands lose nothing there.
  bool wide = element.isF32() || element != rhsType.getElementType();
  if (wide)
    for (Registers *operand : {&lhs, &rhs})
      for (Value &value : *operand)
        if (!value.getType().isF32())
          value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);

  auto pick = [&](const Registers &values, ArrayRef<int> registers) {
    Registers picked;
    for (int reg : registers)
      picked.push_back(values[reg]);
    return packVector(builder, loc, picked);
  };
  // The accumulators stay vectors from instruction to instruction.
  DenseMap<int, Value> vectors;
  SmallVector<MmaFragments> last;
  Registers result = accumulator;
  for (const MmaFragments &fragments : mmaInstructions(getLayoutOf(lhsType), getLayoutOf(rhsType),
                                                       getLayoutOf(op.getType()), wide ? 8 : 16)) {
    Value &vector = vectors[fragments.accumulator[0]];
    if (!vector) {
      vector = pick(accumulator, fragments.accumulator);
      last.push_back(fragments);
    }
    vector = simt::MmaOp::create(builder, loc, vector.getType(), pick(lhs, fragments.lhs),
                                 pick(rhs, fragments.rhs), vector);
  }
  for (const MmaFragments &fragments : last)
    for (auto [i, reg] : llvm::enumerate(fragments.accumulator))
      result[reg] = vector::ExtractOp::create(builder, loc, vectors[fragments.accumulator[0]],
                                              static_cast<int64_t>(i));
  return result;
}
