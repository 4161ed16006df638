//===- CudaApi.h - The part of the CUDA driver API that is used -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here rather than taken from cuda.h, so that the runtime builds without the CUDA toolkit.
// Names and layouts are those of the driver's binary interface; where the toolkit is found, the
// unit tests compare them with cuda.h.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lora::cuda {

using Result = int;
using DeviceId = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using FunctionHandle = struct FunctionTag *;
using StreamHandle = struct StreamTag *;
using EventHandle = struct EventTag *;
using GraphHandle = struct GraphTag *;
using ExecutableGraphHandle = struct ExecutableGraphTag *;

constexpr Result success = 0;
constexpr Result errorOutOfMemory = 2;
constexpr Result errorNotReady = 600;

constexpr int attributeClockRate = 13;
constexpr int attributeMultiprocessorCount = 16;
constexpr int attributeMemoryClockRate = 36;
constexpr int attributeL2CacheSize = 38;
constexpr int attributeComputeCapabilityMajor = 75;
constexpr int attributeComputeCapabilityMinor = 76;
constexpr int attributeMaxSharedBytes = 97;

constexpr int functionMaxDynamicSharedBytes = 8;
constexpr int functionNonPortableClusterSizeAllowed = 14;

constexpr unsigned streamNonBlocking = 1;
constexpr unsigned eventDisableTiming = 2;

constexpr int captureStatusNone = 0;
constexpr int captureModeThreadLocal = 1;
constexpr int captureModeRelaxed = 2;

constexpr unsigned launchAttributeClusterDimension = 4;
constexpr unsigned launchAttributeProgrammaticStreamSerialization = 6;

struct LaunchAttribute {
  unsigned id;
  char padding[4];
  union {
    char bytes[64];
    unsigned clusterDimension[3];
    int programmaticStreamSerializationAllowed;
    /// Gives the union the alignment that its other members in the driver have.
    void *alignment;
  } value;
};

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

// X(member of Api, symbol in the driver, parameters)
#define LORA_CUDA_FUNCTIONS(X)                                                                     \
  X(init, cuInit, (unsigned flags))                                                                \
  X(driverGetVersion, cuDriverGetVersion, (int *version))                                          \
  X(getErrorName, cuGetErrorName, (Result result, const char **name))                              \
  X(getErrorString, cuGetErrorString, (Result result, const char **text))                          \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                                                \
  X(deviceGet, cuDeviceGet, (DeviceId * device, int ordinal))                                      \
  X(deviceGetName, cuDeviceGetName, (char *name, int size, DeviceId device))                       \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, DeviceId device))        \
  X(primaryContextRetain, cuDevicePrimaryCtxRetain, (Context * context, DeviceId device))          \
  X(primaryContextRelease, cuDevicePrimaryCtxRelease_v2, (DeviceId device))                        \
  X(contextPush, cuCtxPushCurrent_v2, (Context context))                                           \
  X(contextGetCurrent, cuCtxGetCurrent, (Context * context))                                       \
  X(contextGetDevice, cuCtxGetDevice, (DeviceId * device))                                         \
  X(contextPop, cuCtxPopCurrent_v2, (Context * context))                                           \
  X(moduleLoadData, cuModuleLoadData, (ModuleHandle * module, const void *image))                  \
  X(moduleUnload, cuModuleUnload, (ModuleHandle module))                                           \
  X(moduleGetFunction, cuModuleGetFunction,                                                        \
    (FunctionHandle * function, ModuleHandle module, const char *name))                            \
  X(functionSetAttribute, cuFuncSetAttribute, (FunctionHandle function, int attribute, int value)) \
  X(memoryAllocate, cuMemAlloc_v2, (DevicePointer * address, size_t size))                         \
  X(memoryFree, cuMemFree_v2, (DevicePointer address))                                             \
  X(memoryGetInfo, cuMemGetInfo_v2, (size_t * free, size_t * total))                               \
  X(hostAllocate, cuMemHostAlloc, (void **address, size_t size, unsigned flags))                   \
  X(hostFree, cuMemFreeHost, (void *address))                                                      \
  X(copyToDevice, cuMemcpyHtoDAsync_v2,                                                            \
    (DevicePointer to, const void *from, size_t size, StreamHandle stream))                        \
  X(copyToHost, cuMemcpyDtoHAsync_v2,                                                              \
    (void *to, DevicePointer from, size_t size, StreamHandle stream))                              \
  X(copyOnDevice, cuMemcpyDtoDAsync_v2,                                                            \
    (DevicePointer to, DevicePointer from, size_t size, StreamHandle stream))                      \
  X(fillBytes, cuMemsetD8Async,                                                                    \
    (DevicePointer to, unsigned char value, size_t size, StreamHandle stream))                     \
  X(streamCreate, cuStreamCreate, (StreamHandle * stream, unsigned flags))                         \
  X(streamDestroy, cuStreamDestroy_v2, (StreamHandle stream))                                      \
  X(streamIsCapturing, cuStreamIsCapturing, (StreamHandle stream, int *status))                    \
  X(exchangeCaptureMode, cuThreadExchangeStreamCaptureMode, (int *mode))                           \
  X(streamSynchronize, cuStreamSynchronize, (StreamHandle stream))                                 \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (StreamHandle stream, int mode))                  \
  X(streamEndCapture, cuStreamEndCapture, (StreamHandle stream, GraphHandle * graph))              \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                                                 \
    (ExecutableGraphHandle * executable, GraphHandle graph, unsigned long long flags))             \
  X(graphLaunch, cuGraphLaunch, (ExecutableGraphHandle executable, StreamHandle stream))           \
  X(graphDestroy, cuGraphDestroy, (GraphHandle graph))                                             \
  X(executableGraphDestroy, cuGraphExecDestroy, (ExecutableGraphHandle executable))                \
  X(eventCreate, cuEventCreate, (EventHandle * event, unsigned flags))                             \
  X(eventDestroy, cuEventDestroy_v2, (EventHandle event))                                          \
  X(eventRecord, cuEventRecord, (EventHandle event, StreamHandle stream))                          \
  X(eventQuery, cuEventQuery, (EventHandle event))                                                 \
  X(eventSynchronize, cuEventSynchronize, (EventHandle event))                                     \
  X(eventElapsedTime, cuEventElapsedTime,                                                          \
    (float *milliseconds, EventHandle start, EventHandle end))                                     \
  X(launchKernel, cuLaunchKernelEx,                                                                \
    (const LaunchConfig *config, FunctionHandle function, void **arguments, void **extra))

/// The functions of a loaded driver.
struct Api {
#define LORA_CUDA_MEMBER(member, symbol, parameters) Result(*member) parameters = nullptr;
  LORA_CUDA_FUNCTIONS(LORA_CUDA_MEMBER)
#undef LORA_CUDA_MEMBER

  /// Throws Error, naming the call and the driver's name and text for the error, unless `result`
  /// is success.
  void check(Result result, const char *call) const;
};

/// Loads a driver library without initialising it. The library stays loaded. Throws Error if it
/// cannot be loaded or lacks a function.
Api loadApi(const std::string &library);

/// The driver of this machine, loaded and initialised at the first call. Throws Error if there is
/// none or it finds no device.
const Api &api();

} // namespace lora::cuda
