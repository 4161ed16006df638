//===- KernelRun.h - Kernels that no pass has heard of --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Execution/HostBackend.h"
#include "lora/Support/DType.h"
#include "lora/Support/Files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace lora {

/// What a kernel is run on, and the architecture it is compiled for.
struct HostMachine {
  HostBackend backend;
  const char *target;
};

inline constexpr HostMachine kHostMachines[] = {{HostBackend::Interpreter, "sm_80"},
                                                {HostBackend::Emulator, "sm_80"},
                                                {HostBackend::Emulator, "sm_90a"}};

/// Runs a kernel of test/kernels over host buffers.
class KernelRun {
public:
  KernelRun(std::string kernel, DType type, uint32_t seed)
      : kernel(std::move(kernel)), type(type), random(seed) {}

  /// A buffer of `count` random values of the element type, none larger than 1.
  HostBuffer &addMatrix(std::string_view name, int64_t count) {
    HostBuffer &buffer = add(name, count * byteSize(type));
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (int64_t i = 0; i != count; ++i)
      storeElement(type, buffer.bytes().data(), i, distribution(random));
    return buffer;
  }

  template <typename T> HostBuffer &addValues(std::string_view name, std::span<const T> values) {
    HostBuffer &buffer = add(name, values.size_bytes());
    std::memcpy(buffer.bytes().data(), values.data(), values.size_bytes());
    return buffer;
  }

  /// A value of a buffer of the element type.
  double at(std::string_view name, int64_t index) {
    return loadElement(type, find(name).bytes().data(), index);
  }

  /// Runs the kernel and returns the bytes of the output, which starts as NaNs.
  std::vector<std::byte> run(const HostMachine &machine, const std::vector<std::string> &settings,
                             std::string_view output, uint64_t seed = 0) {
    CompileOptions options;
    options.target = machine.target;
    options.settings = settings;
    options.types = {std::string(dtypeName(type))};
    std::span<std::byte> bytes = find(output).bytes();
    std::fill(bytes.begin(), bytes.end(), std::byte(0xff));
    runOnHost(machine.backend, readFile(std::string(LORA_TEST_KERNELS_DIR "/") + kernel), kernel,
              options, arguments, buffers, seed);
    return {bytes.begin(), bytes.end()};
  }

  /// Whether a value of the element type is `expected` but for its rounding and an error of the
  /// f32 sums before it, whose terms have the sum of magnitudes `magnitude`.
  bool isNear(double found, double expected, double magnitude) const {
    double unit = type == DType::F16 ? 0x1p-11 : 0x1p-8;
    return std::abs(found - expected) <= unit * std::abs(expected) + 1e-6 * magnitude + 1e-7;
  }

  Arguments arguments;

private:
  HostBuffer &add(std::string_view name, size_t bytes) {
    buffers.emplace_back(std::string(name), bytes);
    arguments.setPointer(name, buffers.back().bytes().data());
    return buffers.back();
  }

  HostBuffer &find(std::string_view name) {
    for (HostBuffer &buffer : buffers)
      if (buffer.name() == name)
        return buffer;
    throw std::invalid_argument("no buffer " + std::string(name));
  }

  std::string kernel;
  DType type;
  std::mt19937 random;
  std::vector<HostBuffer> buffers;
};

} // namespace lora
