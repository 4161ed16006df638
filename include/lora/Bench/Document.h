//===- Document.h - Results of a benchmark --------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Bench/Case.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lora {

/// A time of an op by an implementation, or why there is none.
struct BenchResult {
  BenchOp op = BenchOp::Shrink;
  /// "lora-tile" is one launch for each op, lora_shrink_expand for a pair; "-pdl" is with
  /// programmatic dependent launch; "-two" is a pair of two launches; "cublas" serves one adapter.
  std::string impl;
  /// Median, first and third quartile of the replays, in microseconds of a call.
  double us = 0, low = 0, high = 0;
  /// The configuration of each kernel that ran.
  std::string config;
  /// ||out - ref|| / ||ref|| against float64, if that was looked at.
  std::optional<double> error;
  /// Why there is no time; empty if there is one.
  std::string failed;
};

/// The results of a case.
nlohmann::ordered_json rowJson(const BenchCase &one, std::span<const BenchResult> results);

/// A document without rows, in the format of lora_tile.bench:
///
///   format                 1
///   date, device, versions, method
///   copy_bytes_per_second  of a large copy on the device, bytes read plus bytes written
///   rows                   one for each case: key, case, bytes and flops by op, and results, whose
///                          fields are those of BenchResult
nlohmann::ordered_json emptyDocument();

/// Reads a document of lora-bench or lora_tile.bench. Throws Error if the file does not hold one.
nlohmann::ordered_json loadDocument(const std::string &path);

/// The text of the file.
std::string documentText(const nlohmann::ordered_json &document);

/// The aligned table of all rows, times in microseconds; columns that would be empty are left out.
std::string documentTable(const nlohmann::ordered_json &document);

/// One line for each result, after one with the names of the columns.
std::string documentCsv(const nlohmann::ordered_json &document);

/// E.g. "3.14", "-" without a value.
std::string microsecondsText(std::optional<double> value);

/// Lines of cells, right-aligned in columns, the last one too if `alignLast`.
std::string alignedTable(std::span<const std::vector<std::string>> lines, bool alignLast = false);

} // namespace lora
