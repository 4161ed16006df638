//===- DType.cpp - Element types of tensors in memory ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Support/DType.h"

#include "lora/Support/Error.h"

#include <string>

using namespace lora;

std::string_view lora::dtypeName(DType type) {
  switch (type) {
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  default:
    return "f32";
  }
}

DType lora::parseDType(std::string_view name) {
  for (DType type : {DType::F16, DType::BF16, DType::F32})
    if (name == dtypeName(type))
      return type;
  throw Error("element type '" + std::string(name) + "': expected f16, bf16 or f32");
}
