//===- Check.cpp - Whether kernels compute what they should ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Check.h"

#include "Parallel.h"
#include "SampleReference.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>

using namespace lora;

namespace {

/// Bytes of an output beyond which only a part of it is looked at.
constexpr int64_t mostBytes = int64_t(1) << 28;
/// Rows that are looked at together then.
constexpr int64_t blockOfRows = 16;
/// Multiply-adds of a reference beyond which only some rows are compared, but no fewer than these.
constexpr int64_t mostProducts = int64_t(1) << 27;
constexpr int64_t fewestSamples = 16;

/// `count` of the values, spread evenly.
std::vector<int64_t> spread(const std::vector<int64_t> &values, int64_t count) {
  auto size = static_cast<int64_t>(values.size());
  count = std::min(count, size);
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < count; ++i)
    chosen.push_back(values[static_cast<size_t>(i * size / count)]);
  return chosen;
}

bool isFinite(DType type, const std::byte *bits, int64_t elements) {
  if (type == DType::F32) {
    auto *values = reinterpret_cast<const float *>(bits);
    return std::all_of(values, values + elements, [](float value) { return std::isfinite(value); });
  }
  uint16_t exponent = type == DType::F16 ? 0x7c00 : 0x7f80;
  auto *values = reinterpret_cast<const uint16_t *>(bits);
  bool finite = true;
  for (int64_t i = 0; i < elements; ++i)
    finite &= (values[i] & exponent) != exponent;
  return finite;
}

bool isPoison(const std::byte *bits, int64_t bytes) {
  return std::all_of(bits, bits + bytes, [](std::byte byte) { return byte == std::byte(0xff); });
}

/// The first problem that several threads find.
class FirstFlaw {
public:
  void report(const std::string &flaw, int64_t token) {
    std::lock_guard lock(mutex);
    if (text.empty())
      text = flaw + " of token " + std::to_string(token);
  }
  const std::string &found() const { return text; }

private:
  std::mutex mutex;
  std::string text;
};

std::string errorText(const char *what, double error, double limit) {
  std::array<char, 128> text = {};
  std::snprintf(text.data(), text.size(), "%s %.2g, expected below %.2g", what, error, limit);
  return text.data();
}

} // namespace

BenchCheck::~BenchCheck() = default;

BenchCheck::BenchCheck(BenchArguments &arguments, Stream &stream)
    : arguments(arguments), one(arguments.shape()), stream(stream) {
  auto element = static_cast<int64_t>(byteSize(one.dtype));
  int64_t rowBytes = std::max(one.yWidth() * element, one.slices() * one.rank * 4);
  int64_t rows = std::max(mostBytes / rowBytes, blockOfRows);
  if (rows >= one.tokens()) {
    ranges = {{0, one.tokens()}};
  } else {
    int64_t blocks = rows / blockOfRows, all = one.tokens() / blockOfRows;
    for (int64_t i = 0; i < blocks; ++i) {
      int64_t begin = i * all / blocks * blockOfRows;
      ranges.push_back({begin, begin + blockOfRows});
    }
    // The last rows are where bounds go wrong.
    ranges.back() = {one.tokens() - blockOfRows, one.tokens()};
  }

  std::vector<int64_t> candidates;
  for (const Range &range : ranges)
    for (int64_t token = range.begin; token < range.end; ++token)
      if (arguments.tokenLora()[static_cast<size_t>(token)] >= 0)
        candidates.push_back(token);
  std::stable_sort(candidates.begin(), candidates.end(), [&](int64_t left, int64_t right) {
    return arguments.tokenLora()[static_cast<size_t>(left)] <
           arguments.tokenLora()[static_cast<size_t>(right)];
  });
  int64_t products = one.rank * (one.slices() * one.hidden + one.sumOfWidths());
  int64_t count = std::max(mostProducts / products, fewestSamples);
  reference = std::make_unique<SampleReference>(arguments, spread(candidates, count));
}

std::vector<BenchCheck::Rows> BenchCheck::download(const std::string &name, int64_t firstRow,
                                                   int64_t rowBytes) {
  std::vector<Rows> rows;
  for (const Range &range : ranges) {
    Rows &part = rows.emplace_back();
    part.tokens = range;
    part.bytes.resize(static_cast<size_t>((range.end - range.begin) * rowBytes));
    arguments.pool().at(0, name).download(
        part.bytes, static_cast<size_t>((firstRow + range.begin) * rowBytes), stream);
  }
  return rows;
}

std::string BenchCheck::flawOfSums(const std::vector<Rows> &rows) const {
  FirstFlaw flaw;
  int64_t rowBytes = one.rank * 4;
  for (const Rows &part : rows)
    parallelFor(part.tokens.end - part.tokens.begin, [&](int64_t row) {
      int64_t token = part.tokens.begin + row;
      const std::byte *bits = part.bytes.data() + row * rowBytes;
      if (arguments.tokenLora()[static_cast<size_t>(token)] < 0) {
        if (!isPoison(bits, rowBytes))
          flaw.report("written without an adapter: s", token);
      } else if (!isFinite(DType::F32, bits, one.rank)) {
        flaw.report("not written or not finite: s", token);
      }
    });
  return flaw.found();
}

std::string BenchCheck::flawOfOutput(const std::vector<Rows> &rows) const {
  FirstFlaw flaw;
  auto element = static_cast<int64_t>(byteSize(one.dtype));
  int64_t width = one.yWidth();
  auto isUntouched = [&](int64_t token, const std::byte *bits, int64_t columns) {
    if (!one.addInputs)
      return isPoison(bits, columns * element);
    std::vector<std::byte> before = arguments.patterns().activations.elements(
        BenchArguments::startOfY(), static_cast<size_t>(token * width),
        static_cast<size_t>(columns));
    return std::memcmp(before.data(), bits, before.size()) == 0;
  };
  for (const Rows &part : rows)
    parallelFor(part.tokens.end - part.tokens.begin, [&](int64_t row) {
      int64_t token = part.tokens.begin + row;
      const std::byte *bits = part.bytes.data() + row * width * element;
      if (arguments.tokenLora()[static_cast<size_t>(token)] < 0) {
        if (!isUntouched(token, bits, width))
          flaw.report("written without an adapter: y", token);
      } else if (!isUntouched(token, bits, one.offset)) {
        flaw.report("written outside of the slices: y", token);
      } else if (!isFinite(one.dtype, bits + one.offset * element, width - one.offset)) {
        flaw.report("not written or not finite: y", token);
      }
    });
  return flaw.found();
}

std::vector<ErrorNorms> BenchCheck::normsOf(BenchOp op, int64_t slice, int64_t firstColumn,
                                            const std::vector<Rows> &rows) {
  bool isShrink = op == BenchOp::Shrink;
  DType type = isShrink ? DType::F32 : one.dtype;
  int64_t rowElements = isShrink ? one.rank : one.yWidth();
  int64_t columns = isShrink ? one.rank : one.widths[static_cast<size_t>(slice)];
  const std::vector<double> &expected = reference->of(op, slice);
  std::vector<ErrorNorms> norms;
  std::vector<double> out(static_cast<size_t>(columns));
  for (size_t i = 0; i < reference->tokens().size(); ++i) {
    int64_t token = reference->tokens()[i];
    const Rows &part = *std::find_if(rows.begin(), rows.end(), [&](const Rows &part) {
      return token >= part.tokens.begin && token < part.tokens.end;
    });
    int64_t first = (token - part.tokens.begin) * rowElements + firstColumn;
    for (int64_t column = 0; column < columns; ++column)
      out[static_cast<size_t>(column)] = loadElement(type, part.bytes.data(), first + column);
    norms.push_back(ErrorNorms::of(out, std::span(expected).subspan(i * out.size(), out.size())));
  }
  return norms;
}

CheckResult BenchCheck::check(BenchOp op, const DeviceCall &call) {
  arguments.poisonOutputs(0, stream);
  call(stream);
  stream.synchronize();

  std::vector<Rows> rows;
  bool isShrink = op == BenchOp::Shrink;
  if (!isShrink) {
    rows = download("y", 0, one.yWidth() * static_cast<int64_t>(byteSize(one.dtype)));
    if (std::string flaw = flawOfOutput(rows); !flaw.empty())
      return {0, flaw};
  }
  ErrorNorms total;
  double worst = 0;
  int64_t firstColumn = isShrink ? 0 : one.offset;
  for (int64_t slice = 0; slice < one.slices(); ++slice) {
    if (isShrink) {
      rows = download("s_out", slice * one.tokens(), one.rank * 4);
      if (std::string flaw = flawOfSums(rows); !flaw.empty())
        return {0, flaw};
    }
    std::vector<ErrorNorms> norms = normsOf(op, slice, firstColumn, rows);
    double mean = 0;
    for (const ErrorNorms &row : norms)
      mean += row.reference / static_cast<double>(norms.size());
    for (const ErrorNorms &row : norms) {
      total += row;
      worst = std::max(worst, ErrorNorms{row.difference, std::max(row.reference, mean)}.relative());
    }
    firstColumn += isShrink ? 0 : one.widths[static_cast<size_t>(slice)];
  }
  double most = limit(one.dtype), error = total.relative();
  if (!(error < most))
    return {error, errorText("error", error, most)};
  if (!(worst < most))
    return {error, errorText("error of a row", worst, most)};
  return {error, ""};
}
