//===- Launcher.cpp - Compiled kernels on a device ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/Launcher.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace lora;

namespace {

Function loadFunction(const Device &device, const KernelManifest &manifest,
                      std::span<const std::byte> cubin) {
  unsigned clusterBlocks = manifest.cluster[0] * manifest.cluster[1] * manifest.cluster[2];
  try {
    Function function = Module(device, cubin).function(manifest.symbol);
    function.allow(manifest.sharedBytes, clusterBlocks);
    return function;
  } catch (const Error &error) {
    throw Error("kernel '" + manifest.kernel + "' for " + manifest.target + " on " + device.name() +
                " (compute capability " + std::to_string(device.computeCapability() / 10) + "." +
                std::to_string(device.computeCapability() % 10) + "): " + error.what());
  }
}

std::string cubinPath(const std::string &manifestPath) {
  const std::string extension = ".json";
  if (!manifestPath.ends_with(extension))
    throw Error("manifest '" + manifestPath + "': expected a path that ends in .json");
  return manifestPath.substr(0, manifestPath.size() - extension.size()) + ".cubin";
}

std::vector<char> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(path + ": cannot open: " + std::strerror(errno));
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

} // namespace

Kernel::Kernel(const Device &device, KernelManifest manifest, std::span<const std::byte> cubin)
    : device(device), planner(std::move(manifest)),
      function(loadFunction(device, planner.manifest(), cubin)) {}

Kernel Kernel::load(const Device &device, const std::string &manifestPath) {
  KernelManifest manifest = KernelManifest::load(manifestPath);
  std::vector<char> cubin = readFile(cubinPath(manifestPath));
  return Kernel(device, std::move(manifest), std::as_bytes(std::span(cubin)));
}

void Kernel::reserve(const Arguments &arguments, Stream &stream) {
  reserve(planner.plan(arguments), stream);
}

void Kernel::reserve(const LaunchPlan &plan, Stream &stream) {
  if (!manifest().hasWorkspace())
    return;
  uint64_t dataBytes = plan.workspaceBytes, counterBytes = plan.counterBytes;
  if (!workspaces.empty()) {
    const Workspace &last = workspaces.back();
    if (dataBytes <= last.data.size() && counterBytes <= last.counters.size())
      return;
    // Doubling keeps what the replaced ones hold below the size of the one in use.
    dataBytes = std::max<uint64_t>(dataBytes, 2 * last.data.size());
    counterBytes = std::max<uint64_t>(counterBytes, 2 * last.counters.size());
  }
  Workspace added{DeviceBuffer(device, dataBytes), DeviceBuffer(device, counterBytes)};
  added.counters.fill(0, stream);
  workspaces.push_back(std::move(added));
}

void Kernel::launch(const Arguments &arguments, Stream &stream, bool programmatic) {
  LaunchPlan plan = planner.plan(arguments);
  if (plan.empty())
    return;
  if (manifest().hasWorkspace()) {
    reserve(plan, stream);
    plan.values.push_back(workspaces.back().data.address());
    plan.values.push_back(workspaces.back().counters.address());
  }
  LaunchShape shape{plan.grid, manifest().threads, manifest().sharedBytes, manifest().cluster,
                    programmatic};
  function.launch(shape, plan.values, stream);
}
