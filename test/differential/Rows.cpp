//===- Rows.cpp - The rows of a problem, wherever they lie -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <numeric>

using namespace lora;
using namespace lora::differential;

HostBuffer &lora::differential::bufferOf(LoraProblem &problem, std::string_view name) {
  for (HostBuffer &buffer : problem.buffers())
    if (buffer.name() == name)
      return buffer;
  throw Error("the problem has no buffer '" + std::string(name) + "'");
}

static std::span<std::byte> part(HostBuffer &buffer, int64_t first, int64_t count, DType type) {
  return buffer.bytes().subspan(static_cast<size_t>(first) * byteSize(type),
                                static_cast<size_t>(count) * byteSize(type));
}

static std::span<std::byte> rowOfS(LoraProblem &problem, int32_t slice, size_t token) {
  const LoraShape &shape = problem.shape();
  return part(bufferOf(problem, "s"),
              slice * shape.sSliceStride + static_cast<int64_t>(token) * shape.sStride,
              shape.maxRank, DType::F32);
}

std::span<std::byte> lora::differential::outputRow(LoraProblem &problem, int32_t slice,
                                                   size_t token) {
  if (problem.op() == LoraOp::Shrink)
    return rowOfS(problem, slice, token);
  const LoraShape &shape = problem.shape();
  int32_t offset = std::accumulate(shape.sliceWidths.begin(), shape.sliceWidths.begin() + slice,
                                   shape.outputOffset);
  return part(problem.output(), static_cast<int64_t>(token) * shape.yStride + offset,
              shape.sliceWidths[static_cast<size_t>(slice)], shape.xType);
}

std::vector<double> lora::differential::outputValues(LoraProblem &problem, int32_t slice,
                                                     size_t token) {
  DType type = problem.op() == LoraOp::Shrink ? DType::F32 : problem.shape().xType;
  std::span<std::byte> row = outputRow(problem, slice, token);
  std::vector<double> values(row.size() / byteSize(type));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = loadElement(type, row.data(), static_cast<int64_t>(i));
  return values;
}

void lora::differential::copyToken(LoraProblem &from, size_t token, LoraProblem &to, size_t place) {
  const LoraShape &shape = from.shape();
  if (from.op() == LoraOp::Shrink)
    std::ranges::copy(part(bufferOf(from, "x"), static_cast<int64_t>(token) * shape.xStride,
                           shape.hidden, shape.xType),
                      part(bufferOf(to, "x"), static_cast<int64_t>(place) * to.shape().xStride,
                           shape.hidden, shape.xType)
                          .begin());
  for (int32_t slice = 0; slice < shape.slices(); ++slice) {
    std::ranges::copy(rowOfS(from, slice, token), rowOfS(to, slice, place).begin());
    if (from.op() == LoraOp::Expand)
      std::ranges::copy(outputRow(from, slice, token), outputRow(to, slice, place).begin());
  }
}

/// The matrices that the table of pointers `name` holds.
static std::vector<MatrixView> weights(LoraProblem &problem, std::string_view name,
                                       int64_t stride) {
  problem.arguments(); // Fills the table.
  HostBuffer &table = bufferOf(problem, name);
  std::vector<MatrixView> views;
  for (size_t i = 0; i < table.bytes().size() / sizeof(uint64_t); ++i)
    views.push_back(
        {problem.shape().wType, reinterpret_cast<const void *>(table.as<uint64_t>()[i]), stride});
  return views;
}

static std::vector<double> referenceSlice(LoraProblem &problem, int32_t slice,
                                          std::span<const int64_t> tokens) {
  const LoraShape &shape = problem.shape();
  if (problem.op() == LoraOp::Shrink) {
    ShrinkOperands operands;
    operands.hidden = shape.hidden;
    operands.maxRank = shape.maxRank;
    operands.maxLoras = shape.maxLoras;
    operands.x = {shape.xType, bufferOf(problem, "x").bytes().data(), shape.xStride};
    operands.a = weights(problem, "a", shape.aStride);
    operands.ranks = shape.ranks;
    operands.scalings = {bufferOf(problem, "scalings").as<float>(), shape.ranks.size()};
    operands.tokenLora = problem.mapping().tokenLoraMapping;
    return referenceShrink(operands, slice, tokens);
  }
  ExpandOperands operands;
  std::vector<int32_t> offsets;
  for (int32_t offset = shape.outputOffset; int32_t width : shape.sliceWidths) {
    offsets.push_back(offset);
    offset += width;
  }
  operands.maxLoras = shape.maxLoras;
  for (int32_t i = 0; i < shape.slices(); ++i)
    operands.s.push_back({DType::F32, rowOfS(problem, i, 0).data(), shape.sStride});
  operands.b = weights(problem, "b", shape.bStride);
  if (shape.addInputs)
    operands.y0 = MatrixView{shape.xType, problem.output().bytes().data(), shape.yStride};
  operands.sliceOffsets = offsets;
  operands.sliceWidths = shape.sliceWidths;
  operands.ranks = shape.ranks;
  operands.tokenLora = problem.mapping().tokenLoraMapping;
  return referenceExpand(operands, slice, tokens);
}

std::vector<std::vector<std::vector<double>>>
lora::differential::referenceRows(LoraProblem &problem) {
  std::vector<int64_t> tokens(static_cast<size_t>(problem.shape().tokens));
  std::iota(tokens.begin(), tokens.end(), 0);
  std::vector<std::vector<std::vector<double>>> result;
  for (int32_t slice = 0; slice < problem.shape().slices(); ++slice) {
    std::vector<double> all = referenceSlice(problem, slice, tokens);
    auto &rows = result.emplace_back();
    size_t width = all.size() / tokens.size();
    for (size_t i = 0; i < tokens.size(); ++i)
      rows.emplace_back(all.begin() + static_cast<ptrdiff_t>(i * width),
                        all.begin() + static_cast<ptrdiff_t>((i + 1) * width));
  }
  return result;
}
