//===- Ptxas.h - Cubins from PTX -----------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Target/TargetFacts.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// What ptxas reports about the one kernel of a file, per thread.
struct ResourceReport {
  unsigned registers = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
};

struct Cubin {
  std::vector<char> bytes;
  ResourceReport report;
};

/// The CUDA assembler, run as a child process.
class Ptxas {
public:
  /// Uses `path` or, if it is empty, finds ptxas: $LORA_PTXAS, $CUDA_HOME/bin, PATH,
  /// /usr/local/cuda/bin. Throws Error if there is none.
  explicit Ptxas(std::string path = "");

  const std::string &path() const { return program; }

  /// The release, e.g. "13.0". Throws Error if ptxas cannot say.
  std::string version() const;

  /// Assembles a kernel. If ptxas fails or takes longer than `limit`, the PTX is kept in a file
  /// and Error names it with the first line that ptxas printed.
  Cubin assemble(std::string_view ptx, const TargetFacts &target,
                 std::chrono::seconds limit = std::chrono::seconds(120)) const;

private:
  std::string program;
};

/// Reads the numbers out of what `ptxas -v` prints. Throws Error if they are not there.
ResourceReport parseResourceReport(std::string_view text);

} // namespace lora
