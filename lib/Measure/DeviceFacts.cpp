//===- DeviceFacts.cpp - What bounds a measurement on a device ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Measure/DeviceFacts.h"

#include "lora/Support/Error.h"

#include <algorithm>

using namespace lora;

DeviceFacts DeviceFacts::of(const Device &device) {
  DeviceFacts facts;
  facts.name = device.name();
  int capability = device.computeCapability();
  facts.arch = "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
  facts.multiprocessors = device.multiprocessors();
  facts.clockMhz = device.clockRate() / 1000;
  facts.memoryClockMhz = device.memoryClockRate() / 1000;
  facts.l2Bytes = device.l2Bytes();
  facts.memoryBytes = device.memory().total;
  int version = Driver::version();
  facts.driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  return facts;
}

double lora::copyBandwidth(GraphTimer &timer, size_t bytes) {
  Stream &stream = timer.stream();
  const Device &device = stream.device();
  size_t size = std::max<size_t>(std::min(bytes, device.memory().free / 4), 1);
  DeviceBuffer from(device, size), to(device, size);
  from.fill(1, stream);
  GraphTimer::Options options = timer.options();
  options.calls = 1;
  // The driver copies with a kernel in a stream, but may give a copy in a graph to a copy engine,
  // which does not reach the bandwidth of the memory.
  options.useGraph = false;
  GraphTimer copies(stream, options);
  std::vector<DeviceCall> call = {[&](Stream &stream) { to.copy(0, from, 0, size, stream); }};
  double microseconds = copies.time(call).median;
  if (microseconds <= 0)
    throw Error("copy of " + std::to_string(size) + " bytes: expected it to take time, found none");
  return 2 * static_cast<double>(size) / microseconds * 1e6;
}
