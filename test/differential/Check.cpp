//===- Check.cpp - Whether the implementations agree on a case -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "Rows.h"
#include "lora/Execution/HostBackend.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace lora;
using namespace lora::differential;

/// What f32 sums of any order may differ by.
static constexpr double kSumTolerance = 1e-5;
/// The root mean square of a uniform value in [-1, 1), and of its product with a weight.
static constexpr double kUniform = 0.577, kProduct = 0.577 * 0.0289;

namespace {

class Checker {
public:
  explicit Checker(const Case &test)
      : test(test),
        problem(test.op, shapeOf(test, test.launch, test.mapping.size()), test.mapping, test.data),
        reference(referenceRows(problem)) {}

  void run();

private:
  using Output = std::vector<std::vector<std::vector<double>>>; // [slices][tokens][columns]

  Output launch(HostBackend backend);
  void compareWithReference(const Output &output, const char *backend) const;
  void compareBackends(const Output &interpreted, const Output &emulated) const;
  void compareRepeat();
  int32_t rankOf(size_t token) const;
  double magnitude(size_t token) const;
  std::string place(size_t slice, size_t token) const;
  int32_t slices() const { return problem.shape().slices(); }

  const Case &test;
  LoraProblem problem;
  Output reference;
};

} // namespace

int32_t Checker::rankOf(size_t token) const {
  int32_t lora = test.mapping[token];
  return lora < 0 ? 0 : test.ranks[static_cast<size_t>(lora)];
}

/// What values of a token are usually like.
double Checker::magnitude(size_t token) const {
  if (test.op == LoraOp::Shrink)
    return kProduct * std::sqrt(static_cast<double>(test.hidden));
  return kProduct * std::sqrt(rankOf(token)) + (test.addInputs ? kUniform : 0);
}

std::string Checker::place(size_t slice, size_t token) const {
  return "slice " + std::to_string(slice) + ", token " + std::to_string(token);
}

Checker::Output Checker::launch(HostBackend backend) {
  const char *name = backend == HostBackend::Interpreter ? "interpreter" : "emulator";
  problem.resetOutput();
  try {
    runOnHost(backend, problem, test.launch.config, test.launch.target, test.launch.order);
    problem.checkUntouched();
  } catch (const Error &error) {
    throw Error(std::string(name) + ": " + error.what());
  }
  Output output(static_cast<size_t>(slices()));
  for (int32_t slice = 0; slice < slices(); ++slice)
    for (size_t token = 0; token < test.mapping.size(); ++token)
      output[static_cast<size_t>(slice)].push_back(outputValues(problem, slice, token));
  compareWithReference(output, name);
  return output;
}

void Checker::compareWithReference(const Output &output, const char *backend) const {
  // An expand rounds s to the type of the weights and y to its own.
  bool isCoarse = test.xType == DType::BF16 || test.wType == DType::BF16;
  double tolerance = test.op == LoraOp::Shrink ? kSumTolerance : isCoarse ? 1e-2 : 2e-3;
  for (size_t slice = 0; slice < output.size(); ++slice)
    for (size_t token = 0; token < output[slice].size(); ++token) {
      if (rankOf(token) == 0)
        continue;
      const std::vector<double> &found = output[slice][token], &expected = reference[slice][token];
      size_t columns =
          test.op == LoraOp::Shrink ? static_cast<size_t>(rankOf(token)) : found.size();
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

void Checker::compareBackends(const Output &interpreted, const Output &emulated) const {
  double rounding = test.op == LoraOp::Shrink ? 0 : test.xType == DType::F16 ? 0x1p-10 : 0x1p-7;
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
        if (!(difference <= sum + rounding * size))
          throw Error(place(slice, token) + ", column " + std::to_string(i) +
                      ": the interpreter has " + std::to_string(first) + ", the emulator " +
                      std::to_string(second));
        rounded += rounding != 0;
      }
  if (rounded > 2 + elements / 100)
    throw Error(std::to_string(rounded) + " of " + std::to_string(elements) +
                " values are rounded differently by the interpreter and the emulator");
}

/// The second launch, with the tokens of the first one among others.
void Checker::compareRepeat() {
  std::vector<int32_t> mapping = repeatedMapping(test);
  std::vector<size_t> places = repeatedPlaces(test);
  const Launch &launch = test.repeat->launch;
  LoraProblem repeated(test.op, shapeOf(test, launch, mapping.size()), mapping, test.data);
  // The output as it is, since the first launch has written it: y is an input too.
  std::vector<std::byte> written(problem.output().bytes().begin(), problem.output().bytes().end());
  problem.resetOutput();
  for (size_t token = 0; token < test.mapping.size(); ++token)
    copyToken(problem, token, repeated, places[token]);
  std::ranges::copy(written, problem.output().bytes().begin());
  try {
    runOnHost(HostBackend::Emulator, repeated, launch.config, launch.target, launch.order);
  } catch (const Error &error) {
    throw Error(std::string("emulator, second launch: ") + error.what());
  }
  for (int32_t slice = 0; slice < slices(); ++slice)
    for (size_t token = 0; token < test.mapping.size(); ++token) {
      std::span<std::byte> first = outputRow(problem, slice, token);
      std::span<std::byte> second = outputRow(repeated, slice, places[token]);
      if (std::ranges::equal(first, second))
        continue;
      std::vector<double> before = outputValues(problem, slice, token);
      std::vector<double> after = outputValues(repeated, slice, places[token]);
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
  Output interpreted = launch(HostBackend::Interpreter);
  Output emulated = launch(HostBackend::Emulator);
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
