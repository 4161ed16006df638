//===- OutputChecks.cpp - Where a kernel has written ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "lora/Problem/LoraProblem.h"
#include "lora/Support/Error.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

using namespace lora;

namespace {

constexpr int64_t none = std::numeric_limits<int64_t>::max();

/// The least element that `find` gives for any of `count` rows, or `none`, which it gives for a row
/// without one. Uses all cores.
int64_t firstOf(int64_t count, const std::function<int64_t(int64_t)> &find) {
  std::atomic<int64_t> first = none;
  parallelFor(count, [&](int64_t row) {
    int64_t found = find(row), least = first;
    while (found < least && !first.compare_exchange_weak(least, found))
      ;
  });
  return first;
}

} // namespace

/// The position in the output of the first element of a token's row of a slice.
int64_t LoraProblem::firstOfRow(int32_t slice, int64_t token) const {
  if (operation == LoraOp::Shrink)
    return slice * sizes.sSliceStride + token * sizes.sStride;
  return token * sizes.yStride + sliceOffsets[size_t(slice)];
}

std::string LoraProblem::placeInOutput(int64_t element) const {
  std::string slice;
  int64_t stride = sizes.yStride;
  if (operation == LoraOp::Shrink) {
    slice = " of slice " + std::to_string(element / sizes.sSliceStride);
    element %= sizes.sSliceStride;
    stride = sizes.sStride;
  }
  return output().name() + slice + ", row " + std::to_string(element / stride) + ", column " +
         std::to_string(element % stride);
}

void LoraProblem::checkUntouched() const {
  // The ranges [first, end) that may be written, in ascending order; the slices of an expand
  // adjoin.
  std::vector<std::pair<int64_t, int64_t>> writable;
  bool isShrink = operation == LoraOp::Shrink;
  int64_t size = static_cast<int64_t>(byteSize(outputType())), width = sizes.maxRank;
  if (!isShrink)
    width = sliceOffsets.back() + sizes.sliceWidths.back() - sliceOffsets.front();
  for (int32_t slice = 0; slice < (isShrink ? sizes.slices() : 1); ++slice)
    for (int64_t token = 0; token < sizes.tokens; ++token)
      if (batch.tokenLora[size_t(token)] >= 0)
        writable.emplace_back(firstOfRow(slice, token), firstOfRow(slice, token) + width);

  int64_t elements = static_cast<int64_t>(output().bytes().size()) / size;
  const std::byte *found = output().bytes().data(), *initial = initialOutput.bytes().data();
  auto differs = [&](int64_t begin, int64_t end) {
    return std::memcmp(found + begin * size, initial + begin * size,
                       size_t((end - begin) * size)) != 0;
  };
  // Gap i lies before range i, the last one after all of them.
  int64_t gaps = static_cast<int64_t>(writable.size()) + 1;
  int64_t first = firstOf(gaps, [&](int64_t gap) {
    int64_t begin = gap == 0 ? 0 : writable[size_t(gap - 1)].second;
    int64_t end = gap == gaps - 1 ? elements : writable[size_t(gap)].first;
    if (begin == end || !differs(begin, end))
      return none;
    while (!differs(begin, begin + 1))
      ++begin;
    return begin;
  });
  if (first != none)
    throw Error(placeInOutput(first) + ": was written, expected it to be left alone");
}

void LoraProblem::checkWritten() const {
  const void *found = output().as<void>();
  bool isShrink = operation == LoraOp::Shrink;
  int64_t first = firstOf(sizes.tokens * sizes.slices(), [&](int64_t row) {
    int64_t token = row / sizes.slices();
    int32_t slice = static_cast<int32_t>(row % sizes.slices()), rank = rankOf(token);
    int64_t begin = firstOfRow(slice, token), end = begin;
    if (rank > 0)
      end += isShrink ? rank : sizes.sliceWidths[size_t(slice)];
    for (; begin < end; ++begin)
      if (!std::isfinite(loadElement(outputType(), found, begin)))
        return begin;
    return none;
  });
  if (first != none)
    throw Error(placeInOutput(first) + ": was not written, or is not finite");
}
