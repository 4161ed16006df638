//===- Pack.h - Files of compiled kernels ---------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is described in docs/kernel-pack.md.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Manifest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

using Sha256 = std::array<uint8_t, 32>;

/// FIPS 180-4.
Sha256 sha256(std::span<const std::byte> bytes);

/// What the code of a kernel is: machine code for one target, PTX for a target and those after it,
/// or the thread-level module that the emulator runs.
enum class CodeKind { Cubin, Ptx, Emulator };

/// "cubin", "ptx" or "emulator".
std::string_view codeKindName(CodeKind kind);

/// A kernel in a pack. Several may share an id: the same configuration for different targets.
struct PackKernel {
  std::string id;
  CodeKind kind = CodeKind::Cubin;
  KernelManifest manifest;
  /// Where the code is in the file, in bytes. Text ends with a zero byte.
  uint64_t offset = 0;
  uint64_t size = 0;
  Sha256 checksum = {};
};

/// Inclusive bounds.
struct PackRange {
  int64_t low = 0;
  int64_t high = std::numeric_limits<int64_t>::max();

  bool contains(int64_t value) const { return low <= value && value <= high; }
  bool operator==(const PackRange &) const = default;
};

/// When to use a kernel. Rules are tried in their order.
struct PackRule {
  /// The id of the kernel.
  std::string kernel;
  PackRange tokens, hidden, rank;
  /// Adapters that tokens may use at a time, and slices.
  PackRange adapters, slices;
  /// For a shrink_expand: shrink and expand after each other are to be used instead of the kernel,
  /// which only says for which types.
  bool twoLaunches = false;
};

struct PackIndex {
  /// The version of each program that took part in the build.
  std::map<std::string, std::string> versions;
  std::vector<PackKernel> kernels;
  std::vector<PackRule> rules;
};

/// The bytes of a pack. Offsets, sizes and checksums of the kernels are computed from `code`, which
/// has one entry for each; text must end with a zero byte. The same input gives the same bytes.
std::string packBytes(PackIndex index, std::span<const std::string> code);

/// An opened pack; a handle. Thread-safe.
class Pack {
public:
  /// Maps a file. It must not be changed in place while the pack lives. Throws Error, which names
  /// the file and the reason, if it cannot be read, is no pack, is truncated, of another version,
  /// or its index is damaged.
  static Pack open(const std::string &path);

  /// Takes a copy of the bytes; `name` stands for the file in messages.
  static Pack fromMemory(std::span<const std::byte> bytes, std::string name);

  const std::string &name() const;
  const PackIndex &index() const;

  /// The code of a kernel of the index. Throws Error, which names the file, the kernel and its
  /// target, if it does not match its checksum.
  std::span<const std::byte> code(const PackKernel &kernel) const;

  struct State;

private:
  explicit Pack(std::shared_ptr<const State> state) : shared(std::move(state)) {}

  std::shared_ptr<const State> shared;
};

} // namespace lora
