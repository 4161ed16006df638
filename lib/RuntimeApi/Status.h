//===- Status.h - Statuses, messages and the log ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/Error.h"
#include "lora/runtime.h"

#include <new>
#include <string>

namespace lora::api {

/// An Error that reaches the caller as a status.
class StatusError : public Error {
public:
  StatusError(lora_status status, const std::string &message) : Error(message), status(status) {}

  lora_status status;
};

/// Throws LORA_ERROR_INVALID_ARGUMENT: "WHAT: expected EXPECTED, found FOUND".
[[noreturn]] void failArgument(const std::string &what, const std::string &expected,
                               const std::string &found);

/// failArgument unless low <= value <= high.
void checkRange(const char *what, int64_t value, int64_t low, int64_t high);

void checkNotNull(const char *what, const void *value);

/// Tells the caller's callback, if there is one.
void log(lora_log_level level, const std::string &message) noexcept;
bool isLogging() noexcept;
void setLog(lora_log_callback callback, void *user) noexcept;

/// Keeps the message for lora_last_error, with the function that failed before it.
lora_status recordFailure(const char *function, lora_status status, const char *message) noexcept;
const char *lastMessage() noexcept;

/// Copies a structure of the caller, whose size may be that of an older version.
template <typename Struct> Struct readStruct(const char *what, const Struct *from) {
  checkNotNull(what, from);
  Struct copy = {};
  if (from->size < sizeof(size_t) || from->size > sizeof(Struct))
    failArgument(std::string(what) + ".size", std::to_string(sizeof(Struct)) + " or less",
                 std::to_string(from->size));
  __builtin_memcpy(&copy, from, from->size);
  return copy;
}

/// Runs the body of a function of the C interface: turns what it throws into a status.
template <typename Body> lora_status guarded(const char *function, Body body) noexcept {
  try {
    body();
    return LORA_SUCCESS;
  } catch (const StatusError &error) {
    return recordFailure(function, error.status, error.what());
  } catch (const std::bad_alloc &) {
    return recordFailure(function, LORA_ERROR_OUT_OF_MEMORY, "there is not enough host memory");
  } catch (const std::exception &error) {
    return recordFailure(function, LORA_ERROR_INTERNAL, error.what());
  } catch (...) {
    return recordFailure(function, LORA_ERROR_INTERNAL, "an unknown exception");
  }
}

} // namespace lora::api
