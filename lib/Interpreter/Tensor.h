//===- Tensor.h - Tiles and scalars at run time ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace lora::interpreter {

enum class Element : uint8_t { I1, I32, I64, F16, BF16, F32, Pointer };

/// The element type that a scalar type denotes (`index` counts as i64), or nothing for a type that
/// the interpreter does not know.
std::optional<Element> getElement(mlir::Type scalar);

constexpr bool isFloat(Element element) {
  return element == Element::F16 || element == Element::BF16 || element == Element::F32;
}

constexpr unsigned getBitWidth(Element element) {
  switch (element) {
  case Element::I1:
    return 1;
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::I32:
  case Element::F32:
    return 32;
  case Element::I64:
  case Element::Pointer:
    return 64;
  }
  return 0;
}

/// Bytes of an element in memory.
constexpr unsigned getBytes(Element element) { return (getBitWidth(element) + 7) / 8; }

/// The lowest `width` bits of a value, 1 to 64, read with and without a sign.
constexpr int64_t signExtend(uint64_t value, unsigned width) {
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}
constexpr uint64_t zeroExtend(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) << (64 - width) >> (64 - width);
}

/// A tile, or a scalar as a tensor of rank 0, in row-major order. Floats are held widened, rounded
/// to their element type; integers and pointers as sign-extended int64, so that a true i1 is -1.
struct Tensor {
  Element element;
  llvm::SmallVector<int64_t, 2> shape;
  /// The elements: one of these, according to `element`.
  llvm::SmallVector<float, 1> floats;
  llvm::SmallVector<int64_t, 1> ints;

  /// All zeros. `type` is a scalar or a tile of static shape of a known element type.
  explicit Tensor(mlir::Type type);

  static Tensor scalar(Element element, int64_t value);
  static Tensor scalar(float value);

  /// The value of an integer, float or dense elements attribute, or nothing for another one.
  static std::optional<Tensor> fromAttribute(mlir::TypedAttr attribute);

  int64_t size() const { return isFloat(element) ? floats.size() : ints.size(); }

  /// Sets every element to that of a scalar of the same element type.
  void fill(const Tensor &scalar);

  /// Brings every element to the element type after arithmetic: rounds to nearest even, or wraps
  /// around.
  void normalize();

  /// The bits of an element, the remaining upper bits zero.
  uint64_t getBits(int64_t index) const;
  void setBits(int64_t index, uint64_t bits);

  /// Copies an element from or to memory of any alignment.
  void read(int64_t index, const void *memory);
  void write(int64_t index, void *memory) const;

private:
  Tensor() = default;
};

} // namespace lora::interpreter
