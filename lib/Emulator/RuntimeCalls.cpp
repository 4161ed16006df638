//===- RuntimeCalls.cpp - The functions that compiled kernel code calls ---===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"

#include "Cluster.h"
#include "Operations.h"
#include "lora/Support/Half.h"

#include <bit>

namespace lora::emulator {

/// Runs `body` for the thread of `context`. An error ends the run: compiled code cannot be unwound,
/// so that the exception stops here, and the thread never runs again.
template <typename Body> static auto guarded(HostContext *context, uint32_t op, Body body) {
  Thread &thread = *static_cast<Thread *>(context);
  // The message must not live in a frame that is abandoned.
  static thread_local char message[1024];
  try {
    return body(thread);
  } catch (const std::exception &error) {
    message[std::string_view(error.what()).copy(message, sizeof(message) - 1)] = '\0';
  }
  thread.block->cluster.fail(thread, op, message);
}

static void callLoad(HostContext *context, uint32_t op, uintptr_t address, uint32_t predicate) {
  guarded(context, op, [&](Thread &thread) { load(thread, op, address, predicate); });
}

static void callStore(HostContext *context, uint32_t op, uintptr_t address, uint32_t predicate) {
  guarded(context, op, [&](Thread &thread) { store(thread, op, address, predicate); });
}

static uint32_t callAtomicAdd(HostContext *context, uint32_t op, uintptr_t address,
                              uint32_t value) {
  return guarded(context, op,
                 [&](Thread &thread) { return atomicAdd(thread, op, address, value); });
}

static void callCpAsync(HostContext *context, uint32_t op, uintptr_t destination, uintptr_t source,
                        uint32_t predicate) {
  guarded(context, op,
          [&](Thread &thread) { cpAsync(thread, op, destination, source, predicate); });
}

static void callCpAsyncCommit(HostContext *context, uint32_t) {
  cpAsyncCommit(*static_cast<Thread *>(context));
}

static void callCpAsyncWait(HostContext *context, uint32_t op) {
  guarded(context, op, [&](Thread &thread) { cpAsyncWait(thread, op); });
}

/// simt.fence adds nothing to the order: simt.atomic_add alone releases and acquires.
static void callFence(HostContext *, uint32_t) {}

static void callBarrier(HostContext *context, uint32_t op, uint32_t id) {
  guarded(context, op, [&](Thread &thread) { thread.block->gather(thread, op, id); });
}

static void callWarpOp(HostContext *context, uint32_t op) {
  guarded(context, op, [&](Thread &thread) { thread.block->gather(thread, op); });
}

static uintptr_t callPeer(HostContext *context, uint32_t op, uintptr_t address, uint32_t rank) {
  return guarded(context, op,
                 [&](Thread &thread) { return thread.block->cluster.peerAddress(address, rank); });
}

static void callMbarrierInit(HostContext *context, uint32_t op, uintptr_t address,
                             uint32_t predicate) {
  guarded(context, op, [&](Thread &thread) { mbarrierInit(thread, op, address, predicate); });
}

static void callStoreAsync(HostContext *context, uint32_t op, uintptr_t address, uintptr_t mbarrier,
                           uint32_t predicate) {
  guarded(context, op,
          [&](Thread &thread) { storeAsync(thread, op, address, mbarrier, predicate); });
}

static void callMbarrierWait(HostContext *context, uint32_t op, uintptr_t address) {
  guarded(context, op, [&](Thread &thread) { mbarrierWait(thread, op, address); });
}

static void callCheckDivision(HostContext *context, uint32_t op, int64_t dividend, int64_t divisor,
                              uint32_t signedWidth) {
  guarded(context, op, [&](Thread &) { checkDivision(dividend, divisor, signedWidth); });
}

static void callPoll(HostContext *context) {
  Thread &thread = *static_cast<Thread *>(context);
  thread.block->cluster.poll();
}

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

llvm::ArrayRef<RuntimeFunction> runtimeFunctions() {
  static const RuntimeFunction functions[] = {
      {"lora_emulator_load", "vpipi", addressOf(callLoad)},
      {"lora_emulator_store", "vpipi", addressOf(callStore)},
      {"lora_emulator_atomic_add", "ipipi", addressOf(callAtomicAdd)},
      {"lora_emulator_fence", "vpi", addressOf(callFence)},
      {"lora_emulator_cp_async", "vpippi", addressOf(callCpAsync)},
      {"lora_emulator_cp_async_commit", "vpi", addressOf(callCpAsyncCommit)},
      {"lora_emulator_cp_async_wait", "vpi", addressOf(callCpAsyncWait)},
      {"lora_emulator_barrier", "vpii", addressOf(callBarrier)},
      {"lora_emulator_warp_barrier", "vpi", addressOf(callWarpOp)},
      {"lora_emulator_peer", "ppipi", addressOf(callPeer)},
      {"lora_emulator_cluster_arrive", "vpi", addressOf(callWarpOp)},
      {"lora_emulator_cluster_wait", "vpi", addressOf(callWarpOp)},
      {"lora_emulator_mbarrier_init", "vpipi", addressOf(callMbarrierInit)},
      {"lora_emulator_store_async", "vpippi", addressOf(callStoreAsync)},
      {"lora_emulator_mbarrier_wait", "vpip", addressOf(callMbarrierWait)},
      {"lora_emulator_mma", "vpi", addressOf(callWarpOp)},
      {"lora_emulator_check_division", "vpilli", addressOf(callCheckDivision)},
      {"lora_emulator_poll", "vp", addressOf(callPoll)},
  };
  return functions;
}

#if defined(__x86_64__)

// The code generator expects these from the compiler's runtime, which may lack them. A 16-bit float
// of either kind travels in a vector register.
static _Float16 truncateToHalf(float value) { return std::bit_cast<_Float16>(floatToHalf(value)); }
static _Float16 truncateToBFloat(float value) {
  return std::bit_cast<_Float16>(floatToBFloat(value));
}
static float extendHalf(_Float16 value) { return halfToFloat(std::bit_cast<uint16_t>(value)); }

llvm::ArrayRef<RuntimeFunction> conversionFunctions() {
  static const RuntimeFunction functions[] = {
      {"__truncsfhf2", "", addressOf(truncateToHalf)},
      {"__truncsfbf2", "", addressOf(truncateToBFloat)},
      {"__extendhfsf2", "", addressOf(extendHalf)},
  };
  return functions;
}

#else

llvm::ArrayRef<RuntimeFunction> conversionFunctions() { return {}; }

#endif

} // namespace lora::emulator
