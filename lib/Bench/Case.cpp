//===- Case.cpp - What a benchmark measures -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Case.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

using namespace lora;

namespace {

/// The number as Python writes it.
std::string pythonNumber(double value) {
  if (value == 0)
    return "0.0";
  std::array<char, 64> text = {};
  auto format = value < 1e-4 ? std::chars_format::scientific : std::chars_format::fixed;
  auto end = std::to_chars(text.data(), text.data() + text.size(), value, format);
  return std::string(text.data(), end.ptr);
}

std::string pythonTuple(std::span<const int64_t> values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + (values.size() == 1 ? ",)" : ")");
}

/// Half to even.
int64_t rounded(double value) { return static_cast<int64_t>(std::nearbyint(value)); }

} // namespace

std::string_view lora::benchOpName(BenchOp op) {
  constexpr std::array<std::string_view, 3> names = {"shrink", "expand", "pair"};
  return names[static_cast<size_t>(op)];
}

int64_t BenchCase::sumOfWidths() const {
  return std::accumulate(widths.begin(), widths.end(), int64_t(0));
}

int64_t BenchCase::withLora() const {
  return tokens() - rounded(static_cast<double>(tokens()) * noLoraFraction);
}

int64_t BenchCase::reached() const { return std::min(active, withLora()); }

int64_t BenchCase::bytesOf(BenchOp op) const {
  auto element = static_cast<int64_t>(byteSize(dtype));
  int64_t rows = withLora(), adapters = reached();
  int64_t x = rows * hidden * element;
  int64_t a = adapters * slices() * rank * hidden * element;
  int64_t s = rows * slices() * rank * 4;
  int64_t b = adapters * sumOfWidths() * rank * element;
  int64_t y = rows * sumOfWidths() * element * (addInputs ? 2 : 1);
  switch (op) {
  case BenchOp::Shrink:
    return x + a + s;
  case BenchOp::Expand:
    return s + b + y;
  default:
    return x + a + b + y;
  }
}

int64_t BenchCase::flopsOf(BenchOp op) const {
  int64_t shrink = 2 * withLora() * slices() * rank * hidden;
  int64_t expand = 2 * withLora() * rank * sumOfWidths();
  switch (op) {
  case BenchOp::Shrink:
    return shrink;
  case BenchOp::Expand:
    return expand;
  default:
    return shrink + expand;
  }
}

int64_t BenchCase::setBytes() const {
  auto element = static_cast<int64_t>(byteSize(dtype));
  return tokens() * (hidden + yWidth()) * element +
         numLoras * rank * (slices() * hidden + sumOfWidths()) * element +
         2 * tokens() * slices() * rank * 4;
}

bool BenchCase::has(BenchOp op) const { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

std::string BenchCase::key() const {
  auto yes = [](bool value) { return value ? "True" : "False"; };
  std::string text = "batch=" + std::to_string(batch) + " seq_length=" + std::to_string(seqLength) +
                     " hidden=" + std::to_string(hidden) + " widths=" + pythonTuple(widths) +
                     " rank=" + std::to_string(rank) + " num_loras=" + std::to_string(numLoras) +
                     " active=" + std::to_string(active) +
                     " dtype=" + std::string(dtypeName(dtype)) + " sort=" + yes(sort) +
                     " no_lora_fraction=" + pythonNumber(noLoraFraction) +
                     " add_inputs=" + yes(addInputs) + " offset=" + std::to_string(offset);
  return label.empty() ? text : text + " label=" + label;
}

void BenchCase::check() const {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  auto atLeastOne = [](const char *name, int64_t value) {
    if (value < 1 || value > most)
      throw Error(std::string(name) + " " + std::to_string(value) + ": expected 1 to " +
                  std::to_string(most));
  };
  atLeastOne("batch", batch);
  atLeastOne("seq_length", seqLength);
  atLeastOne("tokens", tokens());
  atLeastOne("hidden", hidden);
  atLeastOne("rank", rank);
  atLeastOne("num_loras", numLoras);
  atLeastOne("active", active);
  for (int64_t width : widths)
    atLeastOne("width of a slice", width);
  atLeastOne("columns of y", yWidth());
  if (rank > 512)
    throw Error("rank " + std::to_string(rank) + ": expected at most 512");
  if (active > numLoras)
    throw Error("--num-active-loras " + std::to_string(active) + ": expected at most --num-loras " +
                std::to_string(numLoras));
  if (!(noLoraFraction >= 0 && noLoraFraction < 1))
    throw Error("--no-lora-fraction " + pythonNumber(noLoraFraction) +
                ": expected 0 or more, below 1");
}

std::string lora::shapeText(int64_t hidden, std::span<const int64_t> widths) {
  bool same =
      std::adjacent_find(widths.begin(), widths.end(), std::not_equal_to<>()) == widths.end();
  std::string text = std::to_string(hidden) + "->";
  if (same && widths.size() > 1)
    return text + std::to_string(widths.size()) + "x" + std::to_string(widths.front());
  for (size_t i = 0; i < widths.size(); ++i)
    text += (i ? "+" : "") + std::to_string(widths[i]);
  return text;
}
