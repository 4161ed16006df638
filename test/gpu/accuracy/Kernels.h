//===- Kernels.h - The compiled kernels of the cases ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Runtime/Launcher.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lora::accuracy {

/// What distinguishes one compiled kernel from another.
struct KernelKey {
  LoraOp op = LoraOp::Shrink;
  DType xType = DType::F16, wType = DType::F16;
  Config config;

  auto operator<=>(const KernelKey &) const = default;

  /// The kernel for a shape of an op with a config.
  static KernelKey of(LoraOp op, const LoraShape &shape, Config config);

  /// Name of the files, without extension, e.g. "shrink-f16-f16-ALIGN_8-BLOCK_K_128".
  std::string name() const;

  /// The name, and the options with which lora-compile makes the kernel, separated by spaces.
  std::string line() const;
};

/// The kernels in a folder, each loaded on the device when it is first asked for.
class KernelFolder {
public:
  KernelFolder(Device device, std::string path)
      : device(std::move(device)), path(std::move(path)) {}

  /// Throws Error, which names the file, if the kernel is not there, does not load, or has another
  /// config.
  Kernel &get(const KernelKey &key);

  /// The number of kernels that were loaded.
  size_t loaded() const { return kernels.size(); }

private:
  Device device;
  std::string path;
  std::map<KernelKey, Kernel> kernels;
};

} // namespace lora::accuracy
