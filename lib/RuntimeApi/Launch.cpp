//===- Launch.cpp - Checked launches ------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>
#include <limits>

using namespace lora;
using namespace lora::api;

namespace {

constexpr int64_t kMaxStride = std::numeric_limits<int32_t>::max();
/// No kernel asks for more, in elements.
constexpr int64_t kMostAlignment = 16;

/// The largest power of two up to kMostAlignment that all values, which are or-ed, are multiples
/// of.
int64_t alignmentOf(int64_t values) {
  values |= kMostAlignment;
  return values & -values;
}

int64_t addressOf(const void *pointer) { return reinterpret_cast<int64_t>(pointer); }

void completeStride(const char *what, int64_t &stride, int64_t dense) {
  if (stride == 0)
    stride = dense;
  checkRange(what, stride, dense, kMaxStride);
}

void checkMatrix(const char *what, const void *address, int64_t elementBytes) {
  if (!address || addressOf(address) % elementBytes != 0)
    failArgument(what, "an address that is a multiple of " + std::to_string(elementBytes),
                 std::to_string(reinterpret_cast<uintptr_t>(address)));
}

void checkObjects(const lora_context &context, const lora_launch &launch) {
  checkNotNull("launch.adapters", launch.adapters);
  checkNotNull("launch.mapping", launch.mapping);
  if (&launch.adapters->context != &context)
    failArgument("launch.adapters", "adapters of this context", "those of another");
  if (&launch.mapping->context != &context)
    failArgument("launch.mapping", "a mapping of this context", "one of another");
  int32_t slots = launch.adapters->sizes.max_loras;
  if (launch.mapping->maxLoras != slots)
    failArgument("launch.mapping", "max_loras = " + std::to_string(slots) + " as in the adapters",
                 std::to_string(launch.mapping->maxLoras));
}

/// Replaces every 0 that stands for a default, and checks what all ops share.
lora_launch completeLaunch(const lora_context &context, const lora_launch *given) {
  lora_launch launch = readStruct("launch", given);
  checkObjects(context, launch);
  checkRange("launch.dtype", launch.dtype, LORA_F16, LORA_BF16);
  const lora_mapping &mapping = *launch.mapping;
  if (launch.tokens == 0)
    launch.tokens = mapping.tokens();
  checkRange("launch.tokens", launch.tokens, mapping.tokens(), kMaxStride);
  if (launch.max_active_loras == 0)
    launch.max_active_loras = mapping.maxLoras;
  checkRange("launch.max_active_loras", launch.max_active_loras, std::max(mapping.active(), 1),
             mapping.maxLoras);
  if (launch.flags & ~LORA_LAUNCH_PROGRAMMATIC)
    failArgument("launch.flags", "LORA_LAUNCH_PROGRAMMATIC or 0", std::to_string(launch.flags));
  return launch;
}

void completeX(lora_launch &launch) {
  completeStride("launch.x_stride", launch.x_stride, launch.adapters->sizes.hidden);
  if (launch.tokens > 0)
    checkMatrix("launch.x", launch.x, 2);
}

void completeS(lora_launch &launch) {
  completeStride("launch.s_stride", launch.s_stride, launch.adapters->sizes.max_rank);
  int64_t dense = launch.tokens * launch.s_stride;
  if (launch.s_slice_stride == 0)
    launch.s_slice_stride = dense;
  constexpr int64_t elementBytes = 4;
  checkRange("launch.s_slice_stride", launch.s_slice_stride, 0,
             std::numeric_limits<int64_t>::max() / elementBytes / launch.adapters->sizes.slices);
  if (launch.tokens > 0)
    checkMatrix("launch.s", launch.s, elementBytes);
}

void completeY(lora_launch &launch) {
  completeStride("launch.y_stride", launch.y_stride, launch.adapters->yWidth);
  if (launch.tokens > 0)
    checkMatrix("launch.y", launch.y, 2);
}

Values valuesOf(const lora_launch &launch) {
  const lora_adapters &adapters = *launch.adapters;
  const lora_adapters::Tables &tables = adapters.tables();
  Values values;
  auto set = [&](Slot slot, uint64_t address) { values[slot] = static_cast<int64_t>(address); };
  values.fill(0);
  values[Slot::X] = addressOf(launch.x);
  values[Slot::S] = addressOf(launch.s);
  values[Slot::Y] = addressOf(launch.y);
  set(Slot::A, tables.a);
  set(Slot::B, tables.b);
  set(Slot::TokenIndices, launch.mapping->tokenIndices());
  set(Slot::Ranks, tables.ranks);
  set(Slot::Scalings, tables.scalings);
  set(Slot::SliceOffsets, tables.offsets);
  set(Slot::SliceWidths, tables.widths);
  values[Slot::Tokens] = launch.tokens;
  values[Slot::Hidden] = adapters.sizes.hidden;
  values[Slot::MaxRank] = adapters.sizes.max_rank;
  values[Slot::MaxWidth] = adapters.maxWidth;
  values[Slot::YWidth] = adapters.yWidth;
  values[Slot::Slices] = adapters.sizes.slices;
  values[Slot::MaxLoras] = adapters.sizes.max_loras;
  values[Slot::XStride] = launch.x_stride;
  values[Slot::AStride] = adapters.sizes.a_stride;
  values[Slot::BStride] = adapters.sizes.b_stride;
  values[Slot::SStride] = launch.s_stride;
  values[Slot::SSliceStride] = launch.s_slice_stride;
  values[Slot::YStride] = launch.y_stride;
  return values;
}

LaunchFacts factsOf(lora_op op, const lora_launch &launch) {
  const lora_adapters &adapters = *launch.adapters;
  const lora_adapters_options &sizes = adapters.sizes;
  LaunchFacts facts;
  facts.op = op;
  facts.xType = launch.dtype;
  facts.wType = sizes.dtype;
  facts.addInputs = launch.add_inputs != 0;
  facts.tokens = launch.tokens;
  facts.hidden = op == LORA_EXPAND ? adapters.maxWidth : sizes.hidden;
  facts.rank = sizes.max_rank;
  facts.adapters = std::min(launch.max_active_loras, launch.tokens);
  facts.slices = sizes.slices;
  int64_t weights = sizes.weight_alignment / 2;
  int64_t s = launch.s_stride | launch.s_slice_stride | addressOf(launch.s) / 4;
  facts.hiddenAlign = alignmentOf(addressOf(launch.x) / 2 | launch.x_stride | sizes.hidden |
                                  sizes.a_stride | weights);
  facts.rankAlign =
      alignmentOf(op == LORA_SHRINK   ? sizes.max_rank | s
                  : op == LORA_EXPAND ? sizes.rank_multiple | sizes.b_stride | weights | s
                                      : sizes.rank_multiple | sizes.b_stride | weights);
  facts.yAlign = alignmentOf(addressOf(launch.y) / 2 | launch.y_stride | adapters.columnAlign);
  return facts;
}

/// Chooses the table of row blocks for a kernel, and how many of its entries are looked at: all
/// that a later mapping might use, since the launch may be captured.
void setRowBlocks(Values &values, const lora_launch &launch, const Kernel &kernel) {
  std::optional<size_t> table = kernel.rowBlockTable();
  if (!table)
    return;
  const lora_mapping &mapping = *launch.mapping;
  int32_t tokens = std::min(launch.tokens, mapping.maxTokens);
  values[Slot::RowBlocks] = static_cast<int64_t>(mapping.rowBlocks(*table));
  values[Slot::NumRowBlocks] =
      maxRowBlocks(tokens, launch.max_active_loras, kRowBlockSizes[*table]);
}

void addPart(const lora_context &context, PreparedLaunch &prepared, lora_op op) {
  const lora_launch &launch = prepared.launch;
  const DispatchRule *rule = context.table().find(factsOf(op, launch));
  if (!rule)
    throw StatusError(LORA_ERROR_NO_KERNEL, std::string("no kernel for ") + opText(op) + " of " +
                                                std::to_string(launch.tokens) +
                                                " tokens of these types and sizes for " +
                                                context.session.target + ": lora_explain says why");
  PreparedLaunch::Part &part = prepared.parts[prepared.count++];
  part.rule = rule;
  part.values = valuesOf(launch);
  setRowBlocks(part.values, launch, *rule->kernel);
  part.plan = rule->kernel->plan(part.values);
}

bool hasSingleLaunch(const lora_context &context, const lora_launch &launch) {
  if (!launch.add_inputs)
    return false;
  const DispatchRule *rule = context.table().find(factsOf(LORA_SHRINK_EXPAND, launch));
  return rule && !rule->twoLaunches;
}

} // namespace

PreparedLaunch api::prepareLaunch(const lora_context &context, lora_op op,
                                  const lora_launch *given) {
  checkRange("op", op, LORA_SHRINK, LORA_SHRINK_EXPAND);
  PreparedLaunch prepared;
  prepared.launch = completeLaunch(context, given);
  lora_launch &launch = prepared.launch;
  if (op != LORA_EXPAND)
    completeX(launch);
  if (op != LORA_SHRINK)
    completeY(launch);
  bool single = op == LORA_SHRINK_EXPAND && hasSingleLaunch(context, launch);
  if (!single)
    completeS(launch);
  if (launch.tokens == 0)
    return prepared;
  if (op == LORA_SHRINK_EXPAND && !single) {
    addPart(context, prepared, LORA_SHRINK);
    addPart(context, prepared, LORA_EXPAND);
  } else {
    addPart(context, prepared, op);
  }
  return prepared;
}

void api::runLaunch(lora_context &context, const PreparedLaunch &prepared) {
  const lora_launch &launch = prepared.launch;
  cuda::DevicePointer data[2] = {}, counters[2] = {};
  // All workspaces first, so that a launch of two kernels is enqueued wholly or not at all.
  for (int i = 0; i < prepared.count; ++i) {
    const PreparedLaunch::Part &part = prepared.parts[i];
    if (part.rule->kernel->manifest().hasWorkspace())
      std::tie(data[i], counters[i]) =
          context.workspace(launch.stream, part.plan.workspaceBytes, part.plan.counterBytes);
  }
  Current current(context.session);
  for (int i = 0; i < prepared.count; ++i)
    prepared.parts[i].rule->kernel->load();
  bool programmatic = launch.flags & LORA_LAUNCH_PROGRAMMATIC;
  for (int i = 0; i < prepared.count; ++i) {
    const PreparedLaunch::Part &part = prepared.parts[i];
    if (!part.plan.empty())
      part.rule->kernel->launch(part.plan, part.values, data[i], counters[i], programmatic,
                                launch.stream);
  }
}

std::string api::explainLaunch(const lora_context &context, lora_op op, const lora_launch *given) {
  checkRange("op", op, LORA_SHRINK, LORA_SHRINK_EXPAND);
  lora_launch launch = completeLaunch(context, given);
  if (op != LORA_EXPAND)
    completeX(launch);
  if (op != LORA_SHRINK)
    completeY(launch);
  const DispatchTable &table = context.table();
  std::string text;
  if (op == LORA_SHRINK_EXPAND) {
    if (launch.add_inputs)
      text = explainDispatch(table, factsOf(op, launch));
    else
      text = "shrink_expand overwrites y in two launches\n";
    if (hasSingleLaunch(context, launch))
      return text;
  }
  completeS(launch);
  if (op != LORA_EXPAND)
    text += explainDispatch(table, factsOf(LORA_SHRINK, launch));
  if (op != LORA_SHRINK)
    text += explainDispatch(table, factsOf(LORA_EXPAND, launch));
  return text;
}
