//===- Operations.h - What the ops of a thread do -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Block.h"

namespace lora::emulator {

// Each function runs the op with index `op` for `thread`, with operands and results as the compiled
// code passes them, and throws Error when the kernel does something wrong.

void load(Thread &thread, uint32_t op, uintptr_t address, bool predicate);
void store(Thread &thread, uint32_t op, uintptr_t address, bool predicate);
uint32_t atomicAdd(Thread &thread, uint32_t op, uintptr_t address, uint32_t value);

void cpAsync(Thread &thread, uint32_t op, uintptr_t destination, uintptr_t source, bool predicate);
void cpAsyncCommit(Thread &thread);
void cpAsyncWait(Thread &thread, uint32_t op);

void mbarrierInit(Thread &thread, uint32_t op, uintptr_t address, bool predicate);
void storeAsync(Thread &thread, uint32_t op, uintptr_t address, uintptr_t mbarrier, bool predicate);
void mbarrierWait(Thread &thread, uint32_t op, uintptr_t address);

/// An integer division; `signedWidth` is 0 for an unsigned one.
void checkDivision(int64_t dividend, int64_t divisor, uint32_t signedWidth);

} // namespace lora::emulator
