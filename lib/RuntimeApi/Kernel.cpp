//===- Kernel.cpp - A kernel of a pack, loaded when first used ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "RowBlocks.h"

#include <algorithm>

using namespace lora;
using namespace lora::api;

namespace {

constexpr std::array<int64_t, 3> kMaxGrid = {2147483647, 65535, 65535};
/// More than this much dynamic shared memory has to be asked for.
constexpr unsigned kDefaultSharedBytes = 48 * 1024;
/// The largest cluster that every device with clusters can run.
constexpr unsigned kPortableClusterBlocks = 8;
/// The arguments, the workspace and its counters.
constexpr size_t kMaxArguments = kSlots.size() + 2;

std::string listValues(const Expression &expression, const Values &values) {
  std::string list;
  for (const std::string &name : expression.names())
    if (std::optional<size_t> slot = findSlot(name))
      list += (list.empty() ? "" : ", ") + name + " = " + std::to_string(values.data()[*slot]);
  return list;
}

/// Lets calls that allocate be made while another stream, or this one, is being captured.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Session &session) : session(session) {
    session.check(session.api.exchangeCaptureMode(&mode), "cuThreadExchangeStreamCaptureMode");
  }
  ~RelaxedCapture() { session.api.exchangeCaptureMode(&mode); }

private:
  const Session &session;
  int mode = cuda::captureModeRelaxed;
};

} // namespace

Kernel::Kernel(const Session &session, const Pack &pack, const PackKernel &entry)
    : session(session), pack(pack), source(entry) {
  for (const KernelManifest::Argument &argument : manifest().arguments) {
    std::optional<size_t> slot = findSlot(argument.name);
    if (!slot || argumentTypeName(kSlots[*slot].type) != argument.type)
      throw Error("kernel '" + entry.id + "': argument '" + argument.name + "' of type " +
                  argument.type + " is unknown to this library");
    arguments.push_back(*slot);
    if (static_cast<Slot>(*slot) == Slot::NumRowBlocks)
      table = findRowBlockTable();
  }
  auto constants = [&](std::string_view name) -> std::optional<int64_t> {
    auto found = manifest().config.find(std::string(name));
    return found == manifest().config.end() ? std::nullopt : std::optional(found->second);
  };
  auto slots = [](std::string_view name) { return findSlot(name); };
  for (size_t axis = 0; axis < 3; ++axis)
    grid[axis] = Expression::parse(manifest().grid[axis]).resolved(constants, slots);
  for (const std::string &text : manifest().assumptions)
    assumptions.push_back(Expression::parse(text).resolved(constants, slots));
}

Kernel::~Kernel() {
  if (module)
    session.api.moduleUnload(module);
}

int64_t Kernel::config(const std::string &name, int64_t otherwise) const {
  auto found = manifest().config.find(name);
  return found == manifest().config.end() ? otherwise : found->second;
}

size_t Kernel::findRowBlockTable() const {
  int64_t size = config("BLOCK_M", 0);
  auto found = std::find(kRowBlockSizes.begin(), kRowBlockSizes.end(), size);
  if (found == kRowBlockSizes.end())
    throw Error("kernel '" + source.id + "': BLOCK_M: expected 16, 32, 64 or 128, found " +
                std::to_string(size));
  return static_cast<size_t>(found - kRowBlockSizes.begin());
}

Plan Kernel::plan(const Values &values) const {
  auto evaluate = [&](const Expression &expression) {
    try {
      return expression.evaluate(values);
    } catch (const Error &error) {
      throw StatusError(LORA_ERROR_BAD_PACK, "kernel '" + source.id + "': " + error.what());
    }
  };
  auto fail = [&](const Expression &expression, const std::string &expected) {
    throw StatusError(LORA_ERROR_INVALID_ARGUMENT, "kernel '" + source.id + "': expected " +
                                                       expected + ", found " +
                                                       listValues(expression, values));
  };
  for (const Expression &assumption : assumptions)
    if (!evaluate(assumption))
      fail(assumption, assumption.text());
  Plan plan;
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t size = evaluate(grid[axis]);
    if (size < 0 || size > kMaxGrid[axis])
      fail(grid[axis], "0 to " + std::to_string(kMaxGrid[axis]) + " for " + grid[axis].text());
    plan.grid[axis] = static_cast<unsigned>(size);
  }
  if (!manifest().hasWorkspace())
    return plan;
  uint64_t groups = uint64_t(plan.grid[0]) * plan.grid[1] * plan.grid[2] /
                    static_cast<uint64_t>(manifest().splitGroupSize);
  plan.counterBytes = groups * 4;
  if (__builtin_mul_overflow(groups, uint64_t(manifest().workspaceBytesPerGroup),
                             &plan.workspaceBytes))
    fail(grid[0], "a workspace below 2^64 bytes");
  return plan;
}

void Kernel::allow(cuda::FunctionHandle entry) const {
  const std::array<unsigned, 3> &cluster = manifest().cluster;
  if (manifest().sharedBytes > kDefaultSharedBytes)
    session.check(session.api.functionSetAttribute(entry, cuda::functionMaxDynamicSharedBytes,
                                                   static_cast<int>(manifest().sharedBytes)),
                  "cuFuncSetAttribute");
  if (cluster[0] * cluster[1] * cluster[2] > kPortableClusterBlocks)
    session.check(
        session.api.functionSetAttribute(entry, cuda::functionNonPortableClusterSizeAllowed, 1),
        "cuFuncSetAttribute");
}

cuda::FunctionHandle Kernel::loadLocked() {
  std::span<const std::byte> code;
  try {
    code = pack.code(source);
  } catch (const Error &error) {
    throw StatusError(LORA_ERROR_BAD_PACK, error.what());
  }
  RelaxedCapture relaxed(session);
  cuda::ModuleHandle loaded = nullptr;
  session.check(session.api.moduleLoadData(&loaded, code.data()), "cuModuleLoadData");
  cuda::FunctionHandle entry = nullptr;
  try {
    session.check(session.api.moduleGetFunction(&entry, loaded, manifest().symbol.c_str()),
                  "cuModuleGetFunction");
    allow(entry);
  } catch (...) {
    session.api.moduleUnload(loaded);
    throw;
  }
  module = loaded;
  return entry;
}

void Kernel::load() {
  if (function.load(std::memory_order_acquire))
    return;
  std::lock_guard lock(mutex);
  if (function.load(std::memory_order_relaxed))
    return;
  try {
    function.store(loadLocked(), std::memory_order_release);
  } catch (const StatusError &error) {
    throw StatusError(error.status,
                      "kernel '" + source.id + "' for " + manifest().target + ": " + error.what());
  }
  if (isLogging())
    log(LORA_LOG_INFO, "loaded kernel '" + source.id + "', " +
                           std::string(codeKindName(source.kind)) + " for " + manifest().target);
}

void Kernel::launch(const Plan &plan, const Values &values, cuda::DevicePointer workspace,
                    cuda::DevicePointer counters, bool programmatic, void *stream) {
  load();
  std::array<void *, kMaxArguments> addresses;
  size_t count = 0;
  for (size_t slot : arguments)
    addresses[count++] = const_cast<int64_t *>(values.data() + slot);
  if (manifest().hasWorkspace()) {
    addresses[count++] = &workspace;
    addresses[count++] = &counters;
  }

  cuda::LaunchAttribute attributes[2] = {};
  cuda::LaunchConfig config = {};
  std::copy(plan.grid.begin(), plan.grid.end(), config.grid);
  config.block[0] = manifest().threads;
  config.block[1] = config.block[2] = 1;
  config.sharedBytes = manifest().sharedBytes;
  config.stream = streamOf(stream);
  config.attributes = attributes;
  const std::array<unsigned, 3> &cluster = manifest().cluster;
  if (cluster[0] * cluster[1] * cluster[2] > 1) {
    cuda::LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = cuda::launchAttributeClusterDimension;
    std::copy(cluster.begin(), cluster.end(), attribute.value.clusterDimension);
  }
  if (programmatic) {
    cuda::LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = cuda::launchAttributeProgrammaticStreamSerialization;
    attribute.value.programmaticStreamSerializationAllowed = 1;
  }
  session.check(session.api.launchKernel(&config, function.load(std::memory_order_acquire),
                                         addresses.data(), nullptr),
                "cuLaunchKernelEx");
}
