//===- Check.cpp - Whether the implementations agree on a case -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "Workload.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace lora;
using namespace lora::differential;

/// What f32 sums of any order may differ by.
static constexpr double kSumTolerance = 1e-5;
/// The root mean square of a uniform value in [-1, 1), and of a weight.
static constexpr double kUniform = 0.577, kWeight = 0.0289;

namespace {

class Checker {
public:
  explicit Checker(const Case &test)
      : test(test), workload(test, test.launch, test.mapping), reference(workload.reference()) {}

  void run();

private:
  Rows launch(HostBackend backend);
  void compareWithReference(const Rows &output, const char *backend) const;
  void compareBackends(const Rows &interpreted, const Rows &emulated) const;
  void compareRepeat();
  int32_t rankOf(size_t token) const;
  double shrunkMagnitude() const;
  double magnitude(size_t token) const;
  std::string place(size_t slice, size_t token) const;

  const Case &test;
  Workload workload;
  Rows reference;
};

} // namespace

int32_t Checker::rankOf(size_t token) const {
  int32_t lora = test.mapping[token];
  return lora < 0 ? 0 : test.ranks[static_cast<size_t>(lora)];
}

/// What values of s are usually like after a shrink.
double Checker::shrunkMagnitude() const {
  return kUniform * kWeight * std::sqrt(static_cast<double>(test.hidden));
}

/// What values of a token are usually like.
double Checker::magnitude(size_t token) const {
  if (test.kernel == Kernel::Shrink)
    return shrunkMagnitude();
  double s = test.kernel == Kernel::Expand ? kUniform : shrunkMagnitude();
  return s * kWeight * std::sqrt(rankOf(token)) + (test.addInputs ? kUniform : 0);
}

std::string Checker::place(size_t slice, size_t token) const {
  return "slice " + std::to_string(slice) + ", token " + std::to_string(token);
}

Rows Checker::launch(HostBackend backend) {
  const char *name = backend == HostBackend::Interpreter ? "interpreter" : "emulator";
  workload.resetOutput();
  try {
    workload.run(backend, test.launch);
    workload.checkUntouched();
  } catch (const Error &error) {
    throw Error(std::string(name) + ": " + error.what());
  }
  Rows output = workload.output();
  compareWithReference(output, name);
  return output;
}

void Checker::compareWithReference(const Rows &output, const char *backend) const {
  // An expand rounds s to the type of the weights and y to its own.
  bool isCoarse = test.xType == DType::BF16 || test.wType == DType::BF16;
  double tolerance = test.kernel == Kernel::Shrink ? kSumTolerance : isCoarse ? 1e-2 : 2e-3;
  for (size_t slice = 0; slice < output.size(); ++slice)
    for (size_t token = 0; token < output[slice].size(); ++token) {
      if (rankOf(token) == 0)
        continue;
      const std::vector<double> &found = output[slice][token], &expected = reference[slice][token];
      size_t columns =
          test.kernel == Kernel::Shrink ? static_cast<size_t>(rankOf(token)) : found.size();
      double norm = 0, difference = 0;
      for (size_t i = 0; i < found.size(); ++i) {
        norm += expected[i] * expected[i];
        difference += (found[i] - expected[i]) * (found[i] - expected[i]);
      }
      double least = magnitude(token) * std::sqrt(static_cast<double>(columns));
      double error = std::sqrt(difference) / std::max(std::sqrt(norm), least);
      // A NaN is no error below the tolerance either.
      if (!(error <= tolerance))
        throw Error(std::string(backend) + ": " + place(slice, token) + ": relative error " +
                    std::to_string(error) + " against the reference, expected at most " +
                    std::to_string(tolerance));
    }
}

/// A unit in the last place of a value of 1.
static double unitOf(DType type) { return type == DType::F16 ? 0x1p-10 : 0x1p-7; }

void Checker::compareBackends(const Rows &interpreted, const Rows &emulated) const {
  double rounding = test.kernel == Kernel::Shrink ? 0 : unitOf(test.xType), inner = 0;
  // In a shrink_expand, elements of s can be rounded differently too, each of which moves a row.
  bool isFused = test.kernel == Kernel::ShrinkExpand;
  if (isFused)
    inner = 10 * unitOf(test.wType) * kWeight * shrunkMagnitude();
  size_t elements = 0, rounded = 0;
  for (size_t slice = 0; slice < interpreted.size(); ++slice)
    for (size_t token = 0; token < interpreted[slice].size(); ++token)
      for (size_t i = 0; i < interpreted[slice][token].size(); ++i) {
        double first = interpreted[slice][token][i], second = emulated[slice][token][i];
        ++elements;
        if (first == second || (std::isnan(first) && std::isnan(second)))
          continue;
        double size = std::max(std::abs(first), std::abs(second));
        double difference = std::abs(first - second);
        double sum = kSumTolerance * std::max(size, magnitude(token));
        if (!(difference <= sum + rounding * size + inner))
          throw Error(place(slice, token) + ", column " + std::to_string(i) +
                      ": the interpreter has " + std::to_string(first) + ", the emulator " +
                      std::to_string(second));
        rounded += rounding != 0;
      }
  if (rounded > 2 + elements / (isFused ? 10 : 100))
    throw Error(std::to_string(rounded) + " of " + std::to_string(elements) +
                " values are rounded differently by the interpreter and the emulator");
}

/// The second launch, with the tokens of the first one among others.
void Checker::compareRepeat() {
  std::vector<size_t> places = repeatedPlaces(test);
  const Launch &launch = test.repeat->launch;
  Workload repeated(test, launch, repeatedMapping(test));
  Workload inputs(test, test.launch, test.mapping);
  for (size_t token = 0; token < test.mapping.size(); ++token)
    inputs.copyToken(token, repeated, places[token]);
  try {
    if (test.repeat->separate)
      repeated.runSeparately(launch);
    else
      repeated.run(HostBackend::Emulator, launch);
  } catch (const Error &error) {
    throw Error(std::string("emulator, second launch: ") + error.what());
  }
  for (int32_t slice = 0; slice < workload.slices(); ++slice)
    for (size_t token = 0; token < test.mapping.size(); ++token) {
      if (std::ranges::equal(workload.outputRow(slice, token),
                             repeated.outputRow(slice, places[token])))
        continue;
      std::vector<double> before = workload.outputValues(slice, token);
      std::vector<double> after = repeated.outputValues(slice, places[token]);
      size_t i = 0;
      while (i + 1 < before.size() && std::memcmp(&before[i], &after[i], sizeof(double)) == 0)
        ++i;
      char values[80];
      std::snprintf(values, sizeof(values), "%.9g, then %.9g", before[i], after[i]);
      throw Error(place(static_cast<size_t>(slice), token) + ", column " + std::to_string(i) +
                  ": the second launch gives other bits: " + values);
    }
}

void Checker::run() {
  Rows interpreted = launch(HostBackend::Interpreter);
  Rows emulated = launch(HostBackend::Emulator);
  compareBackends(interpreted, emulated);
  if (test.repeat)
    compareRepeat();
}

std::string lora::differential::check(const Case &test) {
  try {
    Checker(test).run();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}
