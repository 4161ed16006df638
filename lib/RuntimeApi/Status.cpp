//===- Status.cpp - Statuses, messages and the log ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"

#include <cstdio>
#include <mutex>

using namespace lora;
using namespace lora::api;

namespace {

/// Longer messages are cut: keeping one must not fail.
constexpr size_t kMessageBytes = 1024;
thread_local char message[kMessageBytes] = "";

struct Log {
  std::mutex mutex;
  lora_log_callback callback = nullptr;
  void *user = nullptr;
};

Log &theLog() {
  static Log log;
  return log;
}

} // namespace

void api::failArgument(const std::string &what, const std::string &expected,
                       const std::string &found) {
  throw StatusError(LORA_ERROR_INVALID_ARGUMENT,
                    what + ": expected " + expected + ", found " + found);
}

void api::checkRange(const char *what, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high)
    failArgument(what, std::to_string(low) + " to " + std::to_string(high), std::to_string(value));
}

void api::checkNotNull(const char *what, const void *value) {
  if (!value)
    failArgument(what, "an address", "NULL");
}

void api::setLog(lora_log_callback callback, void *user) noexcept {
  std::lock_guard lock(theLog().mutex);
  theLog().callback = callback;
  theLog().user = user;
}

bool api::isLogging() noexcept {
  std::lock_guard lock(theLog().mutex);
  return theLog().callback != nullptr;
}

void api::log(lora_log_level level, const std::string &text) noexcept {
  lora_log_callback callback;
  void *user;
  {
    std::lock_guard lock(theLog().mutex);
    callback = theLog().callback;
    user = theLog().user;
  }
  if (callback)
    callback(user, level, text.c_str());
}

lora_status api::recordFailure(const char *function, lora_status status,
                               const char *what) noexcept {
  std::snprintf(message, sizeof(message), "%s: %s", function, what);
  for (char &character : message)
    character = character == '\n' ? ' ' : character;
  try {
    log(LORA_LOG_ERROR, message);
  } catch (...) {
    // The caller gets the status in any case.
  }
  return status;
}

const char *api::lastMessage() noexcept { return message; }
