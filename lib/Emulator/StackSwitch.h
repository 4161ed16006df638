//===- StackSwitch.h - Tells AddressSanitizer about stacks ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace lora::emulator {

/// The extent of a stack.
struct StackBounds {
  const void *bottom = nullptr;
  size_t size = 0;
};

/// Call before control goes to the stack `to`. Returns what `enterStack` needs when it comes back;
/// `last` says that it never does.
inline void *leaveStack(const StackBounds &to, bool last = false) {
  void *saved = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(last ? nullptr : &saved, to.bottom, to.size);
#endif
  return saved;
}

/// Call first when control comes to a stack: with null when it is new, else with what `leaveStack`
/// returned. Returns the stack that control comes from.
inline StackBounds enterStack(void *saved) {
  StackBounds from;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(saved, &from.bottom, &from.size);
#endif
  return from;
}

/// Forgets the frames that are still on a stack.
inline void clearStack(const StackBounds &stack) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(stack.bottom, stack.size);
#endif
}

} // namespace lora::emulator
