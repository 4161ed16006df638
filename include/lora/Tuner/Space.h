//===- Space.h - The configurations of a kernel ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Runtime/Manifest.h"
#include "lora/Tuner/Problem.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lora::tuner {

/// What a kernel file says about its parameters and arguments. It is all that the tuner knows of a
/// kernel, so that a new kernel needs no change here.
struct KernelSpace {
  struct Parameter {
    std::string name;
    int64_t defaultValue = 0;
    std::vector<int64_t> candidates;
  };

  /// The name of the kernel in its source.
  std::string kernel;
  /// The file it was read from; empty for one that ships with the compiler.
  std::string file;
  /// The SHA-256 of the source, in hexadecimal digits.
  std::string sourceHash;
  /// The names of the type parameters, in their order.
  std::vector<std::string> types;
  std::vector<Parameter> parameters;
  std::vector<KernelManifest::Argument> arguments;
  /// Expressions over the parameters that must hold, and over these and arguments.
  std::vector<std::string> constraints, assumptions;
  std::array<std::string, 3> grid = {"1", "1", "1"};

  /// Told by the names of the arguments: x, a and s are a shrink, s, b and y an expand, x, a, b
  /// and y both. Throws Error, naming the kernel and the argument, if these are not there or there
  /// is an argument that the tuner cannot provide.
  Operation operation() const;

  std::string toJson() const;
  /// Throws Error, which begins with `where`, if the text is no such description.
  static KernelSpace fromJson(std::string_view text, const std::string &where);
};

/// The parameters of a kernel whose values a problem decides: those that an assumption ties to
/// arguments get the value that promises the most of what holds (the largest divisor, the smallest
/// bound), and ADD_INPUTS says whether y is added to. Throws Error, naming the parameter, if no
/// candidate holds.
Config boundParameters(const KernelSpace &space, const TuneProblem &problem);

/// All configurations that the constraints allow, with the given parameters bound. In the order of
/// the candidates, the last parameter running fastest.
std::vector<Config> enumerate(const KernelSpace &space, const Config &bound);

/// The first constraint that does not hold for a whole configuration, or an empty string.
std::string brokenConstraint(const KernelSpace &space, const Config &config);

/// A configuration with what it leaves out set to the kernel's defaults. Throws Error, naming the
/// parameter, if a value is not among the candidates or the kernel has no such parameter.
Config completed(const KernelSpace &space, const Config &config);

} // namespace lora::tuner
