//===- Backend.cpp - Where kernels run ------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Execution/Backend.h"

#include "lora/Execution/GpuBackend.h"
#include "lora/Support/Error.h"

using namespace lora;

Backend Backend::create(const std::string &name, const std::string &target) {
  Backend backend;
  backend.architecture = target.empty() ? "sm_90a" : std::string(findTarget(target).name);
  if (name == "gpu" || (name.empty() && Driver::available())) {
    backend.device.emplace();
    if (target.empty())
      backend.architecture = targetOf(backend.device->computeCapability());
  } else if (name == "interpreter") {
    backend.host = HostBackend::Interpreter;
  } else if (!name.empty() && name != "emulator") {
    throw Error("unknown backend '" + name + "': expected one of interpreter, emulator, gpu");
  }
  return backend;
}

std::string Backend::description() const {
  if (device)
    return "gpu (" + device->name() + ")";
  return host == HostBackend::Interpreter ? "interpreter" : "emulator";
}

std::optional<double> Backend::run(LoraProblem &problem, const Config &config) const {
  if (!device) {
    runOnHost(host, problem, config, architecture, /*seed=*/0, /*showProgress=*/true);
    return std::nullopt;
  }
  GpuExecution execution(*device, problem, config, architecture);
  execution.run();
  return execution.medianMicroseconds();
}
