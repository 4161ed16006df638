//===- CommandLine.h - What the tools' command lines share ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Support/DType.h"
#include "lora/Support/Error.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <iostream>
#include <limits>
#include <new>
#include <string>

namespace lora {

/// Accepts a number of the type of the bounds within them.
template <typename Number> CLI::Validator numberIn(Number low, Number high) {
  auto text = [](Number bound) {
    std::string digits(32, '\0');
    digits.resize(std::to_chars(digits.data(), digits.data() + digits.size(), bound).ptr -
                  digits.data());
    return digits;
  };
  std::string kind = std::is_integral_v<Number> ? "an integer" : "a number";
  std::string expected = "expected " + kind + " in " + text(low) + " to " + text(high);
  return CLI::Validator(
      [=](std::string &word) {
        Number value{};
        auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
        bool valid = status == std::errc() && end == word.data() + word.size() && value >= low &&
                     value <= high;
        return valid ? "" : expected + ", found '" + word + "'";
      },
      "");
}

/// Prints one line about what went wrong; returns the exit status.
inline int reportFailure(const CLI::App &app, std::string message) {
  for (char &character : message)
    if (character == '\n')
      character = ' ';
  std::cerr << app.get_name() << ": " << message << "\n";
  return 1;
}

/// Parses the command line and calls `body`. Returns the exit status: 0, also after --help, or 1
/// after one line on the standard error that says what is wrong with the options or was thrown.
template <typename Body> int runTool(CLI::App &app, int argc, char **argv, Body body) {
  try {
    app.parse(argc, argv);
    body();
    std::cout.flush();
    return std::cout ? 0 : reportFailure(app, "cannot write to the standard output");
  } catch (const CLI::CallForHelp &help) {
    return app.exit(help);
  } catch (const CLI::Error &error) {
    return reportFailure(app, error.what());
  } catch (const std::bad_alloc &) {
    return reportFailure(app, "there is not enough memory");
  } catch (const std::exception &error) {
    return reportFailure(app, error.what());
  }
}

} // namespace lora
