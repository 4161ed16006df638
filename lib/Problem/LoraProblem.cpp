//===- LoraProblem.cpp - A shrink or an expand with its data --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Problem/LoraProblem.h"

#include "Parallel.h"
#include "Random.h"
#include "lora/Support/Error.h"
#include "lora/Support/RowBlocks.h"

#include <algorithm>
#include <iterator>

using namespace lora;

namespace {

/// Elements from the first to the last of `rows` rows, the gap after the last one left out.
int64_t extent(int64_t rows, int64_t columns, int64_t stride) {
  return rows == 0 ? 0 : (rows - 1) * stride + columns;
}

/// Fills the first `columns(row)` elements of each row with uniform values. They depend on the
/// seed, the row and the column, but not on the stride.
void fillRows(DType type, void *data, int64_t rows, int64_t stride, float magnitude, uint64_t seed,
              const std::function<int64_t(int64_t)> &columns) {
  parallelFor(rows, [&](int64_t row) {
    uint64_t rowSeed = randomBits(seed, uint64_t(row));
    for (int64_t column = 0, end = columns(row); column < end; ++column)
      storeElement(type, data, row * stride + column,
                   magnitude * randomUniform(rowSeed, uint64_t(column)));
  });
}

void copyBytes(std::span<const std::byte> from, std::span<std::byte> to) {
  parallelChunks(from.size(), [&](size_t begin, size_t end) {
    std::copy_n(from.begin() + begin, end - begin, to.begin() + begin);
  });
}

double largestError(const std::vector<std::vector<ErrorNorms>> &slices) {
  double largest = 0;
  for (const std::vector<ErrorNorms> &rows : slices)
    for (const ErrorNorms &row : rows)
      largest = std::max(largest, row.relative());
  return largest;
}

std::string rowBlocksName(int64_t blockM) { return "row_blocks_" + std::to_string(blockM); }

std::string weightName(const std::string &table, int32_t slice, int32_t lora) {
  return table + "[" + std::to_string(slice) + "][" + std::to_string(lora) + "]";
}

} // namespace

LoraProblem::LoraProblem(LoraOp op, const LoraShape &shape, std::span<const int32_t> tokenLora,
                         uint64_t seed, RandomPool *pool)
    : operation(op), sizes(shape.completed(op)), batch(Mapping::build(tokenLora, sizes.maxLoras)),
      seed(seed), pool(pool), initialOutput("", size_t(0)) {
  if (static_cast<int64_t>(tokenLora.size()) != sizes.tokens)
    throw Error("mapping of " + std::to_string(tokenLora.size()) + " tokens: expected " +
                std::to_string(sizes.tokens));
  if (op == LoraOp::Shrink) {
    addMatrix("x", sizes.xType, sizes.tokens, sizes.hidden, sizes.xStride,
              RandomPool::Kind::Activations);
    addWeights("a");
    addS();
    for (int32_t lora = 0; lora < sizes.maxLoras; ++lora)
      scalings.push_back(1 + randomUniform(seed, uint64_t(lora)) / 2);
    addArray("scalings", scalings);
  } else {
    addS();
    addWeights("b");
    addY();
    addArray("slice_offsets", sliceOffsets);
    addArray("slice_widths", sizes.sliceWidths);
  }
  addArray("token_indices", batch.tokenIndices);
  for (int64_t blockM : kRowBlockSizes)
    addArray(rowBlocksName(blockM), batch.rowBlocks(blockM));
  addArray("ranks", sizes.ranks);
  outputIndex = indexOf(op == LoraOp::Shrink ? "s" : "y");
  if (output().isShared()) {
    std::swap(initialOutput, output());
    output() = HostBuffer(initialOutput.name(), initialOutput.bytes().size());
    resetOutput();
  } else {
    initialOutput = HostBuffer(output().name(), output().bytes().size());
    copyBytes(output().bytes(), initialOutput.bytes());
  }
}

size_t LoraProblem::indexOf(std::string_view name) const {
  auto found = std::find_if(memory.begin(), memory.end(),
                            [&](const HostBuffer &buffer) { return buffer.name() == name; });
  return static_cast<size_t>(found - memory.begin());
}

size_t LoraProblem::addMatrix(std::string name, DType type, int64_t rows, int64_t columns,
                              int64_t stride, RandomPool::Kind kind) {
  size_t index = memory.size();
  uint64_t matrixSeed = randomBits(seed, ~index);
  if (pool && stride == columns) {
    memory.push_back(pool->window(std::move(name), kind, type, rows * columns, matrixSeed));
    return index;
  }
  memory.emplace_back(std::move(name), size_t(extent(rows, columns, stride)) * byteSize(type));
  fillRows(type, memory.back().as<void>(), rows, stride, RandomPool::magnitude(kind), matrixSeed,
           [&](int64_t) { return columns; });
  return index;
}

template <typename T> void LoraProblem::addArray(std::string name, const std::vector<T> &values) {
  memory.emplace_back(std::move(name), values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), memory.back().as<T>());
}

int32_t LoraProblem::rankOf(int64_t token) const {
  int32_t lora = batch.tokenLora[size_t(token)];
  return lora < 0 ? 0 : sizes.ranks[size_t(lora)];
}

void LoraProblem::addS() {
  int64_t sliceExtent = extent(sizes.tokens, sizes.maxRank, sizes.sStride);
  size_t index = memory.size();
  memory.emplace_back("s", size_t(extent(sizes.slices(), sliceExtent, sizes.sSliceStride)) *
                               sizeof(float));
  if (operation == LoraOp::Shrink)
    return;
  for (int32_t slice = 0; slice < sizes.slices(); ++slice)
    fillRows(DType::F32, memory.back().as<float>() + slice * sizes.sSliceStride, sizes.tokens,
             sizes.sStride, 1, randomBits(randomBits(seed, ~index), uint64_t(slice)),
             [&](int64_t token) { return rankOf(token); });
}

void LoraProblem::addWeights(const std::string &table) {
  bool isA = operation == LoraOp::Shrink;
  memory.emplace_back(table, size_t(sizes.slices()) * size_t(sizes.maxLoras) * sizeof(uint64_t));
  for (int32_t slice = 0; slice < sizes.slices(); ++slice) {
    for (int32_t lora = 0; lora < sizes.maxLoras; ++lora) {
      int32_t rank = sizes.ranks[size_t(lora)];
      if (rank == 0) {
        weightIndices.push_back(-1);
        continue;
      }
      size_t index =
          addMatrix(weightName(table, slice, lora), sizes.wType,
                    isA ? rank : sizes.sliceWidths[size_t(slice)], isA ? sizes.hidden : rank,
                    isA ? sizes.aStride : sizes.bStride, RandomPool::Kind::Weights);
      weightIndices.push_back(static_cast<int64_t>(index));
    }
  }
}

void LoraProblem::addY() {
  int32_t offset = sizes.outputOffset;
  for (int32_t width : sizes.sliceWidths) {
    sliceOffsets.push_back(offset);
    offset += width;
  }
  if (sizes.addInputs)
    addMatrix("y", sizes.xType, sizes.tokens, sizes.outputWidth, sizes.yStride,
              RandomPool::Kind::Activations);
  else
    memory.emplace_back("y", size_t(extent(sizes.tokens, sizes.outputWidth, sizes.yStride)) *
                                 byteSize(sizes.xType));
}

Arguments LoraProblem::arguments(int64_t blockM, const Translate &translate) {
  Arguments result;
  auto pointer = [&](const char *name) { result.setPointer(name, translate(find(name))); };
  if (std::find(std::begin(kRowBlockSizes), std::end(kRowBlockSizes), blockM) ==
      std::end(kRowBlockSizes))
    throw Error("row blocks of " + std::to_string(blockM) + " tokens: expected 16, 32, 64 or 128");
  const HostBuffer &rowBlocks = find(rowBlocksName(blockM));
  result.setPointer("row_blocks", translate(rowBlocks));
  result.setI32("num_row_blocks",
                static_cast<int32_t>(rowBlocks.bytes().size() / sizeof(RowBlock)));
  bool isShrink = operation == LoraOp::Shrink;
  const char *table = isShrink ? "a" : "b";
  uint64_t *addresses = memory[indexOf(table)].as<uint64_t>();
  for (size_t i = 0; i < weightIndices.size(); ++i)
    addresses[i] = weightIndices[i] < 0 ? 0 : translate(memory[size_t(weightIndices[i])]);

  for (const char *name : {table, "s", "token_indices", "ranks"})
    pointer(name);
  result.setI32("tokens", static_cast<int32_t>(sizes.tokens));
  result.setI32("max_rank", sizes.maxRank);
  result.setI32("slices", sizes.slices());
  result.setI32("max_loras", sizes.maxLoras);
  result.setI64("s_stride", sizes.sStride);
  result.setI64("s_slice_stride", sizes.sSliceStride);
  if (isShrink) {
    pointer("x");
    pointer("scalings");
    result.setI32("hidden", static_cast<int32_t>(sizes.hidden));
    result.setI64("x_stride", sizes.xStride);
    result.setI64("a_stride", sizes.aStride);
  } else {
    pointer("y");
    pointer("slice_offsets");
    pointer("slice_widths");
    result.setI32("max_width",
                  *std::max_element(sizes.sliceWidths.begin(), sizes.sliceWidths.end()));
    result.setI32("y_width", sizes.outputWidth);
    result.setI64("b_stride", sizes.bStride);
    result.setI64("y_stride", sizes.yStride);
  }
  return result;
}

Arguments LoraProblem::arguments(int64_t blockM) {
  return arguments(blockM, [](const HostBuffer &buffer) {
    return reinterpret_cast<uint64_t>(buffer.bytes().data());
  });
}

void LoraProblem::setWeights(int32_t slice, int32_t lora, std::span<const uint16_t> bits) {
  bool isShrink = operation == LoraOp::Shrink;
  std::string name = weightName(isShrink ? "a" : "b", slice, lora);
  if (slice < 0 || slice >= sizes.slices() || lora < 0 || lora >= sizes.maxLoras ||
      sizes.ranks[size_t(lora)] == 0)
    throw Error("weights " + name + ": expected one of " + std::to_string(sizes.slices()) +
                " slices and the slot of an adapter");
  int64_t rank = sizes.ranks[size_t(lora)];
  int64_t rows = isShrink ? rank : sizes.sliceWidths[size_t(slice)];
  int64_t columns = isShrink ? sizes.hidden : rank;
  int64_t stride = isShrink ? sizes.aStride : sizes.bStride;
  if (static_cast<int64_t>(bits.size()) != rows * columns)
    throw Error("weights " + name + ": expected " + std::to_string(rows) + " x " +
                std::to_string(columns) + " elements, found " + std::to_string(bits.size()));
  if (find(name).isShared())
    throw Error("weights " + name + ": expected ones that are not part of a pool");
  uint16_t *elements = memory[indexOf(name)].as<uint16_t>();
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(bits.begin() + row * columns, columns, elements + row * stride);
}

void LoraProblem::setScalings(std::span<const float> values) {
  if (operation != LoraOp::Shrink)
    throw Error("scalings of an expand: expected a shrink, which has them");
  if (values.size() != scalings.size())
    throw Error("scalings: expected " + std::to_string(scalings.size()) + ", found " +
                std::to_string(values.size()));
  scalings.assign(values.begin(), values.end());
  std::copy(values.begin(), values.end(), memory[indexOf("scalings")].as<float>());
}

void LoraProblem::setS(const LoraProblem &shrink) {
  if (operation != LoraOp::Expand || shrink.operation != LoraOp::Shrink)
    throw Error("s: expected the output of a shrink as the input of an expand");
  const LoraShape &from = shrink.sizes;
  if (from.slices() != sizes.slices() || from.ranks != sizes.ranks ||
      shrink.batch.tokenLora != batch.tokenLora)
    throw Error("s: expected a shrink with the slices, ranks and mapping of the expand");
  const float *source = shrink.output().as<float>();
  float *target = memory[indexOf("s")].as<float>();
  for (int32_t slice = 0; slice < sizes.slices(); ++slice)
    for (int64_t token = 0; token < sizes.tokens; ++token)
      std::copy_n(source + slice * from.sSliceStride + token * from.sStride, rankOf(token),
                  target + slice * sizes.sSliceStride + token * sizes.sStride);
}

void LoraProblem::resetOutput() { copyBytes(initialOutput.bytes(), output().bytes()); }

std::vector<MatrixView> LoraProblem::weights(int64_t stride) const {
  std::vector<MatrixView> views;
  for (int64_t index : weightIndices)
    views.push_back({sizes.wType, index < 0 ? nullptr : memory[size_t(index)].as<void>(), stride});
  return views;
}

ShrinkOperands LoraProblem::shrinkOperands() const {
  ShrinkOperands operands;
  operands.hidden = sizes.hidden;
  operands.maxRank = sizes.maxRank;
  operands.maxLoras = sizes.maxLoras;
  operands.x = {sizes.xType, find("x").as<void>(), sizes.xStride};
  operands.a = weights(sizes.aStride);
  operands.ranks = sizes.ranks;
  operands.scalings = scalings;
  operands.tokenLora = batch.tokenLora;
  return operands;
}

ExpandOperands LoraProblem::expandOperands() const {
  ExpandOperands operands;
  operands.maxLoras = sizes.maxLoras;
  const float *s = find("s").as<float>();
  for (int32_t slice = 0; slice < sizes.slices(); ++slice)
    operands.s.push_back({DType::F32, s + slice * sizes.sSliceStride, sizes.sStride});
  operands.b = weights(sizes.bStride);
  if (sizes.addInputs)
    operands.y0 = MatrixView{sizes.xType, initialOutput.as<void>(), sizes.yStride};
  operands.sliceOffsets = sliceOffsets;
  operands.sliceWidths = sizes.sliceWidths;
  operands.ranks = sizes.ranks;
  operands.tokenLora = batch.tokenLora;
  return operands;
}

LoraProblem::SliceReference LoraProblem::ownReference() const {
  if (operation == LoraOp::Shrink)
    return [operands = shrinkOperands()](int32_t slice, auto rows) {
      return referenceShrink(operands, slice, rows);
    };
  return [operands = expandOperands()](int32_t slice, auto rows) {
    return referenceExpand(operands, slice, rows);
  };
}

ErrorNorms LoraProblem::normsOfRow(int32_t slice, int64_t token,
                                   std::span<const double> reference) const {
  int64_t first = firstOfRow(slice, token);
  // The reference of a shrink has the columns of the largest rank.
  if (operation == LoraOp::Shrink)
    reference = reference.first(size_t(rankOf(token)));
  std::vector<double> found;
  found.reserve(reference.size());
  for (size_t i = 0; i < reference.size(); ++i)
    found.push_back(
        loadElement(outputType(), output().as<void>(), first + static_cast<int64_t>(i)));
  return ErrorNorms::of(found, reference);
}

/// For each slice, the norms of the rows of those tokens that have an adapter.
std::vector<std::vector<ErrorNorms>> LoraProblem::rowNorms(std::span<const int64_t> tokens,
                                                           const SliceReference &reference) const {
  std::vector<int64_t> rows;
  for (int64_t token : tokens) {
    if (token < 0 || token >= sizes.tokens)
      throw Error("error of token " + std::to_string(token) + ": expected a token below " +
                  std::to_string(sizes.tokens));
    if (rankOf(token) > 0)
      rows.push_back(token);
  }
  std::vector<std::vector<ErrorNorms>> norms;
  for (int32_t slice = 0; slice < sizes.slices(); ++slice) {
    std::vector<double> expected = reference(slice, rows);
    size_t width = rows.empty() ? 0 : expected.size() / rows.size();
    norms.emplace_back(rows.size());
    parallelFor(static_cast<int64_t>(rows.size()), [&](int64_t row) {
      size_t i = size_t(row);
      norms.back()[i] = normsOfRow(slice, rows[i], std::span(expected).subspan(i * width, width));
    });
  }
  return norms;
}

double LoraProblem::error(std::span<const int64_t> tokens) const {
  return largestError(rowNorms(tokens, ownReference()));
}

LoraProblem::Errors LoraProblem::errors(std::span<const int64_t> tokens) const {
  Errors result;
  ErrorNorms total;
  for (const std::vector<ErrorNorms> &rows : rowNorms(tokens, ownReference())) {
    ErrorNorms ofSlice;
    for (const ErrorNorms &row : rows)
      ofSlice += row;
    double mean = ofSlice.reference / static_cast<double>(std::max<size_t>(rows.size(), 1));
    for (ErrorNorms row : rows) {
      row.reference = std::max(row.reference, mean);
      result.worstRow = std::max(result.worstRow, row.relative());
    }
    total += ofSlice;
  }
  result.total = total.relative();
  return result;
}

double LoraProblem::chainError(const LoraProblem &shrink, std::span<const int64_t> tokens) const {
  return largestError(rowNorms(tokens, [first = shrink.shrinkOperands(),
                                        second = expandOperands()](int32_t slice, auto rows) {
    return referenceShrinkExpand(first, second, slice, rows);
  }));
}
