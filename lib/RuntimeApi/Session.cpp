//===- Session.cpp - A driver and one of its contexts -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <algorithm>

using namespace lora;
using namespace lora::api;

/// The first driver with all functions that are used: that of CUDA 11.8.
static constexpr int kLeastDriverVersion = 11080;

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

static cuda::Api loadDriver(const char *library) {
  try {
    cuda::Api api = cuda::loadApi(library ? library : "libcuda.so.1");
    api.check(api.init(0), "cuInit");
    int version = 0;
    api.check(api.driverGetVersion(&version), "cuDriverGetVersion");
    if (version < kLeastDriverVersion)
      throw Error("CUDA driver: expected version " + versionText(kLeastDriverVersion) +
                  " or later, found " + versionText(version));
    return api;
  } catch (const Error &error) {
    throw StatusError(LORA_ERROR_NO_DRIVER, error.what());
  }
}

Session::Session(const lora_context_options &options) : api(loadDriver(options.driver_library)) {
  findContext(options);
  try {
    Current current(*this);
    check(api.contextGetDevice(&device), "cuCtxGetDevice");
    auto attribute = [&](int name) {
      int value = 0;
      check(api.deviceGetAttribute(&value, name, device), "cuDeviceGetAttribute");
      return value;
    };
    capability = 10 * attribute(cuda::attributeComputeCapabilityMajor) +
                 attribute(cuda::attributeComputeCapabilityMinor);
    maxSharedBytes = attribute(cuda::attributeMaxSharedBytes);
  } catch (...) {
    if (retained)
      api.primaryContextRelease(device);
    throw;
  }
  target = capability == 0 ? "emulator" : "sm_" + std::to_string(capability);
}

Session::~Session() {
  if (retained)
    api.primaryContextRelease(device);
}

void Session::findContext(const lora_context_options &options) {
  if (options.cu_context) {
    context = static_cast<cuda::Context>(options.cu_context);
    return;
  }
  if (options.device == -1) {
    check(api.contextGetCurrent(&context), "cuCtxGetCurrent");
    if (!context)
      failArgument("options.device", "a current CUDA context in this thread for -1", "none");
    return;
  }
  int count = 0;
  check(api.deviceGetCount(&count), "cuDeviceGetCount");
  checkRange("options.device", options.device, -1, count - 1);
  check(api.deviceGet(&device, options.device), "cuDeviceGet");
  check(api.primaryContextRetain(&context, device), "cuDevicePrimaryCtxRetain");
  retained = true;
}

void Session::check(cuda::Result result, const char *call) const {
  if (result == cuda::success)
    return;
  try {
    api.check(result, call);
  } catch (const Error &error) {
    bool isMemory = result == cuda::errorOutOfMemory;
    throw StatusError(isMemory ? LORA_ERROR_OUT_OF_MEMORY : LORA_ERROR_DRIVER, error.what());
  }
}

DeviceMemory::DeviceMemory(const Session &session, size_t size) : session(&session), bytes(size) {
  session.check(session.api.memoryAllocate(&start, std::max<size_t>(size, 1)), "cuMemAlloc_v2");
}

DeviceMemory::~DeviceMemory() {
  if (!start)
    return;
  cuda::Context popped;
  // Results are dropped: an earlier failure of the context is reported elsewhere.
  bool pushed = session->api.contextPush(session->context) == cuda::success;
  session->api.memoryFree(start);
  if (pushed)
    session->api.contextPop(&popped);
}

bool api::isCapturing(const Session &session, void *stream) {
  int status = cuda::captureStatusNone;
  session.check(session.api.streamIsCapturing(streamOf(stream), &status), "cuStreamIsCapturing");
  return status != cuda::captureStatusNone;
}
