//===- Safetensors.h - Reader of the safetensors file format -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A safetensors file is an 8-byte little-endian header length N, N bytes of JSON and the tensors'
// bytes. The JSON is one object: each tensor's name maps to its `dtype`, `shape` and
// `data_offsets` ([begin, end) in the bytes after the header); `__metadata__` holds free strings.
// Format: https://github.com/huggingface/safetensors#format
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/DType.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

class MappedFile;

/// A read-only tensor in a file, row-major and dense. Copies share the file's mapping, which lives
/// as long as any of them. Immutable, so that threads may share it.
struct StoredTensor {
  std::string name;
  /// Absent for the other types of the format, whose tensors are listed but cannot be used.
  std::optional<DType> type;
  /// The type as the file spells it, e.g. "BF16" or "I64".
  std::string typeName;
  /// In elements, outermost dimension first; empty for a scalar.
  std::vector<int64_t> shape;
  /// Little-endian elements, not necessarily aligned to their size.
  std::span<const std::byte> data;
  std::shared_ptr<const MappedFile> file;

  /// The elements in row-major order, exactly. Throws Error when the type is not F16, BF16 or F32.
  std::vector<float> toFloat() const;

  /// The elements in row-major order as f16 bits, rounded to nearest even; exactly the stored bits
  /// when the tensor is F16. Throws Error when the type is not F16, BF16 or F32, or when a finite
  /// element is too large for f16.
  std::vector<uint16_t> toHalf() const;

  /// As toHalf, for bf16.
  std::vector<uint16_t> toBFloat() const;
};

/// The tensors of one safetensors file, which is mapped, not read: memory use follows what is
/// touched. The file must not be truncated while it is in use.
class Safetensors {
public:
  /// Throws Error when the file cannot be opened, or with the field, what was found and what was
  /// expected when it does not follow the format: the tensors must tile the bytes after the header
  /// with no overlap and no gap, and each one's size must be that of its shape and type.
  static Safetensors open(const std::filesystem::path &path);

  /// Sorted by name.
  const std::vector<StoredTensor> &tensors() const { return all; }

  /// The tensor of this name, owned by this object, or null.
  const StoredTensor *find(std::string_view name) const;

private:
  std::vector<StoredTensor> all;
};

} // namespace lora
