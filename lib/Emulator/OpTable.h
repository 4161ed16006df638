//===- OpTable.h - What the runtime knows of each op of a kernel ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lora::emulator {

enum class OpKind : uint8_t {
  Access,
  Copy,
  Barrier,
  WarpBarrier,
  ClusterArrive,
  ClusterWait,
  MbarrierWait,
  Mma,
  Other
};
/// The memory of an access; Peer is the shared memory of a block of the cluster.
enum class Space : uint8_t { Global, Shared, Peer };
enum class MmaType : uint8_t { F16, BF16, TF32 };

/// The static facts of one op that calls the runtime. Calls name it by its index in the table.
struct OpInfo {
  OpKind kind = OpKind::Other;
  std::string name;
  /// "file:line:column".
  std::string location;
  /// Width of an access or a copy.
  uint32_t bytes = 0;
  Space space = Space::Global;
  /// The load promises that nobody writes what it reads.
  bool readOnly = false;
  /// Groups a cp_async_wait leaves pending.
  uint32_t pending = 0;
  /// Threads of a named barrier, 0 for a barrier of the block.
  uint32_t threads = 0;
  /// The cluster_arrive orders nothing.
  bool relaxed = false;
  /// What an mbarrier_init prepares for.
  uint32_t expectedBytes = 0;
  MmaType mma = MmaType::F16;

  /// "simt.load at file:line:column".
  std::string describe() const { return name + " at " + location; }
};

using OpTable = std::vector<OpInfo>;

/// "file:line:column" of the innermost location that has one.
std::string describeLocation(mlir::Location location);

/// The table entry of `op`, which is a simt op or any other that can fail while it runs.
OpInfo describeOp(mlir::Operation *op);

} // namespace lora::emulator
