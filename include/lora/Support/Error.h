//===- Error.h - The exception that carries a one-line message ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <stdexcept>
#include <string>

namespace lora {

/// An input or the environment is not as required. The message is one line that says what is
/// wrong, where, what was found and what was expected; tools print it after their name and exit
/// with status 1. Thrown inside the libraries, never across the C ABI of the runtime.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string &message) : std::runtime_error(message) {}
};

} // namespace lora
