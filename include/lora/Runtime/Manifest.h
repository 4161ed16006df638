//===- Manifest.h - What a compiled kernel says about itself --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// Describes one compiled kernel: how to find, check and launch it. The compiler writes it as JSON
/// beside the cubin, the runtime reads it.
struct KernelManifest {
  struct Argument {
    std::string name;
    /// "ptr", "i32", "i64" or "f32".
    std::string type;
  };

  /// What ptxas reported, per thread.
  struct Report {
    unsigned registers = 0;
    unsigned spillBytes = 0;
    unsigned stackBytes = 0;
  };

  /// The version of this description. There is only version 1.
  int format = 1;
  /// The name of the kernel in its source, e.g. "shrink".
  std::string kernel;
  /// The name of its entry in the cubin.
  std::string symbol;
  /// What the cubin was built for, e.g. "sm_90a".
  std::string target;
  /// The element type that each type parameter was bound to, e.g. X -> "f16".
  std::map<std::string, std::string> types;
  /// The value that each tunable was bound to.
  std::map<std::string, int64_t> config;
  /// The parameters in the order of the entry, without the two hidden ones described below.
  std::vector<Argument> arguments;
  /// The blocks in x, y and z: an Expression each, over the integer arguments and `config`.
  std::array<std::string, 3> grid = {"1", "1", "1"};
  /// Expressions that must not be zero for a launch to be valid, over the integer arguments, the
  /// pointers (as their address) and `config`, e.g. "hidden % K_ALIGN == 0".
  std::vector<std::string> assumptions;
  /// Threads of a block, in x.
  unsigned threads = 0;
  /// Dynamic shared memory of a block in bytes.
  unsigned sharedBytes = 0;
  /// Blocks of a cluster in x, y and z.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// If above zero, groups of `splitGroupSize` blocks share partial results through global memory,
  /// and the entry takes two more pointers at the end: the workspace, of this many bytes for each
  /// group, and the counters, 4 bytes for each group. Counters are zero before the first launch
  /// and every launch leaves them zero.
  int64_t workspaceBytesPerGroup = 0;
  int64_t splitGroupSize = 1;
  std::optional<Report> report;
  /// The version of each program that took part in the build, e.g. "ptxas" -> "13.0".
  std::map<std::string, std::string> versions;

  /// Whether the entry takes the two hidden pointers.
  bool hasWorkspace() const { return workspaceBytesPerGroup > 0; }

  /// Throws Error, which begins with `where` and names the field, if a value is out of range, a
  /// name occurs twice, or an expression does not parse or uses a name it may not use.
  void validate(std::string_view where) const;

  /// The JSON text, indented, with a newline at the end.
  std::string toJson() const;

  /// Reads and validates. Throws Error, which begins with `where` and names the field, if the
  /// text is not JSON, a field is missing, unknown or of the wrong type, or validate() fails.
  static KernelManifest fromJson(std::string_view text, std::string_view where);

  /// fromJson on the content of a file, with the path as `where`.
  static KernelManifest load(const std::string &path);
};

} // namespace lora
