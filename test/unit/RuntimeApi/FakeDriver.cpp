//===- FakeDriver.cpp - A CUDA driver that records calls ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include "CudaApi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace lora;
using namespace lora::cuda;

namespace {

struct FakeFunction {
  std::string name;
};

struct FakeModule {
  std::vector<std::unique_ptr<FakeFunction>> functions;
};

thread_local std::vector<Context> contexts;
constexpr Result invalidValue = 1;

/// Counts a call; not success if it is to fail.
Result enter(const char *name) {
  fake::Driver &driver = *fakeDriver();
  ++driver.calls;
  if (driver.recordedArguments >= 0) {
    std::lock_guard lock(driver.mutex);
    ++driver.callsOf[name];
  }
  if (driver.callsUntilFailure >= 0 && driver.callsUntilFailure-- == 0)
    return driver.failure;
  return success;
}

#define FAKE_ENTER                                                                                 \
  if (Result result = enter(__func__))                                                             \
  return result

template <typename Container, typename Key> Result forget(Container &container, Key key) {
  std::lock_guard lock(fakeDriver()->mutex);
  return container.erase(key) ? success : invalidValue;
}

} // namespace

extern "C" {

fake::Driver *fakeDriver() {
  static fake::Driver driver;
  return &driver;
}

Result cuInit(unsigned) { return fakeDriver()->initResult; }
Result cuDriverGetVersion(int *version) {
  *version = fakeDriver()->version;
  return success;
}
Result cuGetErrorName(Result, const char **name) {
  *name = "CUDA_ERROR_FAKE";
  return success;
}
Result cuGetErrorString(Result, const char **text) {
  *text = "injected";
  return success;
}
Result cuDeviceGetCount(int *count) {
  FAKE_ENTER;
  *count = 2;
  return success;
}
Result cuDeviceGet(DeviceId *device, int ordinal) {
  FAKE_ENTER;
  *device = ordinal;
  return success;
}
Result cuDeviceGetName(char *name, int size, DeviceId) {
  FAKE_ENTER;
  std::strncpy(name, "fake", static_cast<size_t>(size));
  return success;
}
Result cuDeviceGetAttribute(int *value, int attribute, DeviceId) {
  FAKE_ENTER;
  int capability = fakeDriver()->capability;
  *value = attribute == attributeComputeCapabilityMajor   ? capability / 10
           : attribute == attributeComputeCapabilityMinor ? capability % 10
           : attribute == attributeMaxSharedBytes         ? fakeDriver()->maxSharedBytes.load()
                                                          : 132;
  return success;
}
Result cuDevicePrimaryCtxRetain(Context *context, DeviceId device) {
  FAKE_ENTER;
  ++fakeDriver()->retained;
  *context = reinterpret_cast<Context>(uintptr_t(0x1000 + device));
  return success;
}
Result cuDevicePrimaryCtxRelease_v2(DeviceId) {
  --fakeDriver()->retained;
  return success;
}
Result cuCtxPushCurrent_v2(Context context) {
  FAKE_ENTER;
  contexts.push_back(context);
  return success;
}
Result cuCtxPopCurrent_v2(Context *context) {
  if (contexts.empty())
    return invalidValue;
  *context = contexts.back();
  contexts.pop_back();
  return success;
}
Result cuCtxGetCurrent(Context *context) {
  FAKE_ENTER;
  *context = contexts.empty() ? nullptr : contexts.back();
  return success;
}
Result cuCtxGetDevice(DeviceId *device) {
  FAKE_ENTER;
  *device = 0;
  return success;
}
Result cuModuleLoadData(ModuleHandle *module, const void *) {
  FAKE_ENTER;
  auto *created = new FakeModule;
  *module = reinterpret_cast<ModuleHandle>(created);
  std::lock_guard lock(fakeDriver()->mutex);
  fakeDriver()->modules.insert(created);
  return success;
}
Result cuModuleUnload(ModuleHandle module) {
  if (Result result = forget(fakeDriver()->modules, static_cast<void *>(module)))
    return result;
  delete reinterpret_cast<FakeModule *>(module);
  return success;
}
Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  FAKE_ENTER;
  auto &functions = reinterpret_cast<FakeModule *>(module)->functions;
  functions.push_back(std::make_unique<FakeFunction>(FakeFunction{name}));
  *function = reinterpret_cast<FunctionHandle>(functions.back().get());
  return success;
}
Result cuFuncSetAttribute(FunctionHandle function, int attribute, int value) {
  FAKE_ENTER;
  std::lock_guard lock(fakeDriver()->mutex);
  fakeDriver()->functionAttributes[function][attribute] = value;
  return success;
}
Result cuMemAlloc_v2(DevicePointer *address, size_t size) {
  FAKE_ENTER;
  void *memory = std::aligned_alloc(256, (size + 255) / 256 * 256);
  *address = reinterpret_cast<DevicePointer>(memory);
  std::lock_guard lock(fakeDriver()->mutex);
  fakeDriver()->memory[memory] = size;
  return success;
}
Result cuMemFree_v2(DevicePointer address) {
  void *memory = reinterpret_cast<void *>(address);
  if (Result result = forget(fakeDriver()->memory, memory))
    return result;
  std::free(memory);
  return success;
}
Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  FAKE_ENTER;
  *free = *total = size_t(1) << 30;
  return success;
}
Result cuMemHostAlloc(void **address, size_t size, unsigned) {
  FAKE_ENTER;
  *address = std::malloc(size);
  std::lock_guard lock(fakeDriver()->mutex);
  fakeDriver()->pinned[*address] = size;
  return success;
}
Result cuMemFreeHost(void *address) {
  if (Result result = forget(fakeDriver()->pinned, address))
    return result;
  std::free(address);
  return success;
}
Result cuStreamIsCapturing(StreamHandle, int *status) {
  FAKE_ENTER;
  *status = fakeDriver()->capturing;
  return success;
}
Result cuThreadExchangeStreamCaptureMode(int *mode) {
  // The second call of a pair restores a mode, which cannot fail in a way that anybody can handle.
  Result result = *mode == captureModeRelaxed ? enter(__func__) : success;
  if (result)
    return result;
  static thread_local int current = 0;
  std::swap(*mode, current);
  return success;
}
Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t size, StreamHandle) {
  FAKE_ENTER;
  std::memcpy(reinterpret_cast<void *>(to), from, size);
  return success;
}
Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t size, StreamHandle) {
  FAKE_ENTER;
  std::memcpy(to, reinterpret_cast<const void *>(from), size);
  return success;
}
Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t size, StreamHandle) {
  FAKE_ENTER;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), size);
  return success;
}
Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t size, StreamHandle) {
  FAKE_ENTER;
  std::memset(reinterpret_cast<void *>(to), value, size);
  return success;
}
Result cuStreamCreate(StreamHandle *stream, unsigned) {
  FAKE_ENTER;
  *stream = reinterpret_cast<StreamHandle>(uintptr_t(0x2000));
  return success;
}
Result cuStreamDestroy_v2(StreamHandle) { return success; }
// Nothing that is tested over this driver captures graphs.
Result cuStreamBeginCapture_v2(StreamHandle, int) { return invalidValue; }
Result cuStreamEndCapture(StreamHandle, GraphHandle *) { return invalidValue; }
Result cuGraphInstantiateWithFlags(ExecutableGraphHandle *, GraphHandle, unsigned long long) {
  return invalidValue;
}
Result cuGraphLaunch(ExecutableGraphHandle, StreamHandle) { return invalidValue; }
Result cuGraphDestroy(GraphHandle) { return invalidValue; }
Result cuGraphExecDestroy(ExecutableGraphHandle) { return invalidValue; }
Result cuStreamSynchronize(StreamHandle) {
  FAKE_ENTER;
  return success;
}
Result cuEventCreate(EventHandle *event, unsigned) {
  FAKE_ENTER;
  auto *created = new int;
  *event = reinterpret_cast<EventHandle>(created);
  std::lock_guard lock(fakeDriver()->mutex);
  fakeDriver()->events.insert(created);
  return success;
}
Result cuEventDestroy_v2(EventHandle event) {
  if (Result result = forget(fakeDriver()->events, static_cast<void *>(event)))
    return result;
  delete reinterpret_cast<int *>(event);
  return success;
}
Result cuEventRecord(EventHandle, StreamHandle) {
  FAKE_ENTER;
  return success;
}
Result cuEventQuery(EventHandle) {
  FAKE_ENTER;
  return fakeDriver()->pending ? errorNotReady : success;
}
Result cuEventSynchronize(EventHandle) { return success; }
Result cuEventElapsedTime(float *milliseconds, EventHandle, EventHandle) {
  FAKE_ENTER;
  *milliseconds = 0;
  return success;
}
Result cuLaunchKernelEx(const LaunchConfig *config, FunctionHandle function, void **arguments,
                        void **) {
  FAKE_ENTER;
  fake::Driver &driver = *fakeDriver();
  if (driver.recordedArguments < 0)
    return success;
  fake::Launch launch = {};
  std::copy_n(config->grid, 3, launch.grid.begin());
  launch.threads = config->block[0];
  launch.sharedBytes = config->sharedBytes;
  launch.stream = config->stream;
  launch.entry = reinterpret_cast<FakeFunction *>(function)->name;
  launch.cluster = {1, 1, 1};
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == launchAttributeClusterDimension)
      std::copy_n(attribute.value.clusterDimension, 3, launch.cluster.begin());
    if (attribute.id == launchAttributeProgrammaticStreamSerialization)
      launch.programmatic = attribute.value.programmaticStreamSerializationAllowed;
  }
  for (int i = 0; i < driver.recordedArguments; ++i)
    launch.values.push_back(*static_cast<uint64_t *>(arguments[i]));
  std::lock_guard lock(driver.mutex);
  driver.launches.push_back(std::move(launch));
  return success;
}
}
