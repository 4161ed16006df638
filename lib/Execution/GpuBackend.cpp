//===- GpuBackend.cpp - Kernels compiled and run on a device --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Execution/GpuBackend.h"

#include "lora/Execution/HostBackend.h"
#include "lora/Support/Error.h"

#include <algorithm>

using namespace lora;

/// Samples whose median is taken, and launches of each. Many launches make the resolution of an
/// event, half a microsecond, and the first launch's start matter little.
static constexpr int kSamples = 21;
static constexpr int kLaunchesPerSample = 20;

std::string lora::targetOf(int computeCapability) {
  std::string prefix = "sm_" + std::to_string(computeCapability), known;
  for (const TargetFacts &target : allTargets()) {
    if (target.name == prefix || target.name == prefix + "a")
      return std::string(target.name);
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  }
  throw Error("device of compute capability " + std::to_string(computeCapability / 10) + "." +
              std::to_string(computeCapability % 10) + ": expected one for " + known);
}

static std::vector<DeviceBuffer> allocate(const Device &device, std::span<HostBuffer> buffers) {
  std::vector<DeviceBuffer> copies;
  for (const HostBuffer &buffer : buffers)
    copies.emplace_back(device, buffer.bytes().size());
  return copies;
}

static Kernel compileFor(const Device &device, std::string_view source, const std::string &name,
                         const CompileOptions &options) {
  Compilation compilation(source, name, options);
  compilation.run(Phase::Cubin);
  return Kernel(device, compilation.manifest(),
                std::as_bytes(std::span(compilation.cubin().bytes)));
}

GpuExecution::GpuExecution(const Device &device, std::string_view source, const std::string &name,
                           const CompileOptions &options, std::span<HostBuffer> buffers,
                           const MakeArguments &makeArguments)
    : stream(device), host(buffers), kernel(compileFor(device, source, name, options)),
      copies(allocate(device, buffers)), arguments(makeArguments([&](const HostBuffer &buffer) {
        return copies[static_cast<size_t>(&buffer - host.data())].address();
      })) {}

GpuExecution::GpuExecution(const Device &device, LoraProblem &problem, const Config &config,
                           const std::string &target)
    : GpuExecution(device, builtinKernel(opName(problem.op())),
                   std::string(opName(problem.op())) + ".mlir",
                   compileOptionsFor(problem.op(), problem.shape(), config, target),
                   problem.buffers(), [&](const LoraProblem::Translate &translate) {
                     return problem.arguments(config.at("BLOCK_M"), translate);
                   }) {}

void GpuExecution::run() {
  for (size_t i = 0; i < host.size(); ++i)
    copies[i].upload(host[i].bytes(), stream);
  kernel.launch(arguments, stream);
  for (size_t i = 0; i < host.size(); ++i)
    copies[i].download(host[i].bytes(), stream);
}

double GpuExecution::medianMicroseconds() {
  kernel.launch(arguments, stream);
  Event begin(stream.device()), end(stream.device());
  std::vector<double> samples;
  for (int sample = 0; sample < kSamples; ++sample) {
    begin.record(stream);
    for (int i = 0; i < kLaunchesPerSample; ++i)
      kernel.launch(arguments, stream);
    end.record(stream);
    end.synchronize();
    samples.push_back(1e3 * end.millisecondsSince(begin) / kLaunchesPerSample);
  }
  std::nth_element(samples.begin(), samples.begin() + kSamples / 2, samples.end());
  return samples[kSamples / 2];
}
