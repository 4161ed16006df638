//===- Workload.cpp - The data of one launch of a case ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workload.h"

#include "FusedBuffers.h"
#include "Operands.h"

#include <algorithm>
#include <numeric>

using namespace lora;
using namespace lora::differential;

Workload::Workload(const Case &test, const Launch &launch, const std::vector<int32_t> &mapping)
    : test(test), count(mapping.size()) {
  LoraShape shape = shapeOf(test, launch, mapping.size());
  if (test.kernel != Kernel::Expand)
    shrink.emplace(LoraOp::Shrink, shape, mapping, test.data);
  if (test.kernel != Kernel::Shrink)
    expand.emplace(LoraOp::Expand, shape, mapping, test.data);
}

Arguments Workload::arguments(int64_t blockM) {
  return test.kernel == Kernel::ShrinkExpand ? FusedBuffers(*shrink, *expand, blockM).arguments()
                                             : last().arguments(blockM);
}

void Workload::run(HostBackend backend, const Launch &launch) {
  if (test.kernel == Kernel::ShrinkExpand)
    runFused(backend, launch);
  else
    runOnHost(backend, last(), launch.config, launch.target, launch.order);
}

void Workload::runFused(HostBackend backend, const Launch &launch) {
  FusedBuffers buffers(*shrink, *expand, launch.config.at("BLOCK_M"));
  const char *name = kernelName(Kernel::ShrinkExpand);
  runOnHost(backend, builtinKernel(name), std::string(name) + ".mlir",
            compileOptionsFor(LoraOp::Expand, expand->shape(), launch.config, launch.target),
            buffers.arguments(), buffers.all(), launch.order, {&buffers.output(), true});
  std::ranges::copy(buffers.output().bytes(), expand->output().bytes().begin());
}

void Workload::runSeparately(const Launch &launch) {
  runOnHost(HostBackend::Emulator, *shrink, defaultConfig(LoraOp::Shrink, shrink->shape()),
            launch.target, launch.order);
  expand->setS(*shrink);
  Config config = defaultConfig(LoraOp::Expand, expand->shape());
  // Bounds of the rank of 16 and above add in different orders.
  if (launch.config.at("MAX_RANK") > 16 && config.at("MAX_RANK") == 16)
    config["BLOCK_K"] = config["MAX_RANK"] = 32;
  runOnHost(HostBackend::Emulator, *expand, config, launch.target, launch.order);
}

static std::span<std::byte> part(HostBuffer &buffer, int64_t first, int64_t count, DType type) {
  return buffer.bytes().subspan(static_cast<size_t>(first) * byteSize(type),
                                static_cast<size_t>(count) * byteSize(type));
}

static std::span<std::byte> rowOfX(LoraProblem &problem, size_t token) {
  const LoraShape &shape = problem.shape();
  return part(bufferOf(problem, "x"), static_cast<int64_t>(token) * shape.xStride, shape.hidden,
              shape.xType);
}

static std::span<std::byte> rowOfS(LoraProblem &problem, int32_t slice, size_t token) {
  const LoraShape &shape = problem.shape();
  return part(bufferOf(problem, "s"),
              slice * shape.sSliceStride + static_cast<int64_t>(token) * shape.sStride,
              shape.maxRank, DType::F32);
}

static std::span<std::byte> rowOfY(LoraProblem &problem, int32_t slice, size_t token) {
  const LoraShape &shape = problem.shape();
  int32_t offset = std::accumulate(shape.sliceWidths.begin(), shape.sliceWidths.begin() + slice,
                                   shape.outputOffset);
  return part(problem.output(), static_cast<int64_t>(token) * shape.yStride + offset,
              shape.sliceWidths[static_cast<size_t>(slice)], shape.xType);
}

std::span<std::byte> Workload::outputRow(int32_t slice, size_t token) {
  return expand ? rowOfY(*expand, slice, token) : rowOfS(*shrink, slice, token);
}

std::vector<double> Workload::outputValues(int32_t slice, size_t token) {
  DType type = expand ? expand->shape().xType : DType::F32;
  std::span<std::byte> row = outputRow(slice, token);
  std::vector<double> values(row.size() / byteSize(type));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = loadElement(type, row.data(), static_cast<int64_t>(i));
  return values;
}

Rows Workload::output() {
  Rows rows(static_cast<size_t>(slices()));
  for (int32_t slice = 0; slice < slices(); ++slice)
    for (size_t token = 0; token < count; ++token)
      rows[static_cast<size_t>(slice)].push_back(outputValues(slice, token));
  return rows;
}

void Workload::copyToken(size_t token, Workload &to, size_t place) {
  if (shrink)
    std::ranges::copy(rowOfX(*shrink, token), rowOfX(*to.shrink, place).begin());
  for (int32_t slice = 0; slice < slices(); ++slice) {
    if (test.kernel == Kernel::Expand)
      std::ranges::copy(rowOfS(*expand, slice, token), rowOfS(*to.expand, slice, place).begin());
    std::ranges::copy(outputRow(slice, token), to.outputRow(slice, place).begin());
  }
}

std::vector<double> Workload::referenceOf(int32_t slice, std::span<const int64_t> tokens) {
  if (!expand)
    return referenceShrink(shrinkOperands(*shrink), slice, tokens);
  std::vector<int32_t> offsets = sliceOffsets(expand->shape());
  ExpandOperands operands = expandOperands(*expand, offsets);
  return shrink ? referenceShrinkExpand(shrinkOperands(*shrink), operands, slice, tokens)
                : referenceExpand(operands, slice, tokens);
}

Rows Workload::reference() {
  std::vector<int64_t> tokens(count);
  std::iota(tokens.begin(), tokens.end(), 0);
  Rows result;
  for (int32_t slice = 0; slice < slices(); ++slice) {
    std::vector<double> all = referenceOf(slice, tokens);
    auto &rows = result.emplace_back();
    size_t width = all.size() / count;
    for (size_t i = 0; i < count; ++i)
      rows.emplace_back(all.begin() + static_cast<ptrdiff_t>(i * width),
                        all.begin() + static_cast<ptrdiff_t>((i + 1) * width));
  }
  return result;
}
