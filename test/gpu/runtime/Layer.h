//===- Layer.h - An adapted layer on a device ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/LoraProblem.h"
#include "lora/Runtime/Driver.h"
#include "lora/runtime.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lora::gpu {

/// The data of a layer in device memory, its adapters in the slots of the runtime, and a mapping.
/// Results are compared with a float64 reference.
class Layer {
public:
  /// All adapters of the shape are put into their slots. The mapping has room for the tokens of the
  /// shape and is empty.
  Layer(RuntimeContext &context, const Device &device, const LoraShape &shape);

  const LoraShape &shape() const { return sizes; }
  Stream &stream() { return work; }
  lora_mapping *mapping() { return tokens->get(); }
  lora_adapters *adapters() { return slots->get(); }
  RuntimeContext &context() { return runtime; }

  /// A launch over all tokens of the shape, on the stream of the layer.
  lora_launch launch();

  void setHost(std::span<const int32_t> tokenLora);
  /// From device memory, which the layer keeps and which is overwritten by the next call.
  void setDevice(std::span<const int32_t> tokenLora);
  void setV1(std::span<const int32_t> tokenLora);
  /// Only uploads what setDevice reads, for a graph that has captured that.
  const int32_t *upload(std::span<const int32_t> tokenLora);

  /// Puts the adapter that was made for slot `from` into slot `to`. Empties it for an empty one.
  void putAdapter(int32_t to, int32_t from);

  /// Sets s and y to what they were before any launch; s as a mapping's expand expects it.
  void reset(std::span<const int32_t> tokenLora = {});

  /// Throws Error if the result of an op over this mapping is not as it should be.
  void check(lora_op op, std::span<const int32_t> tokenLora);

  /// The bytes of y.
  std::vector<std::byte> output();

private:
  DeviceBuffer &place(const HostBuffer &buffer);
  DeviceBuffer &place(LoraProblem &problem, std::string_view name);
  void putInitialAdapters();
  LoraProblem problem(LoraOp op, std::span<const int32_t> tokenLora) const;

  RuntimeContext &runtime;
  Device device;
  Stream work;
  LoraShape sizes;
  /// Without tokens that have an adapter; hold x, the weights, y and room for s.
  LoraProblem shrink, expand;
  std::map<const HostBuffer *, DeviceBuffer> buffers;
  DeviceBuffer tokenLora;
  std::optional<AdapterSlots> slots;
  std::optional<TokenMapping> tokens;
  /// The slot whose adapter each slot has.
  std::vector<int32_t> contents;
};

} // namespace lora::gpu
