//===- Arguments.cpp - The arguments of a launch --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/Arguments.h"

#include <bit>

using namespace lora;

std::string_view lora::argumentTypeName(ArgumentType type) {
  switch (type) {
  case ArgumentType::Pointer:
    return "ptr";
  case ArgumentType::I32:
    return "i32";
  case ArgumentType::I64:
    return "i64";
  default:
    return "f32";
  }
}

std::optional<ArgumentType> lora::parseArgumentType(std::string_view name) {
  for (ArgumentType type :
       {ArgumentType::Pointer, ArgumentType::I32, ArgumentType::I64, ArgumentType::F32})
    if (name == argumentTypeName(type))
      return type;
  return std::nullopt;
}

int64_t Arguments::Value::integer() const {
  if (type == ArgumentType::I32)
    return static_cast<int32_t>(bits);
  return static_cast<int64_t>(bits);
}

void Arguments::setPointer(std::string_view name, uint64_t address) {
  values.insert_or_assign(std::string(name), Value{ArgumentType::Pointer, address});
}

void Arguments::setPointer(std::string_view name, const void *address) {
  setPointer(name, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(address)));
}

void Arguments::setI32(std::string_view name, int32_t value) {
  values.insert_or_assign(std::string(name),
                          Value{ArgumentType::I32, static_cast<uint32_t>(value)});
}

void Arguments::setI64(std::string_view name, int64_t value) {
  values.insert_or_assign(std::string(name),
                          Value{ArgumentType::I64, static_cast<uint64_t>(value)});
}

void Arguments::setF32(std::string_view name, float value) {
  values.insert_or_assign(std::string(name),
                          Value{ArgumentType::F32, std::bit_cast<uint32_t>(value)});
}

const Arguments::Value *Arguments::find(std::string_view name) const {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}
