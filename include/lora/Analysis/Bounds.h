//===- Bounds.h - How large values can become ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace lora {

/// A number that a signed i32 or i64 value never exceeds, as far as constants, minima and
/// remainders tell.
std::optional<int64_t> upperBound(mlir::Value value);

} // namespace lora
