//===- Emulator.h - Runs a thread-level module on the CPU, strictly -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace lora::emulator {

/// One argument of a kernel: `!llvm.ptr<1>`, i32, i64 or f32.
using Argument = std::variant<void *, int32_t, int64_t, float>;

/// Host memory that stands for global memory. The emulator does not own it; it must outlive the
/// runs and, while one is going on, be used by nobody else.
struct Buffer {
  void *data;
  /// In bytes.
  size_t size;
  /// Used in messages.
  std::string name;
  /// Every byte has a value. Otherwise a kernel must write a byte before it reads it.
  bool initialised = true;
  /// A kernel may write it. Buffers that none may write cost no shadow memory.
  bool writable = false;
};

struct RunOptions {
  /// Blocks in x, y and z.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// Decides the order of blocks, warps and lanes.
  uint64_t seed = 0;
  /// Operating system threads to run blocks on, 0 for one a core. With one, a run is a function of
  /// its inputs; with more, blocks that communicate may see each other in another order.
  unsigned threads = 0;
  /// If given, a run ends with an error soon after this becomes true, e.g. in a signal handler.
  const std::atomic<bool> *interrupt = nullptr;
  /// If given, counts the blocks that have run to their end.
  std::atomic<uint64_t> *finishedBlocks = nullptr;
};

struct Kernel;

/// A kernel that was compiled for the host, and the memory it may use. Checks what a GPU leaves
/// undefined; docs/emulator.md lists the checks. Not thread-safe.
class Emulator {
public:
  /// Compiles the only kernel of `module`, which holds one gpu.module with one gpu.func whose
  /// `known_block_size` is {multiple of 32, 1, 1} and whose `simt.shared_bytes` is the size of its
  /// shared memory. The module stays as it is and may be destroyed. Fails with one line that names
  /// the op when the module holds something that cannot be emulated.
  static llvm::Expected<std::unique_ptr<Emulator>> create(mlir::ModuleOp module);
  ~Emulator();

  /// Lets the kernel use `buffer`. A pointer in an argument or in memory is a plain host address.
  void addBuffer(Buffer buffer);

  /// Runs every thread of every block of the grid once. Fails with one line at the first thing the
  /// kernel does wrong, which names the op, its source location, the block and the thread; the
  /// buffers are then in the middle of the run. What is initialised, and all ordering, starts anew
  /// with each run.
  llvm::Error run(llvm::ArrayRef<Argument> arguments, const RunOptions &options = {});

private:
  explicit Emulator(std::unique_ptr<Kernel> kernel);

  std::unique_ptr<Kernel> kernel;
  std::vector<Buffer> buffers;
};

/// Registers the pass `simt-to-host`, the first half of Emulator::create.
void registerSimtToHostPass();

} // namespace lora::emulator
