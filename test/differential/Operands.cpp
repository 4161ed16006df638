//===- Operands.cpp - What a problem's reference is computed from ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "lora/Support/Error.h"

using namespace lora;
using namespace lora::differential;

HostBuffer &lora::differential::bufferOf(LoraProblem &problem, std::string_view name) {
  for (HostBuffer &buffer : problem.buffers())
    if (buffer.name() == name)
      return buffer;
  throw Error("the problem has no buffer '" + std::string(name) + "'");
}

std::vector<int32_t> lora::differential::sliceOffsets(const LoraShape &shape) {
  std::vector<int32_t> offsets;
  for (int32_t offset = shape.outputOffset; int32_t width : shape.sliceWidths) {
    offsets.push_back(offset);
    offset += width;
  }
  return offsets;
}

/// The matrices that the table of pointers `name` holds.
static std::vector<MatrixView> weights(LoraProblem &problem, std::string_view name,
                                       int64_t stride) {
  problem.arguments(16); // Fills the table.
  HostBuffer &table = bufferOf(problem, name);
  std::vector<MatrixView> views;
  for (size_t i = 0; i < table.bytes().size() / sizeof(uint64_t); ++i)
    views.push_back(
        {problem.shape().wType, reinterpret_cast<const void *>(table.as<uint64_t>()[i]), stride});
  return views;
}

ShrinkOperands lora::differential::shrinkOperands(LoraProblem &problem) {
  const LoraShape &shape = problem.shape();
  ShrinkOperands operands;
  operands.hidden = shape.hidden;
  operands.maxRank = shape.maxRank;
  operands.maxLoras = shape.maxLoras;
  operands.x = {shape.xType, bufferOf(problem, "x").bytes().data(), shape.xStride};
  operands.a = weights(problem, "a", shape.aStride);
  operands.ranks = shape.ranks;
  operands.scalings = {bufferOf(problem, "scalings").as<float>(), shape.ranks.size()};
  operands.tokenLora = problem.mapping().tokenLora;
  return operands;
}

ExpandOperands lora::differential::expandOperands(LoraProblem &problem,
                                                  const std::vector<int32_t> &offsets) {
  const LoraShape &shape = problem.shape();
  ExpandOperands operands;
  operands.maxLoras = shape.maxLoras;
  const float *s = bufferOf(problem, "s").as<float>();
  for (int32_t slice = 0; slice < shape.slices(); ++slice)
    operands.s.push_back({DType::F32, s + slice * shape.sSliceStride, shape.sStride});
  operands.b = weights(problem, "b", shape.bStride);
  if (shape.addInputs)
    operands.y0 = MatrixView{shape.xType, problem.output().bytes().data(), shape.yStride};
  operands.sliceOffsets = offsets;
  operands.sliceWidths = shape.sliceWidths;
  operands.ranks = shape.ranks;
  operands.tokenLora = problem.mapping().tokenLora;
  return operands;
}
