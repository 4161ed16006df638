//===- LoraProblem.h - A shrink or an expand with its data ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Problem/HostBuffer.h"
#include "lora/Problem/LoraShape.h"
#include "lora/Problem/Mapping.h"
#include "lora/Problem/RandomPool.h"
#include "lora/Problem/Reference.h"
#include "lora/Runtime/Arguments.h"
#include "lora/Support/DType.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// A shrink or an expand with seeded random data in host memory, and its reference.
///
/// x, y and, for expand, s are uniform in [-1, 1), the weights in [-0.05, 0.05), the scalings in
/// [0.5, 1.5). All that a kernel must not depend on is a NaN: the gaps between rows, s and, unless
/// it is added to, y before the launch, and what an expand gets in s for tokens without an adapter
/// and beyond the rank of the token's adapter. Buffers end with the last column of the last row.
/// Weights, scalings and s can be replaced by given ones before the launch.
class LoraProblem {
public:
  /// Where kernels find a buffer of the host.
  using Translate = std::function<uint64_t(const HostBuffer &)>;

  /// Throws Error if the shape is not valid, or tokenLora does not have an adapter slot or -1 for
  /// each token.
  ///
  /// With a pool, x and the weights are windows of it unless there are gaps between their rows, and
  /// y begins as a copy of one. The pool must outlive the problem. Throws Error if it is too small.
  LoraProblem(LoraOp op, const LoraShape &shape, std::span<const int32_t> tokenLora, uint64_t seed,
              RandomPool *pool = nullptr);

  LoraOp op() const { return operation; }
  /// The shape with all defaults replaced.
  const LoraShape &shape() const { return sizes; }
  const Mapping &mapping() const { return batch; }

  /// All buffers, each of which the kernel reads or writes. They keep their order and their memory.
  std::vector<HostBuffer> &buffers() { return memory; }
  const std::vector<HostBuffer> &buffers() const { return memory; }
  /// The one that the kernel writes: s of a shrink, y of an expand.
  HostBuffer &output() { return memory[outputIndex]; }
  const HostBuffer &output() const { return memory[outputIndex]; }

  /// The arguments of a kernel with the given BLOCK_M, with the address that `translate` gives for
  /// each buffer. Also writes the addresses of the weights into the table of pointers, which is one
  /// of the buffers: to run on a device, call this before the buffers are copied there. Throws
  /// Error if no row blocks of this size exist.
  Arguments arguments(int64_t blockM, const Translate &translate);

  /// The arguments for a kernel that runs on the host.
  Arguments arguments(int64_t blockM);

  /// Replaces the weights of one slice and adapter slot: A of a shrink, [rank, hidden], or B of an
  /// expand, [width of the slice, rank]. `bits` are those of the type of the weights, row-major and
  /// without gaps. Throws Error if the slot is empty or does not exist, the number of elements
  /// differs, or the weights are part of a pool.
  void setWeights(int32_t slice, int32_t lora, std::span<const uint16_t> bits);

  /// Replaces the scalings of a shrink, [maxLoras]. Throws Error for an expand, or if there are
  /// more or fewer.
  void setScalings(std::span<const float> values);

  /// Replaces s of an expand by what a shrink over the same tokens, slices and ranks has left in
  /// its output. What an expand must not depend on stays a NaN. Throws Error if the shapes differ.
  void setS(const LoraProblem &shrink);

  /// Sets the output to what it was before the first launch.
  void resetOutput();

  /// The largest relativeError of a slice of any of the given tokens, between the output buffer
  /// and the reference. Tokens without an adapter do not count.
  double error(std::span<const int64_t> tokens) const;

  /// How far the output is from the reference over some tokens.
  struct Errors {
    /// ||out - ref|| / ||ref|| over all of them.
    double total = 0;
    /// The largest ||out - ref|| of a row of a slice, relative to its own ||ref|| or to the root
    /// mean square of ||ref|| over all rows of the slice, whichever is larger: a row of one element
    /// that happens to be close to zero has no relative error to speak of.
    double worstRow = 0;
  };

  /// Both for the given tokens; those without an adapter do not count.
  Errors errors(std::span<const int64_t> tokens) const;

  /// As error, for the expand that follows `shrink`: between y and the reference of the two
  /// together, in which s is neither computed nor rounded in less than float64.
  double chainError(const LoraProblem &shrink, std::span<const int64_t> tokens) const;

  /// Throws Error with the row and the column if the output buffer differs from before the launch
  /// where a kernel must not write: in a gap, in a column of no slice, and in the row of a token
  /// without an adapter. Tokens of an empty slot may be written.
  void checkUntouched() const;

  /// Throws Error with the row and the column if the output buffer is not finite where a kernel
  /// must write: in the columns of a slice in the row of a token with an adapter; for a shrink, in
  /// those below the rank of the adapter.
  void checkWritten() const;

private:
  /// The reference of a slice for the given tokens.
  using SliceReference =
      std::function<std::vector<double>(int32_t slice, std::span<const int64_t> rows)>;

  size_t indexOf(std::string_view name) const;
  const HostBuffer &find(std::string_view name) const { return memory[indexOf(name)]; }
  size_t addMatrix(std::string name, DType type, int64_t rows, int64_t columns, int64_t stride,
                   RandomPool::Kind kind);
  template <typename T> void addArray(std::string name, const std::vector<T> &values);
  void addS();
  void addWeights(const std::string &table);
  void addY();
  int32_t rankOf(int64_t token) const;
  std::vector<MatrixView> weights(int64_t stride) const;
  ShrinkOperands shrinkOperands() const;
  ExpandOperands expandOperands() const;
  SliceReference ownReference() const;
  ErrorNorms normsOfRow(int32_t slice, int64_t token, std::span<const double> reference) const;
  std::vector<std::vector<ErrorNorms>> rowNorms(std::span<const int64_t> tokens,
                                                const SliceReference &reference) const;
  DType outputType() const { return operation == LoraOp::Shrink ? DType::F32 : sizes.xType; }
  int64_t firstOfRow(int32_t slice, int64_t token) const;
  std::string placeInOutput(int64_t element) const;

  LoraOp operation;
  LoraShape sizes;
  Mapping batch;
  uint64_t seed;
  RandomPool *pool;
  std::vector<float> scalings;
  std::vector<int32_t> sliceOffsets;
  std::vector<HostBuffer> memory;
  /// [slices, maxLoras]: the buffer of each matrix of weights, or -1 for an empty slot.
  std::vector<int64_t> weightIndices;
  size_t outputIndex = 0;
  HostBuffer initialOutput;
};

} // namespace lora
