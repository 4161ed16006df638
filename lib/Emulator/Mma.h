//===- Mma.h - The matrix product of a warp -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "OpTable.h"
#include "Thread.h"

#include "llvm/ADT/ArrayRef.h"

namespace lora::emulator {

/// The nearest tf32 to `value`, ties away from zero, as by cvt.rna.tf32.f32; a NaN stays one.
float roundToTF32(float value);

/// simt.mma: takes the operands from the scratch areas of the 32 `lanes` and puts the results
/// there. An element of the result is the accumulator, to which the products of k = 0, 1, ... are
/// added one after the other; each sum is rounded to f32, the products are exact.
void multiplyAccumulate(MmaType type, llvm::MutableArrayRef<Thread> lanes);

} // namespace lora::emulator
