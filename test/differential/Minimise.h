//===- Minimise.h - Smaller cases that still fail --------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Case.h"

#include <chrono>
#include <functional>
#include <string>

namespace lora::differential {

/// A case and what is wrong with it.
struct Failure {
  Case test;
  std::string message;
};

/// Makes a failing case smaller and simpler, step by step, as long as `check` still finds something
/// wrong with it, until nothing helps or the time is over. Only valid cases are checked.
Failure minimise(Failure failure, const std::function<std::string(const Case &)> &check,
                 std::chrono::seconds limit);

} // namespace lora::differential
