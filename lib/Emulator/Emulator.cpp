//===- Emulator.cpp - Runs a thread-level module on the CPU, strictly -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Emulator/Emulator.h"

#include "HostLowering.h"
#include "Jit.h"
#include "Launch.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::createStringError;

namespace lora::emulator {

/// The largest cluster of any device.
static constexpr int64_t maxClusterBlocks = 16;

static std::optional<Kernel::Parameter> parameterOf(Type type) {
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
      pointer && pointer.getAddressSpace() == 1)
    return Kernel::Parameter::Pointer;
  if (type.isInteger(32))
    return Kernel::Parameter::I32;
  if (type.isInteger(64))
    return Kernel::Parameter::I64;
  if (type.isF32())
    return Kernel::Parameter::F32;
  return std::nullopt;
}

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Fills what `function` says of its launch.
static llvm::Error readLaunchFacts(gpu::GPUFuncOp function, Kernel &kernel) {
  const std::string name = "kernel '" + function.getName().str() + "'";
  auto block = function.getKnownBlockSize();
  if (!block || (*block)[0] <= 0 || (*block)[0] % warpSize != 0 || (*block)[0] > 1024 ||
      (*block)[1] != 1 || (*block)[2] != 1)
    return createStringError(name + ": expected known_block_size = array<i32: T, 1, 1> with T a "
                                    "multiple of 32 up to 1024");
  kernel.blockThreads = static_cast<uint32_t>((*block)[0]);
  auto shared = function->getAttrOfType<IntegerAttr>("simt.shared_bytes");
  if (!shared || shared.getInt() < 0)
    return createStringError(name + ": expected simt.shared_bytes, the size of shared memory");
  kernel.sharedBytes = static_cast<uint32_t>(shared.getInt());
  if (auto cluster = function->getAttrOfType<IntegerAttr>("simt.cluster")) {
    if (cluster.getInt() < 1 || cluster.getInt() > maxClusterBlocks)
      return createStringError(name + ": expected simt.cluster in 1 to " +
                               std::to_string(maxClusterBlocks) + ", got " +
                               std::to_string(cluster.getInt()));
    kernel.clusterBlocks = static_cast<uint32_t>(cluster.getInt());
  }
  for (auto [index, type] : llvm::enumerate(function.getFunctionType().getInputs())) {
    auto parameter = parameterOf(type);
    if (!parameter)
      return createStringError(name + ": expected !llvm.ptr<1>, i32, i64 or f32 as argument " +
                               std::to_string(index) + ", got " + toString(type));
    kernel.parameters.push_back(*parameter);
  }
  return llvm::Error::success();
}

/// Runs the lowering on `module`; a failure becomes an error with the first diagnostic.
static llvm::Error lower(ModuleOp module, OpTable &table) {
  std::string message;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = describeLocation(diagnostic.getLocation()) + ": " + diagnostic.str();
    return success();
  });
  PassManager passes(module.getContext());
  passes.addPass(createSimtToHostPass(table));
  if (failed(passes.run(module)))
    return createStringError(message);
  return llvm::Error::success();
}

Emulator::Emulator(std::unique_ptr<Kernel> kernel) : kernel(std::move(kernel)) {}
Emulator::~Emulator() = default;

llvm::Expected<std::unique_ptr<Emulator>> Emulator::create(ModuleOp module) {
  auto kernel = std::make_unique<Kernel>();
  SmallVector<gpu::GPUFuncOp> functions;
  module.walk([&](gpu::GPUFuncOp function) { functions.push_back(function); });
  if (functions.size() != 1)
    return createStringError("expected a module with one gpu.func, got " +
                             std::to_string(functions.size()));
  if (llvm::Error error = readLaunchFacts(functions[0], *kernel))
    return error;
  OwningOpRef<ModuleOp> host = module.clone();
  if (llvm::Error error = lower(*host, kernel->ops))
    return error;
  auto code = compileForHost(*host);
  if (!code)
    return code.takeError();
  kernel->code = std::move(code->owner);
  kernel->function = code->function;
  return std::unique_ptr<Emulator>(new Emulator(std::move(kernel)));
}

void Emulator::addBuffer(Buffer buffer) { buffers.push_back(std::move(buffer)); }

llvm::Error Emulator::run(llvm::ArrayRef<Argument> arguments, const RunOptions &options) {
  static constexpr const char *typeNames[] = {"!llvm.ptr<1>", "i32", "i64", "f32"};
  if (arguments.size() != kernel->parameters.size())
    return createStringError(llvm::formatv("the kernel has {0} arguments, got {1}",
                                           kernel->parameters.size(), arguments.size())
                                 .str());
  std::vector<Argument> values(arguments.begin(), arguments.end());
  std::vector<void *> addresses;
  for (auto [index, value] : llvm::enumerate(values)) {
    const auto expected = static_cast<size_t>(kernel->parameters[index]);
    if (value.index() != expected)
      return createStringError(llvm::formatv("argument {0} of the kernel is {1}, got {2}", index,
                                             typeNames[expected], typeNames[value.index()])
                                   .str());
    addresses.push_back(std::visit([](auto &inner) -> void * { return &inner; }, value));
  }
  const auto &grid = options.grid;
  const double blocks = static_cast<double>(grid[0]) * grid[1] * grid[2];
  if (blocks < 1 || blocks > std::numeric_limits<int32_t>::max())
    return createStringError(llvm::formatv("expected a grid of 1 to 2^31 - 1 blocks, got {0} x "
                                           "{1} x {2}",
                                           grid[0], grid[1], grid[2])
                                 .str());
  if (grid[0] % kernel->clusterBlocks != 0)
    return createStringError(llvm::formatv("expected a multiple of {0}, the blocks of a cluster, "
                                           "as the grid's extent along x, got {1}",
                                           kernel->clusterBlocks, grid[0])
                                 .str());
  if (llvm::Error error = GlobalMemory::check(buffers))
    return error;
  Launch launch(*kernel, buffers, addresses.data(), options);
  return launch.run();
}

} // namespace lora::emulator
