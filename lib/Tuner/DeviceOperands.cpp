//===- DeviceOperands.cpp - The operands of a problem on a device ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceOperands.h"

#include "lora/Measure/ArgumentPool.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace lora;
using namespace lora::tuner;

/// Elements that the start of every operand is a multiple of: 256 bytes of 16-bit ones.
static constexpr size_t kAlignment = 128;
/// Rows of the output that are compared with the reference.
static constexpr int64_t kCheckedRows = 6;

static size_t aligned(size_t elements) {
  return (elements + kAlignment - 1) / kAlignment * kAlignment;
}

const Pattern &OperandPool::pattern(DType type) {
  Values &values = inputs[type];
  if (!values.pattern)
    values.pattern.emplace(type, 1.0f, /*seed=*/static_cast<uint64_t>(type) + 1);
  return *values.pattern;
}

const DeviceBuffer &OperandPool::values(DType type, size_t bytes) {
  const Pattern &known = pattern(type);
  Values &values = inputs[type];
  if (!values.buffer || values.buffer->size() < bytes) {
    values.buffer.reset();
    size_t size = std::bit_ceil(std::max<size_t>(bytes, 256));
    ArgumentPool::requireMemory(stream.device(), size, "the inputs of a problem");
    values.buffer.emplace(stream.device(), size);
    known.fill(*values.buffer, 0, stream);
  }
  return *values.buffer;
}

DeviceBuffer &OperandPool::output(size_t bytes) {
  if (!outputs || outputs->size() < bytes) {
    outputs.reset();
    size_t size = std::bit_ceil(std::max<size_t>(bytes, 256));
    ArgumentPool::requireMemory(stream.device(), size, "the output of a problem");
    outputs.emplace(stream.device(), size);
    outputs->fill(0, stream);
  }
  return *outputs;
}

int64_t DeviceOperands::outputSlices() const {
  return problem.operation == Operation::Shrink ? problem.slices() : 1;
}

int64_t DeviceOperands::outputColumns() const {
  return problem.operation == Operation::Shrink ? problem.rank : problem.totalWidth();
}

DType DeviceOperands::outputType() const {
  return problem.operation == Operation::Shrink ? DType::F32 : problem.xType;
}

size_t DeviceOperands::matrixElements(int64_t rows, int64_t columns) const {
  return aligned(size_t(rows) * size_t(columns));
}

DeviceOperands::DeviceOperands(OperandPool &pool, const TuneProblem &problem)
    : pool(pool), problem(problem), lora(tokenLora(problem)) {
  bool shrinks = problem.operation != Operation::Expand;
  bool expands = problem.operation != Operation::Shrink;
  size_t x = shrinks ? matrixElements(problem.tokens, problem.hidden) : 0, a = 0, b = 0, s = 0;
  int32_t column = 0;
  for (int32_t width : problem.widths) {
    if (shrinks)
      a += size_t(problem.adapters) * matrixElements(problem.rank, problem.hidden);
    if (expands)
      b += size_t(problem.adapters) * matrixElements(width, problem.rank);
    offsets.push_back(column);
    column += width;
  }
  if (problem.operation == Operation::Expand)
    s = aligned(size_t(problem.slices() * problem.tokens * problem.rank));
  size_t output = aligned(size_t(outputSlices() * problem.tokens * outputColumns()));
  size_t bytes = 2 * (x + a + b) + 4 * s + output * byteSize(outputType());
  size_t count = poolSets(bytes, {});

  // x and weights of one type are windows of one buffer.
  std::map<DType, size_t> used;
  size_t outputUsed = 0;
  auto take = [&](DType type, size_t elements) {
    size_t place = used[type];
    used[type] += elements;
    return place;
  };
  for (size_t set = 0; set < count; ++set) {
    Place place;
    place.x = take(problem.xType, x);
    place.a = take(problem.wType, a);
    place.b = take(problem.wType, b);
    place.s = take(DType::F32, s);
    place.output = outputUsed;
    outputUsed += output;
    places.push_back(place);
  }
  for (auto [type, elements] : used)
    if (elements > 0)
      pool.values(type, elements * byteSize(type));
  pool.output(outputUsed * byteSize(outputType()));

  // The shrunk values are about as large as x, so that y has no trouble with its range.
  for (int32_t slot = 0; slot < problem.adapters; ++slot)
    scalings.push_back((slot % 2 ? 0.75f : 1.0f) /
                       std::sqrt(static_cast<float>(std::max<int64_t>(problem.hidden, 1))));
  std::set<int64_t> rows;
  for (int64_t i = 0; i < kCheckedRows; ++i)
    rows.insert(i * (problem.tokens - 1) / (kCheckedRows - 1));
  checked.assign(rows.begin(), rows.end());
  uploadSmall();
}

/// The first element of a matrix of weights in its pool.
size_t DeviceOperands::weightsOf(size_t first, int64_t slice, int64_t slot, bool isB) const {
  for (int64_t i = 0; i < slice; ++i)
    first +=
        size_t(problem.adapters) * (isB ? matrixElements(problem.widths[size_t(i)], problem.rank)
                                        : matrixElements(problem.rank, problem.hidden));
  return first + size_t(slot) * (isB ? matrixElements(problem.widths[size_t(slice)], problem.rank)
                                     : matrixElements(problem.rank, problem.hidden));
}

size_t DeviceOperands::addSmall(const void *data, size_t bytes) {
  size_t place = (small.size() + 255) / 256 * 256;
  small.resize(place + std::max<size_t>(bytes, 4));
  if (bytes > 0)
    std::memcpy(small.data() + place, data, bytes);
  return place;
}

/// Everything but the large operands, in one buffer: the tables of weights of each set first.
void DeviceOperands::uploadSmall() {
  size_t entries = size_t(problem.slices() * problem.adapters);
  tableBytes = (entries * sizeof(uint64_t) + 255) / 256 * 256;
  uint64_t weights = 0;
  if (size_t bytes = pool.pattern(problem.wType).size(); bytes > 0)
    weights = pool.values(problem.wType, 0).address();
  std::vector<uint64_t> addresses(entries);
  for (size_t set = 0; set < sets(); ++set)
    for (bool isB : {false, true}) {
      bool exists =
          isB ? problem.operation != Operation::Shrink : problem.operation != Operation::Expand;
      size_t first = isB ? places[set].b : places[set].a;
      for (int64_t slice = 0; exists && slice < problem.slices(); ++slice)
        for (int64_t slot = 0; slot < problem.adapters; ++slot)
          addresses[size_t(slice * problem.adapters + slot)] =
              weights + 2 * weightsOf(first, slice, slot, isB);
      size_t place = addSmall(addresses.data(), entries * sizeof(uint64_t));
      if (set == 0 && !isB)
        tables = place;
    }
  std::vector<int32_t> rankList(size_t(problem.adapters), problem.rank);
  ranks = addSmall(rankList.data(), rankList.size() * 4);
  scalingsAt = addSmall(scalings.data(), scalings.size() * 4);
  offsetsAt = addSmall(offsets.data(), offsets.size() * 4);
  widthsAt = addSmall(problem.widths.data(), problem.widths.size() * 4);
  Mapping mapping = Mapping::build(lora, problem.adapters);
  indices = addSmall(mapping.tokenIndices.data(), mapping.tokenIndices.size() * 4);
  for (int64_t blockM : {16, 32, 64, 128}) {
    std::vector<RowBlock> blocks = mapping.rowBlocks(blockM);
    rowBlocksAt[blockM] = {addSmall(blocks.data(), blocks.size() * sizeof(RowBlock)),
                           static_cast<int32_t>(blocks.size())};
  }
  smallBuffer.emplace(pool.stream.device(), small.size());
  smallBuffer->upload(small, pool.stream);
}

const Arguments &DeviceOperands::arguments(size_t set, int64_t blockM) {
  auto found = known.find({set, blockM});
  if (found != known.end())
    return found->second;
  auto blocks = rowBlocksAt.find(blockM);
  if (blocks == rowBlocksAt.end())
    throw Error("row blocks of " + std::to_string(blockM) + " tokens: expected 16, 32, 64 or 128");
  // The sizes are those that the problem has for the planner; strides of y are the real ones.
  Arguments arguments = assumedArguments(problem, blockM);
  const Place &place = places[set];
  auto pointer = [&](const char *name, uint64_t address) { arguments.setPointer(name, address); };
  uint64_t base = smallBuffer->address();
  if (problem.operation != Operation::Expand)
    pointer("x", pool.values(problem.xType, 0).address() + 2 * place.x);
  pointer("a", base + tables + 2 * set * tableBytes);
  pointer("b", base + tables + (2 * set + 1) * tableBytes);
  uint64_t output = pool.output(0).address() + place.output * byteSize(outputType());
  if (problem.operation == Operation::Shrink)
    pointer("s", output);
  else
    pointer("y", output);
  if (problem.operation == Operation::Expand)
    pointer("s", pool.values(DType::F32, 0).address() + 4 * place.s);
  pointer("ranks", base + ranks);
  pointer("scalings", base + scalingsAt);
  pointer("slice_offsets", base + offsetsAt);
  pointer("slice_widths", base + widthsAt);
  pointer("token_indices", base + indices);
  pointer("row_blocks", base + blocks->second.first);
  arguments.setI32("num_row_blocks", blocks->second.second);
  arguments.setI64("y_stride", problem.totalWidth());
  return known[{set, blockM}] = arguments;
}

std::vector<std::byte> DeviceOperands::elements(DType type, size_t first, size_t count) const {
  return pool.pattern(type).elements(0, first, count);
}

/// What a checked row of y is before a launch that adds to it.
std::vector<std::byte> DeviceOperands::initialRow(int64_t row) const {
  constexpr size_t apart = 100003;
  return elements(outputType(), size_t(row + 1) * apart, size_t(outputColumns()));
}

size_t DeviceOperands::outputElement(size_t set, int64_t slice, int64_t token) const {
  return places[set].output + size_t((slice * problem.tokens + token) * outputColumns());
}

void DeviceOperands::poison(size_t set) {
  size_t size = byteSize(outputType()), count = size_t(outputColumns());
  bool adds = problem.operation != Operation::Shrink && problem.addInputs;
  for (int64_t slice = 0; slice < outputSlices(); ++slice)
    for (int64_t token : checked) {
      std::vector<std::byte> row(count * size, std::byte(0xff));
      if (adds)
        row = initialRow(token);
      pool.output(0).upload(row, outputElement(set, slice, token) * size, pool.stream);
    }
}

DeviceOperands::Rows DeviceOperands::computed(size_t set) const {
  size_t size = byteSize(outputType()), count = size_t(outputColumns());
  Rows rows;
  std::vector<std::byte> bits(count * size);
  for (int64_t slice = 0; slice < outputSlices(); ++slice)
    for (int64_t token : checked) {
      pool.output(0).download(bits, outputElement(set, slice, token) * size, pool.stream);
      std::vector<double> &row = rows.emplace_back(count);
      for (size_t i = 0; i < count; ++i)
        row[i] = loadElement(outputType(), bits.data(), static_cast<int64_t>(i));
    }
  return rows;
}

DeviceOperands::Rows DeviceOperands::reference(size_t set) {
  auto found = references.find(set);
  if (found != references.end())
    return found->second;
  const Place &place = places[set];
  size_t count = checked.size();
  std::vector<int32_t> slots;
  std::vector<int64_t> rows;
  std::vector<std::byte> x, s;
  bool shrinks = problem.operation != Operation::Expand;
  bool expands = problem.operation != Operation::Shrink;
  auto append = [](std::vector<std::byte> &to, const std::vector<std::byte> &part) {
    to.insert(to.end(), part.begin(), part.end());
  };
  for (int64_t token : checked) {
    rows.push_back(static_cast<int64_t>(rows.size()));
    slots.push_back(lora[size_t(token)]);
    if (shrinks)
      append(x, elements(problem.xType, place.x + size_t(token * problem.hidden),
                         size_t(problem.hidden)));
  }
  std::vector<int32_t> rankList(size_t(problem.adapters), problem.rank);
  std::map<std::pair<int64_t, bool>, std::vector<std::byte>> weights;
  auto matrices = [&](bool isB) {
    std::vector<MatrixView> views(size_t(problem.slices() * problem.adapters));
    int64_t columns = isB ? problem.rank : problem.hidden;
    for (int64_t slice = 0; slice < problem.slices(); ++slice)
      for (int32_t slot : slots) {
        int64_t index = slice * problem.adapters + slot;
        std::vector<std::byte> &bits = weights[{index, isB}];
        int64_t height = isB ? problem.widths[size_t(slice)] : problem.rank;
        if (bits.empty())
          bits = elements(problem.wType, weightsOf(isB ? place.b : place.a, slice, slot, isB),
                          size_t(height * columns));
        views[size_t(index)] = {problem.wType, bits.data(), columns};
      }
    return views;
  };
  ShrinkOperands shrink;
  ExpandOperands expand;
  if (shrinks) {
    shrink.hidden = problem.hidden;
    shrink.maxRank = problem.rank;
    shrink.maxLoras = problem.adapters;
    shrink.x = {problem.xType, x.data(), problem.hidden};
    shrink.a = matrices(false);
    shrink.ranks = rankList;
    shrink.scalings = scalings;
    shrink.tokenLora = slots;
  }
  if (expands) {
    expand.maxLoras = problem.adapters;
    for (int64_t slice = 0; !shrinks && slice < problem.slices(); ++slice)
      for (int64_t token : checked)
        append(s, elements(DType::F32,
                           place.s + size_t((slice * problem.tokens + token) * problem.rank),
                           size_t(problem.rank)));
    for (int64_t slice = 0; !shrinks && slice < problem.slices(); ++slice)
      expand.s.push_back(
          {DType::F32, s.data() + size_t(slice) * count * size_t(problem.rank) * 4, problem.rank});
    expand.b = matrices(true);
    expand.sliceOffsets = offsets;
    expand.sliceWidths = problem.widths;
    expand.ranks = rankList;
    expand.tokenLora = slots;
  }
  Rows result(size_t(outputSlices()) * count);
  for (int32_t slice = 0; slice < problem.slices(); ++slice) {
    std::vector<double> part = !expands  ? referenceShrink(shrink, slice, rows)
                               : shrinks ? referenceShrinkExpand(shrink, expand, slice, rows)
                                         : referenceExpand(expand, slice, rows);
    size_t width = part.size() / count;
    for (size_t row = 0; row < count; ++row) {
      std::vector<double> &to = result[(expands ? 0 : size_t(slice) * count) + row];
      to.insert(to.end(), part.begin() + static_cast<int64_t>(row * width),
                part.begin() + static_cast<int64_t>((row + 1) * width));
    }
  }
  if (expands && problem.addInputs)
    for (size_t row = 0; row < count; ++row) {
      std::vector<std::byte> initial = initialRow(checked[row]);
      for (size_t i = 0; i < result[row].size(); ++i)
        result[row][i] += loadElement(outputType(), initial.data(), static_cast<int64_t>(i));
    }
  return references[set] = std::move(result);
}

DeviceOperands::Errors DeviceOperands::errors(size_t set) {
  Rows expected = reference(set), found = computed(set);
  ErrorNorms all;
  std::vector<ErrorNorms> norms;
  for (size_t row = 0; row < expected.size(); ++row) {
    norms.push_back(ErrorNorms::of(found[row], expected[row]));
    all += norms.back();
  }
  // A row that happens to be close to zero has no relative error to speak of.
  double mean = all.reference / double(norms.size());
  Errors errors{all.relative(), 0};
  for (ErrorNorms &norm : norms) {
    norm.reference = std::max(norm.reference, mean);
    errors.worstRow = std::max(errors.worstRow, norm.relative());
  }
  return errors;
}
