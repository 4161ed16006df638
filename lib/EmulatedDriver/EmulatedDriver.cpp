//===- EmulatedDriver.cpp - The CUDA driver API over the emulator -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to be loaded in place of libcuda.so.1, with one device of compute capability 0.0. Its
// memory is that of the host, modules are thread-level MLIR text or "builtin map_tokens", and a
// launch runs the emulator, or that function, before it returns. Streams have no order beyond that;
// a stream that is captured keeps its work for the launches of the graph. Events take the time of
// the host. Memory is never given back, so that a use after it was freed cannot hit another
// allocation.
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"
#include "MapTokens.h"
#include "Simt/Simt.h"
#include "Tile/Tile.h"
#include "lora/Emulator/Emulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>

using namespace lora;
using namespace lora::cuda;

namespace {

constexpr Result invalidValue = 1;
constexpr Result invalidImage = 200;
constexpr Result launchFailed = 719;
constexpr size_t alignment = 256;

/// What the last call in this thread that failed had to say.
thread_local std::string lastMessage;
thread_local std::vector<Context> contexts;

/// A loaded module. Its only kernel is compiled by the first launch.
struct EmulatedModule {
  /// Null for map_tokens, which is a function of this library.
  std::unique_ptr<emulator::Emulator> emulator;
  std::string entry;
  std::vector<mlir::Type> types;
  std::unique_ptr<mlir::MLIRContext> context;
  /// How many allocations the emulator knows.
  size_t knownAllocations = 0;
};

using Work = std::function<Result()>;
using Graph = std::vector<Work>;
using TimePoint = std::chrono::steady_clock::time_point;

/// All state; one lock, since the emulator is not thread-safe.
struct State {
  std::mutex mutex;
  std::vector<emulator::Buffer> allocations;
  std::map<StreamHandle, Graph> captures;
};

State &state() {
  static State *state = new State;
  return *state;
}

Result fail(Result result, std::string message) {
  lastMessage = std::move(message);
  return result;
}

/// Does the work now, or keeps it if the stream is captured. The lock must be held.
Result enqueue(StreamHandle stream, Work work) {
  auto capture = state().captures.find(stream);
  if (capture == state().captures.end())
    return work();
  capture->second.push_back(std::move(work));
  return success;
}

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, simt::SimtDialect, mlir::arith::ArithDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  return std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
}

Result load(EmulatedModule &module, const char *text) {
  if (std::strcmp(text, "builtin map_tokens") == 0) {
    module.entry = "map_tokens";
    return success;
  }
  module.context = makeContext();
  mlir::ScopedDiagnosticHandler handler(module.context.get(), [](mlir::Diagnostic &diagnostic) {
    lastMessage = diagnostic.str();
    return mlir::success();
  });
  auto parsed =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(module.context.get()));
  if (!parsed)
    return invalidImage;
  auto kernels = parsed->getOps<mlir::gpu::GPUModuleOp>();
  if (kernels.empty() || (*kernels.begin()).getOps<mlir::gpu::GPUFuncOp>().empty())
    return fail(invalidImage, "expected a gpu.module with a gpu.func");
  mlir::gpu::GPUFuncOp function = *(*kernels.begin()).getOps<mlir::gpu::GPUFuncOp>().begin();
  module.entry = function.getName().str();
  module.types.assign(function.getArgumentTypes().begin(), function.getArgumentTypes().end());
  auto created = emulator::Emulator::create(*parsed);
  if (!created)
    return fail(invalidImage, llvm::toString(created.takeError()));
  module.emulator = std::move(*created);
  return success;
}

std::vector<emulator::Argument> readArguments(const EmulatedModule &module, void **values) {
  std::vector<emulator::Argument> arguments;
  for (auto [i, type] : llvm::enumerate(module.types)) {
    if (type.isInteger(32))
      arguments.push_back(*static_cast<int32_t *>(values[i]));
    else if (type.isInteger(64))
      arguments.push_back(*static_cast<int64_t *>(values[i]));
    else if (type.isF32())
      arguments.push_back(*static_cast<float *>(values[i]));
    else
      arguments.push_back(*static_cast<void **>(values[i]));
  }
  return arguments;
}

Result run(EmulatedModule &module, const std::vector<emulator::Argument> &arguments,
           const emulator::RunOptions &options) {
  const std::vector<emulator::Buffer> &allocations = state().allocations;
  for (; module.knownAllocations < allocations.size(); ++module.knownAllocations)
    module.emulator->addBuffer(allocations[module.knownAllocations]);
  if (llvm::Error error = module.emulator->run(arguments, options))
    return fail(launchFailed, llvm::toString(std::move(error)));
  return success;
}

} // namespace

extern "C" {

Result cuInit(unsigned) { return success; }
Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return success;
}
Result cuGetErrorName(Result result, const char **name) {
  *name = result == launchFailed   ? "CUDA_ERROR_LAUNCH_FAILED"
          : result == invalidImage ? "CUDA_ERROR_INVALID_IMAGE"
                                   : "CUDA_ERROR_INVALID_VALUE";
  return success;
}
Result cuGetErrorString(Result, const char **text) {
  *text = lastMessage.c_str();
  return success;
}
Result cuDeviceGetCount(int *count) {
  *count = 1;
  return success;
}
Result cuDeviceGet(DeviceId *device, int) {
  *device = 0;
  return success;
}
Result cuDeviceGetName(char *name, int size, DeviceId) {
  std::strncpy(name, "lora-tile emulator", static_cast<size_t>(size));
  return success;
}
Result cuDeviceGetAttribute(int *value, int attribute, DeviceId) {
  *value = attribute == attributeMultiprocessorCount ? 1 : 0;
  return success;
}
Result cuDevicePrimaryCtxRetain(Context *context, DeviceId) {
  *context = reinterpret_cast<Context>(&state());
  return success;
}
Result cuDevicePrimaryCtxRelease_v2(DeviceId) { return success; }
Result cuCtxPushCurrent_v2(Context context) {
  contexts.push_back(context);
  return success;
}
Result cuCtxPopCurrent_v2(Context *context) {
  if (contexts.empty())
    return fail(invalidValue, "no context is current");
  *context = contexts.back();
  contexts.pop_back();
  return success;
}
Result cuCtxSetCurrent(Context context) {
  contexts.clear();
  if (context)
    contexts.push_back(context);
  return success;
}
Result cuCtxGetCurrent(Context *context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return success;
}
Result cuCtxGetDevice(DeviceId *device) {
  *device = 0;
  return success;
}

Result cuModuleLoadData(ModuleHandle *module, const void *image) {
  std::lock_guard lock(state().mutex);
  auto loaded = std::make_unique<EmulatedModule>();
  if (Result result = load(*loaded, static_cast<const char *>(image)))
    return result;
  *module = reinterpret_cast<ModuleHandle>(loaded.release());
  return success;
}
Result cuModuleUnload(ModuleHandle module) {
  std::lock_guard lock(state().mutex);
  delete reinterpret_cast<EmulatedModule *>(module);
  return success;
}
Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  if (reinterpret_cast<EmulatedModule *>(module)->entry != name)
    return fail(invalidValue, std::string("no kernel '") + name + "'");
  *function = reinterpret_cast<FunctionHandle>(module);
  return success;
}
Result cuFuncSetAttribute(FunctionHandle, int, int) { return success; }

Result cuMemAlloc_v2(DevicePointer *address, size_t size) {
  std::lock_guard lock(state().mutex);
  void *memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!memory)
    return fail(errorOutOfMemory, "there is not enough host memory");
  std::string name = "allocation " + std::to_string(state().allocations.size());
  state().allocations.push_back({memory, size, std::move(name), true, true});
  *address = reinterpret_cast<DevicePointer>(memory);
  return success;
}
Result cuMemFree_v2(DevicePointer) { return success; }
Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = *total = size_t(1) << 29;
  return success;
}
Result cuMemHostAlloc(void **address, size_t size, unsigned) {
  *address = std::malloc(size);
  return *address ? success : fail(errorOutOfMemory, "there is not enough host memory");
}
Result cuMemFreeHost(void *address) {
  std::free(address);
  return success;
}
Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t size, StreamHandle stream) {
  std::lock_guard lock(state().mutex);
  return enqueue(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(to), from, size);
    return success;
  });
}
Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t size, StreamHandle stream) {
  std::lock_guard lock(state().mutex);
  return enqueue(stream, [=] {
    std::memcpy(to, reinterpret_cast<const void *>(from), size);
    return success;
  });
}
Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t size,
                            StreamHandle stream) {
  std::lock_guard lock(state().mutex);
  return enqueue(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), size);
    return success;
  });
}
Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t size, StreamHandle stream) {
  std::lock_guard lock(state().mutex);
  return enqueue(stream, [=] {
    std::memset(reinterpret_cast<void *>(to), value, size);
    return success;
  });
}

Result cuStreamCreate(StreamHandle *stream, unsigned) {
  *stream = reinterpret_cast<StreamHandle>(new char);
  return success;
}
Result cuStreamDestroy_v2(StreamHandle stream) {
  delete reinterpret_cast<char *>(stream);
  return success;
}
Result cuStreamSynchronize(StreamHandle) { return success; }
Result cuStreamIsCapturing(StreamHandle stream, int *status) {
  std::lock_guard lock(state().mutex);
  *status = static_cast<int>(state().captures.count(stream));
  return success;
}
Result cuThreadExchangeStreamCaptureMode(int *) { return success; }
Result cuStreamBeginCapture_v2(StreamHandle stream, int) {
  std::lock_guard lock(state().mutex);
  return state().captures.emplace(stream, Graph()).second
             ? success
             : fail(invalidValue, "the stream is captured already");
}
Result cuStreamEndCapture(StreamHandle stream, Graph **graph) {
  std::lock_guard lock(state().mutex);
  auto capture = state().captures.find(stream);
  if (capture == state().captures.end())
    return fail(invalidValue, "the stream is not captured");
  *graph = new Graph(std::move(capture->second));
  state().captures.erase(capture);
  return success;
}
Result cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, unsigned long long) {
  *executable = new Graph(*graph);
  return success;
}
Result cuGraphLaunch(Graph *executable, StreamHandle) {
  std::lock_guard lock(state().mutex);
  for (const Work &work : *executable)
    if (Result result = work())
      return result;
  return success;
}
Result cuGraphDestroy(Graph *graph) {
  delete graph;
  return success;
}
Result cuGraphExecDestroy(Graph *executable) {
  delete executable;
  return success;
}

Result cuEventCreate(EventHandle *event, unsigned) {
  *event = reinterpret_cast<EventHandle>(new TimePoint);
  return success;
}
Result cuEventDestroy_v2(EventHandle event) {
  delete reinterpret_cast<TimePoint *>(event);
  return success;
}
Result cuEventRecord(EventHandle event, StreamHandle) {
  *reinterpret_cast<TimePoint *>(event) = std::chrono::steady_clock::now();
  return success;
}
Result cuEventQuery(EventHandle) { return success; }
Result cuEventSynchronize(EventHandle) { return success; }
Result cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle end) {
  auto elapsed = *reinterpret_cast<TimePoint *>(end) - *reinterpret_cast<TimePoint *>(start);
  *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
  return success;
}

Result cuLaunchKernelEx(const LaunchConfig *config, FunctionHandle function, void **values,
                        void **) {
  std::lock_guard lock(state().mutex);
  auto *module = reinterpret_cast<EmulatedModule *>(function);
  if (!module->emulator)
    return enqueue(config->stream, [map = emulated::MapTokens::read(values)] {
      map.run();
      return success;
    });
  emulator::RunOptions options;
  options.grid = {config->grid[0], config->grid[1], config->grid[2]};
  return enqueue(config->stream, [module, options, arguments = readArguments(*module, values)] {
    return run(*module, arguments, options);
  });
}
}
