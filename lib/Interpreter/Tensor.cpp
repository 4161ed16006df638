//===- Tensor.cpp - Tiles and scalars at run time -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"
#include "Tile/Tile.h"
#include "lora/Support/Half.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

#include <bit>
#include <cstring>

using namespace mlir;
using namespace lora::interpreter;

std::optional<Element> lora::interpreter::getElement(Type scalar) {
  if (scalar.isInteger(1))
    return Element::I1;
  if (scalar.isInteger(32))
    return Element::I32;
  if (scalar.isInteger(64) || scalar.isIndex())
    return Element::I64;
  if (scalar.isF16())
    return Element::F16;
  if (scalar.isBF16())
    return Element::BF16;
  if (scalar.isF32())
    return Element::F32;
  if (isa<tile::PtrType>(scalar))
    return Element::Pointer;
  return std::nullopt;
}

Tensor::Tensor(Type type) : element(*getElement(getElementTypeOrSelf(type))) {
  int64_t size = 1;
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    shape.assign(tile.getShape().begin(), tile.getShape().end());
    size = tile.getNumElements();
  }
  if (isFloat(element))
    floats.assign(size, 0.0f);
  else
    ints.assign(size, 0);
}

Tensor Tensor::scalar(Element element, int64_t value) {
  Tensor result;
  result.element = element;
  result.ints.push_back(signExtend(value, getBitWidth(element)));
  return result;
}

Tensor Tensor::scalar(float value) {
  Tensor result;
  result.element = Element::F32;
  result.floats.push_back(value);
  return result;
}

std::optional<Tensor> Tensor::fromAttribute(TypedAttr attribute) {
  Tensor result(attribute.getType());
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    result.setBits(0, integer.getValue().getZExtValue());
    return result;
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    result.setBits(0, number.getValue().bitcastToAPInt().getZExtValue());
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return std::nullopt;
  int64_t index = 0;
  if (isFloat(result.element))
    for (const APFloat &value : dense.getValues<APFloat>())
      result.setBits(index++, value.bitcastToAPInt().getZExtValue());
  else
    for (const APInt &value : dense.getValues<APInt>())
      result.setBits(index++, value.getZExtValue());
  return result;
}

void Tensor::fill(const Tensor &scalar) {
  if (isFloat(element))
    floats.assign(floats.size(), scalar.floats[0]);
  else
    ints.assign(ints.size(), scalar.ints[0]);
}

void Tensor::normalize() {
  switch (element) {
  case Element::F16:
    for (float &value : floats)
      value = halfToFloat(floatToHalf(value));
    break;
  case Element::BF16:
    for (float &value : floats)
      value = bfloatToFloat(floatToBFloat(value));
    break;
  case Element::I1:
  case Element::I32:
    for (int64_t &value : ints)
      value = signExtend(value, getBitWidth(element));
    break;
  case Element::F32:
  case Element::I64:
  case Element::Pointer:
    break;
  }
}

uint64_t Tensor::getBits(int64_t index) const {
  switch (element) {
  case Element::F16:
    return floatToHalf(floats[index]);
  case Element::BF16:
    return floatToBFloat(floats[index]);
  case Element::F32:
    return std::bit_cast<uint32_t>(floats[index]);
  default:
    return zeroExtend(ints[index], getBitWidth(element));
  }
}

void Tensor::setBits(int64_t index, uint64_t bits) {
  switch (element) {
  case Element::F16:
    floats[index] = halfToFloat(static_cast<uint16_t>(bits));
    break;
  case Element::BF16:
    floats[index] = bfloatToFloat(static_cast<uint16_t>(bits));
    break;
  case Element::F32:
    floats[index] = std::bit_cast<float>(static_cast<uint32_t>(bits));
    break;
  default:
    ints[index] = signExtend(bits, getBitWidth(element));
  }
}

// The host is little-endian, as every GPU is.
static_assert(std::endian::native == std::endian::little);

void Tensor::read(int64_t index, const void *memory) {
  uint64_t bits = 0;
  std::memcpy(&bits, memory, getBytes(element));
  setBits(index, bits);
}

void Tensor::write(int64_t index, void *memory) const {
  const uint64_t bits = getBits(index);
  std::memcpy(memory, &bits, getBytes(element));
}
