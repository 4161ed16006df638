//===- Layer.cpp - An adapted layer on a device -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layer.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <numeric>

using namespace lora;
using namespace lora::gpu;

/// Relative errors that rounding explains.
static constexpr double kShrinkTolerance = 1e-5;
static double outputTolerance(DType type) { return type == DType::F16 ? 2e-3 : 1e-2; }
/// The float64 reference of larger layers is computed for so many tokens only.
static constexpr int64_t kMostTokensToCheck = 96;

static std::vector<int32_t> noAdapter(int64_t tokens) {
  return std::vector<int32_t>(static_cast<size_t>(tokens), -1);
}

Layer::Layer(RuntimeContext &context, const Device &device, const LoraShape &shape)
    : runtime(context), device(device), work(device), sizes(shape),
      shrink(LoraOp::Shrink, shape, noAdapter(shape.tokens), 1),
      expand(LoraOp::Expand, shape, noAdapter(shape.tokens), 2),
      tokenLora(device, 4 * static_cast<size_t>(shape.tokens)),
      contents(static_cast<size_t>(shape.maxLoras)) {
  auto translate = [&](const HostBuffer &buffer) { return place(buffer).address(); };
  shrink.arguments(16, translate);
  expand.arguments(16, translate);
  for (LoraProblem *problem : {&shrink, &expand})
    for (const HostBuffer &buffer : problem->buffers())
      place(buffer).upload(buffer.bytes(), work);
  std::iota(contents.begin(), contents.end(), 0);
  putInitialAdapters();
  auto batch = sized<lora_mapping_options>();
  batch.max_tokens = static_cast<int32_t>(shape.tokens);
  batch.max_loras = shape.maxLoras;
  tokens.emplace(runtime, batch);
}

DeviceBuffer &Layer::place(const HostBuffer &buffer) {
  return buffers.try_emplace(&buffer, device, buffer.bytes().size()).first->second;
}

DeviceBuffer &Layer::place(LoraProblem &problem, std::string_view name) {
  for (HostBuffer &buffer : problem.buffers())
    if (buffer.name() == name)
      return place(buffer);
  throw Error("no buffer " + std::string(name));
}

void Layer::putInitialAdapters() {
  auto layer = sized<lora_adapters_options>();
  layer.dtype = sizes.wType == DType::F16 ? LORA_F16 : LORA_BF16;
  layer.slices = sizes.slices();
  layer.max_loras = sizes.maxLoras;
  layer.max_rank = sizes.maxRank;
  layer.hidden = static_cast<int32_t>(sizes.hidden);
  layer.slice_widths = sizes.sliceWidths.data();
  bool wholeRanks = std::all_of(sizes.ranks.begin(), sizes.ranks.end(),
                                [](int32_t rank) { return rank % 8 == 0; });
  layer.rank_multiple = wholeRanks ? 8 : 1;
  layer.weight_alignment = sizes.hidden % 8 == 0 && wholeRanks ? 16 : 2;
  slots.emplace(runtime, layer, work.handle());
  for (int32_t slot = 0; slot < sizes.maxLoras; ++slot)
    putAdapter(slot, slot);
  work.synchronize();
}

void Layer::putAdapter(int32_t to, int32_t from) {
  contents.at(static_cast<size_t>(to)) = from;
  int32_t rank = sizes.ranks.at(static_cast<size_t>(from));
  if (rank == 0)
    return slots->clear(to, work.handle());
  // The tables of the problems hold device addresses.
  auto table = [](LoraProblem &problem, std::string_view name) {
    for (HostBuffer &buffer : problem.buffers())
      if (buffer.name() == name)
        return buffer.as<const void *>();
    throw Error("no table " + std::string(name));
  };
  std::vector<const void *> a, b;
  for (int32_t slice = 0; slice < sizes.slices(); ++slice) {
    a.push_back(table(shrink, "a")[slice * sizes.maxLoras + from]);
    b.push_back(table(expand, "b")[slice * sizes.maxLoras + from]);
  }
  float scaling = 0;
  for (HostBuffer &buffer : shrink.buffers())
    if (buffer.name() == "scalings")
      scaling = buffer.as<float>()[from];
  lora_adapter adapter = {sizeof(adapter), a.data(), b.data(), rank, scaling};
  lora_status status;
  while ((status = lora_adapters_set(slots->get(), to, &adapter, work.handle())) == LORA_ERROR_BUSY)
    work.synchronize();
  lora::check(status);
}

lora_launch Layer::launch() {
  auto launch = sized<lora_launch>();
  launch.adapters = slots->get();
  launch.mapping = tokens->get();
  launch.dtype = sizes.xType == DType::F16 ? LORA_F16 : LORA_BF16;
  launch.tokens = static_cast<int32_t>(sizes.tokens);
  launch.add_inputs = sizes.addInputs;
  launch.x = reinterpret_cast<const void *>(place(shrink, "x").address());
  launch.s = reinterpret_cast<float *>(place(shrink.output()).address());
  launch.y = reinterpret_cast<void *>(place(expand.output()).address());
  launch.stream = work.handle();
  return launch;
}

void Layer::setHost(std::span<const int32_t> tokenLora) {
  tokens->setHost(tokenLora, work.handle());
}

const int32_t *Layer::upload(std::span<const int32_t> slotsOfTokens) {
  tokenLora.upload(std::as_bytes(slotsOfTokens), 0, work);
  return reinterpret_cast<const int32_t *>(tokenLora.address());
}

void Layer::setDevice(std::span<const int32_t> slotsOfTokens) {
  tokens->setDevice(upload(slotsOfTokens), static_cast<int32_t>(slotsOfTokens.size()),
                    work.handle());
}

void Layer::setV1(std::span<const int32_t> slotsOfTokens) {
  auto buffers = sized<lora_v1_mapping>();
  buffers.tokens = static_cast<int32_t>(slotsOfTokens.size());
  buffers.token_lora_mapping = upload(slotsOfTokens);
  tokens->setV1(buffers, work.handle());
}

LoraProblem Layer::problem(LoraOp op, std::span<const int32_t> slotsOfTokens) const {
  std::vector<int32_t> mapping(slotsOfTokens.begin(), slotsOfTokens.end());
  mapping.resize(static_cast<size_t>(sizes.tokens), -1);
  // The adapters are those that the slots have now: the problem's own slots never change.
  for (int32_t &slot : mapping)
    if (slot >= 0)
      slot = contents[static_cast<size_t>(slot)];
  return LoraProblem(op, sizes, mapping, op == LoraOp::Shrink ? 1 : 2);
}

void Layer::reset(std::span<const int32_t> slotsOfTokens) {
  place(shrink.output()).fill(0xff, work);
  place(expand.output()).upload(expand.output().bytes(), work);
  if (slotsOfTokens.empty())
    return;
  LoraProblem alone = problem(LoraOp::Expand, slotsOfTokens);
  for (const HostBuffer &buffer : alone.buffers())
    if (buffer.name() == "s")
      place(shrink.output()).upload(buffer.bytes(), work);
}

void Layer::check(lora_op op, std::span<const int32_t> slotsOfTokens) {
  LoraProblem first = problem(LoraOp::Shrink, slotsOfTokens);
  LoraProblem second = problem(LoraOp::Expand, slotsOfTokens);
  LoraProblem &last = op == LORA_SHRINK ? first : second;
  place(op == LORA_SHRINK ? shrink.output() : expand.output())
      .download(last.output().bytes(), work);
  last.checkUntouched();
  // Rows of empty slots count as weights of zero: they are written, with zeros or nothing to add.
  std::vector<int64_t> rows;
  int64_t step = std::max<int64_t>(1, sizes.tokens / kMostTokensToCheck);
  for (int64_t token = 0; token < static_cast<int64_t>(slotsOfTokens.size()); token += step) {
    int32_t slot = slotsOfTokens[static_cast<size_t>(token)];
    if (slot >= 0 && sizes.ranks[static_cast<size_t>(contents[static_cast<size_t>(slot)])] > 0)
      rows.push_back(token);
  }
  double error = op == LORA_SHRINK_EXPAND ? second.chainError(first, rows) : last.error(rows);
  double most = op == LORA_SHRINK ? kShrinkTolerance : outputTolerance(sizes.xType);
  // A NaN is no less than anything.
  if (!(error <= most))
    throw Error("relative error " + std::to_string(error) + ": expected at most " +
                std::to_string(most));
}

std::vector<std::byte> Layer::output() {
  std::vector<std::byte> bytes(expand.output().bytes().size());
  place(expand.output()).download(bytes, work);
  return bytes;
}
