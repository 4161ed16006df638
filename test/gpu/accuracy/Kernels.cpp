//===- Kernels.cpp - The compiled kernels of the cases -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "lora/Support/Error.h"

using namespace lora;
using namespace lora::accuracy;

KernelKey KernelKey::of(LoraOp op, const LoraShape &shape, Config config) {
  return {op, shape.xType, shape.wType, std::move(config)};
}

std::string KernelKey::name() const {
  std::string text(opName(op));
  text += "-" + std::string(dtypeName(xType)) + "-" + std::string(dtypeName(wType));
  for (const auto &[parameter, value] : config)
    text += "-" + parameter + "_" + std::to_string(value);
  return text;
}

std::string KernelKey::line() const {
  std::string settings;
  for (const auto &[parameter, value] : config)
    settings += (settings.empty() ? "" : ",") + parameter + "=" + std::to_string(value);
  return name() + " --op=" + std::string(opName(op)) + " --dtype=" + std::string(dtypeName(xType)) +
         "," + std::string(dtypeName(wType)) + " --set=" + settings;
}

Kernel &KernelFolder::get(const KernelKey &key) {
  auto found = kernels.find(key);
  if (found != kernels.end())
    return found->second;
  std::string file = path + "/" + key.name() + ".json";
  Kernel kernel = Kernel::load(device, file);
  for (const auto &[parameter, value] : key.config) {
    auto built = kernel.manifest().config.find(parameter);
    if (built == kernel.manifest().config.end() || built->second != value)
      throw Error(file + ": field 'config." + parameter + "': expected " + std::to_string(value));
  }
  return kernels.emplace(key, std::move(kernel)).first->second;
}
