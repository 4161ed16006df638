//===- HostBackend.cpp - Kernels run on the host -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Execution/HostBackend.h"

#include "Progress.h"
#include "Tile/Tile.h"
#include "lora/Emulator/Emulator.h"
#include "lora/Interpreter/Interpreter.h"
#include "lora/Runtime/LaunchPlan.h"
#include "lora/Support/Error.h"

#include "mlir/IR/Diagnostics.h"

#include <bit>
#include <memory>
#include <optional>

using namespace lora;

CompileOptions lora::compileOptionsFor(LoraOp op, const LoraShape &shape, const Config &config,
                                       std::string target) {
  CompileOptions options;
  options.target = std::move(target);
  for (const auto &[name, value] : config)
    options.settings.push_back(name + "=" + std::to_string(value));
  options.types = {std::string(dtypeName(shape.xType)), std::string(dtypeName(shape.wType))};
  return options;
}

/// The bits of the planned values, each as the type that the kernel declares.
template <typename Argument, typename MakePointer>
static std::vector<Argument> typedArguments(const KernelManifest &manifest, const LaunchPlan &plan,
                                            MakePointer makePointer) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < plan.values.size(); ++i) {
    uint64_t bits = plan.values[i];
    const std::string &type = manifest.arguments[i].type;
    if (type == "ptr")
      arguments.push_back(makePointer(bits));
    else if (type == "i32")
      arguments.push_back(static_cast<int32_t>(bits));
    else if (type == "i64")
      arguments.push_back(static_cast<int64_t>(bits));
    else
      arguments.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  return arguments;
}

static void interpretKernel(Compilation &compilation, const LaunchPlan &plan,
                            std::span<HostBuffer> buffers, const HostAccess &access,
                            uint64_t seed) {
  interpreter::Memory memory;
  for (HostBuffer &buffer : buffers)
    memory.addBuffer(buffer.bytes().data(), buffer.bytes().size(), buffer.name(),
                     !access.output || access.output == &buffer);
  auto arguments = typedArguments<interpreter::KernelArgument>(
      compilation.manifest(), plan, [](uint64_t address) { return address; });
  interpreter::Options options;
  options.shuffleSeed = seed;
  mlir::ModuleOp module = compilation.module();
  tile::KernelOp kernel = *module.getOps<tile::KernelOp>().begin();
  compilation.check(interpreter::interpret(
      kernel, arguments, {plan.grid[0], plan.grid[1], plan.grid[2]}, memory, options));
}

static emulator::Buffer describeBuffer(HostBuffer &buffer, const HostAccess &access) {
  bool isOutput = access.output == &buffer;
  return {buffer.bytes().data(), buffer.bytes().size(), buffer.name(),
          /*initialised=*/!isOutput || access.readsOutput,
          /*writable=*/!access.output || isOutput};
}

static void emulateKernel(Compilation &compilation, const LaunchPlan &plan,
                          std::span<HostBuffer> buffers, const HostAccess &access, uint64_t seed,
                          bool showProgress) {
  auto check = [&](llvm::Error error) {
    if (error)
      throw Error(llvm::toString(std::move(error)));
  };
  auto created = emulator::Emulator::create(compilation.module());
  if (!created)
    check(created.takeError());
  std::unique_ptr<emulator::Emulator> emulator = std::move(*created);
  for (HostBuffer &buffer : buffers)
    emulator->addBuffer(describeBuffer(buffer, access));
  auto arguments =
      typedArguments<emulator::Argument>(compilation.manifest(), plan, [](uint64_t address) {
        return reinterpret_cast<void *>(address);
      });
  HostBuffer workspace("workspace", plan.workspaceBytes), counters("counters", plan.counterBytes);
  if (compilation.manifest().hasWorkspace()) {
    std::fill(counters.bytes().begin(), counters.bytes().end(), std::byte(0));
    emulator->addBuffer(
        {workspace.bytes().data(), workspace.bytes().size(), "workspace", false, true});
    emulator->addBuffer({counters.bytes().data(), counters.bytes().size(), "counters", true, true});
    arguments.push_back(static_cast<void *>(workspace.bytes().data()));
    arguments.push_back(static_cast<void *>(counters.bytes().data()));
  }
  emulator::RunOptions options;
  options.grid = {plan.grid[0], plan.grid[1], plan.grid[2]};
  options.seed = seed;
  std::optional<Progress> progress;
  if (showProgress) {
    progress.emplace(compilation.manifest().kernel,
                     uint64_t(plan.grid[0]) * plan.grid[1] * plan.grid[2]);
    options.finishedBlocks = &progress->finished;
  }
  check(emulator->run(arguments, options));
  for (std::byte byte : counters.bytes())
    if (byte != std::byte(0))
      throw Error(compilation.manifest().kernel +
                  ": expected all counters to be zero after a launch");
}

static void compileFor(HostBackend backend, Compilation &compilation) {
  compilation.run(backend == HostBackend::Interpreter ? Phase::Specialized : Phase::Simt);
}

static void runCompiled(HostBackend backend, Compilation &compilation, const Arguments &arguments,
                        std::span<HostBuffer> buffers, uint64_t seed, const HostAccess &access,
                        bool showProgress) {
  LaunchPlan plan = planLaunch(compilation.manifest(), arguments);
  if (plan.empty())
    return;
  if (backend == HostBackend::Interpreter)
    interpretKernel(compilation, plan, buffers, access, seed);
  else
    emulateKernel(compilation, plan, buffers, access, seed, showProgress);
}

void lora::runOnHost(HostBackend backend, std::string_view source, const std::string &name,
                     const CompileOptions &options, const Arguments &arguments,
                     std::span<HostBuffer> buffers, uint64_t seed, const HostAccess &access,
                     bool showProgress) {
  Compilation compilation(source, name, options);
  compileFor(backend, compilation);
  runCompiled(backend, compilation, arguments, buffers, seed, access, showProgress);
}

void lora::runOnHost(HostBackend backend, LoraProblem &problem, const Config &config,
                     const std::string &target, uint64_t seed, bool showProgress) {
  std::string_view op = opName(problem.op());
  Compilation compilation(builtinKernel(op), std::string(op) + ".mlir",
                          compileOptionsFor(problem.op(), problem.shape(), config, target));
  // First of all, since the kernel itself says best what is wrong with a configuration.
  compileFor(backend, compilation);
  HostAccess access{&problem.output(), problem.op() == LoraOp::Expand && problem.shape().addInputs};
  runCompiled(backend, compilation, problem.arguments(config.at("BLOCK_M")), problem.buffers(),
              seed, access, showProgress);
}
