//===- Bundle.h - Compiled candidates, to be measured elsewhere -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Pack/Pack.h"
#include "lora/Tuner/Database.h"
#include "lora/Tuner/Problem.h"
#include "lora/Tuner/Space.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lora::tuner {

/// A problem, and what became of the configurations of its kernel before anything was compiled.
struct BundleProblem {
  TuneProblem problem;
  /// An index in Bundle::spaces.
  size_t space = 0;
  /// Configurations that the constraints allow, and reasons for which some were left out.
  size_t allowed = 0;
  std::map<std::string, size_t> pruned;
};

/// A compiled candidate.
struct BundleKernel {
  std::string artefact;
  size_t space = 0;
  /// E.g. "f16/f16", in the order of the type parameters.
  std::string types;
  /// Empty for a kernel that has not been opened from a file.
  std::string code;
  KernelManifest manifest;
};

/// The target of code that the emulator runs, under a driver that stands in for that of a GPU.
constexpr const char *kEmulatorTarget = "emulator";

/// What `lora-tune --phase compile` writes and `--phase measure` reads: a folder with bundle.json
/// and kernels.pack. It holds all that measuring needs, so that no compiler has to be there.
struct Bundle {
  std::string target;
  uint64_t seed = 0;
  std::vector<KernelSpace> spaces;
  std::vector<BundleProblem> problems;
  std::vector<BundleKernel> kernels;
  /// What did not compile or cannot run, with the reasons.
  std::vector<FailureRecord> failures;

  /// Replaces the folder's two files. Throws Error with the path and the reason.
  void write(const std::string &folder) const;

  /// Throws Error with the path and what is missing or damaged.
  static Bundle open(const std::string &folder);
};

/// The record of a kernel.
KernelRecord recordOf(const Bundle &bundle, const BundleKernel &kernel);

/// The element types of a problem in the order of a kernel's type parameters: W has that of the
/// weights, all others that of x.
std::string typesOf(const KernelSpace &space, const TuneProblem &problem);

/// SHA-256 in hexadecimal digits.
std::string hashText(std::string_view text);

} // namespace lora::tuner
