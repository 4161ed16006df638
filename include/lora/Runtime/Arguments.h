//===- Arguments.h - The arguments of a launch ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lora {

enum class ArgumentType { Pointer, I32, I64, F32 };

/// "ptr", "i32", "i64" or "f32".
std::string_view argumentTypeName(ArgumentType type);

/// The inverse of argumentTypeName, or nothing for any other text.
std::optional<ArgumentType> parseArgumentType(std::string_view name);

/// The named arguments of a launch. Setting a name again replaces its value and type.
class Arguments {
public:
  struct Value {
    ArgumentType type;
    /// The bits of the value in the low bytes: what a kernel gets.
    uint64_t bits;

    /// The value of an I32 or I64 with its sign, the address of a Pointer.
    int64_t integer() const;
  };

  void setPointer(std::string_view name, uint64_t address);
  void setPointer(std::string_view name, const void *address);
  void setI32(std::string_view name, int32_t value);
  void setI64(std::string_view name, int64_t value);
  void setF32(std::string_view name, float value);

  /// The value of a name, or null. Valid until the object changes.
  const Value *find(std::string_view name) const;

private:
  std::map<std::string, Value, std::less<>> values;
};

} // namespace lora
