//===- StoredTensor.cpp - Conversion of stored tensors to vectors --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedFile.h"
#include "Text.h"
#include "lora/Adapter/Safetensors.h"
#include "lora/Support/Error.h"
#include "lora/Support/Half.h"

#include <cmath>
#include <cstring>

using namespace lora;

namespace {

/// Calls `use(i, value)` for each element; `Bits` is the stored type and `widen` makes it a float.
template <typename Bits, typename Widen, typename Use>
void forEachElement(std::span<const std::byte> data, Widen widen, Use use) {
  for (size_t i = 0; i < data.size() / sizeof(Bits); ++i) {
    // The format does not align tensors.
    Bits bits;
    std::memcpy(&bits, data.data() + i * sizeof(Bits), sizeof(Bits));
    use(i, widen(bits));
  }
}

size_t elementCount(const StoredTensor &tensor) {
  if (!tensor.type)
    throw Error(tensor.file->path() + ": tensor " + inQuotes(tensor.name) + ": found type " +
                tensor.typeName + ", expected F16, BF16 or F32");
  return tensor.data.size() / byteSize(*tensor.type);
}

template <typename Use> void forEachElement(const StoredTensor &tensor, Use use) {
  if (tensor.type == DType::F16)
    forEachElement<uint16_t>(tensor.data, halfToFloat, use);
  else if (tensor.type == DType::BF16)
    forEachElement<uint16_t>(tensor.data, bfloatToFloat, use);
  else
    forEachElement<float>(
        tensor.data, [](float value) { return value; }, use);
}

/// `narrow` makes a float the target's bits, `widen` undoes it.
template <typename Narrow, typename Widen>
std::vector<uint16_t> toBits(const StoredTensor &tensor, DType target, const char *targetName,
                             Narrow narrow, Widen widen) {
  std::vector<uint16_t> result(elementCount(tensor));
  if (tensor.type == target) {
    if (!result.empty())
      std::memcpy(result.data(), tensor.data.data(), tensor.data.size());
    return result;
  }
  forEachElement(tensor, [&](size_t i, float value) {
    result[i] = narrow(value);
    if (std::isfinite(value) && !std::isfinite(widen(result[i])))
      throw Error(tensor.file->path() + ": tensor " + inQuotes(tensor.name) + ": found " +
                  std::to_string(value) + " at element " + std::to_string(i) +
                  ", expected a value within the range of " + targetName);
  });
  return result;
}

} // namespace

std::vector<float> StoredTensor::toFloat() const {
  std::vector<float> result(elementCount(*this));
  forEachElement(*this, [&](size_t i, float value) { result[i] = value; });
  return result;
}

std::vector<uint16_t> StoredTensor::toHalf() const {
  return toBits(*this, DType::F16, "f16", floatToHalf, halfToFloat);
}

std::vector<uint16_t> StoredTensor::toBFloat() const {
  return toBits(*this, DType::BF16, "bf16", floatToBFloat, bfloatToFloat);
}
