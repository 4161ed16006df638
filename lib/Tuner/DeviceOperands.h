//===- DeviceOperands.h - The operands of a problem on a device -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Measure/Pattern.h"
#include "lora/Problem/Mapping.h"
#include "lora/Problem/Reference.h"
#include "lora/Runtime/Arguments.h"
#include "lora/Runtime/Driver.h"
#include "lora/Tuner/Problem.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lora::tuner {

/// Large device memory that the operands of all problems are windows of. The inputs hold a
/// pattern, so that any element is known on the host.
class OperandPool {
public:
  explicit OperandPool(Stream stream) : stream(std::move(stream)) {}

  /// Values of a type, in at least so many bytes.
  const DeviceBuffer &values(DType type, size_t bytes);
  const Pattern &pattern(DType type);
  /// Memory for outputs.
  DeviceBuffer &output(size_t bytes);

  Stream stream;

private:
  struct Values {
    std::optional<Pattern> pattern;
    std::optional<DeviceBuffer> buffer;
  };
  std::map<DType, Values> inputs;
  std::optional<DeviceBuffer> outputs;
};

/// Several sets of arguments for one problem, in different places of the pool.
class DeviceOperands {
public:
  DeviceOperands(OperandPool &pool, const TuneProblem &problem);

  size_t sets() const { return places.size(); }

  /// The arguments of a set for a kernel with this BLOCK_M.
  const Arguments &arguments(size_t set, int64_t blockM);

  /// Overwrites the rows that are checked: s by NaNs, y by what is added to or, if it is not, by
  /// NaNs.
  void poison(size_t set);

  /// The largest relative error of a checked row and that over all of them, as
  /// LoraProblem::Errors, of what the device has in the output of the set.
  struct Errors {
    double total = 0, worstRow = 0;
  };
  Errors errors(size_t set);

private:
  /// Where the operands of a set are: elements in the pools of their types.
  struct Place {
    size_t x = 0, a = 0, b = 0, s = 0, output = 0;
  };
  using Rows = std::vector<std::vector<double>>;

  size_t matrixElements(int64_t rows, int64_t columns) const;
  size_t weightsOf(size_t first, int64_t slice, int64_t lora, bool isB) const;
  void uploadSmall();
  size_t addSmall(const void *data, size_t bytes);
  std::vector<std::byte> elements(DType type, size_t first, size_t count) const;
  std::vector<std::byte> initialRow(int64_t row) const;
  Rows reference(size_t set);
  Rows computed(size_t set) const;
  size_t outputElement(size_t set, int64_t slice, int64_t token) const;
  int64_t outputSlices() const;
  int64_t outputColumns() const;
  DType outputType() const;

  OperandPool &pool;
  TuneProblem problem;
  std::vector<int32_t> lora;
  std::vector<int32_t> offsets;
  std::vector<float> scalings;
  std::vector<int64_t> checked;
  std::vector<Place> places;
  std::vector<std::byte> small;
  std::optional<DeviceBuffer> smallBuffer;
  size_t tableBytes = 0, tables = 0, ranks = 0, scalingsAt = 0, offsetsAt = 0, widthsAt = 0,
         indices = 0;
  std::map<int64_t, std::pair<size_t, int32_t>> rowBlocksAt;
  std::map<std::pair<size_t, int64_t>, Arguments> known;
  std::map<size_t, Rows> references;
};

} // namespace lora::tuner
