//===- Database.h - What tuning has found out -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Dispatch/DefaultConfig.h"
#include "lora/Tuner/Problem.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lora::tuner {

class Sqlite;

/// A run of the tuner.
struct SessionRecord {
  std::string command, shard = "0/1", host;
  /// What was measured on, e.g. "NVIDIA H200 sm_90a", and its driver and clocks.
  std::string device, driver, clocks;
  /// What the numbers are: "gpu" for microseconds on a GPU, "model" for estimates.
  std::string clock;
  std::string version;
  uint64_t seed = 0;
};

/// A compiled configuration.
struct KernelRecord {
  /// The hash of all that went into the code.
  std::string artefact;
  std::string name, source, target;
  /// E.g. "f16/f16".
  std::string types;
  Config config;
  int64_t registers = 0, spillBytes = 0, sharedBytes = 0, threads = 0;
  std::string versions;
};

struct MeasurementRecord {
  int64_t problem = 0, kernel = 0;
  /// "screen" while searching, "final" for those that were measured longer, on fresh inputs.
  std::string round = "screen";
  /// Median and quartiles, in the unit of the session's clock.
  double us = 0, low = 0, high = 0;
  int64_t samples = 0;
  /// ||out - ref|| / ||ref|| over the rows that were checked.
  double error = 0;
  uint64_t seed = 0;
};

struct FailureRecord {
  std::optional<int64_t> problem;
  /// "compile", "resources", "launch" or "wrong".
  std::string stage;
  /// The artefact hash of the configuration.
  std::string artefact;
  std::string kernel, config, reason;
  /// A command that shows the failure.
  std::string command;
};

struct SearchRecord {
  int64_t problem = 0;
  /// "guided" or "exhaustive", and the hash of the candidates and the seed.
  std::string strategy, candidatesHash;
  int64_t candidates = 0, measured = 0;
  std::string stop;
};

/// The file of a tuning run. Every function writes wholly or not at all, also when the process is
/// killed; other processes may write at the same time. Throws Error with the file and the reason.
class Database {
public:
  enum class Mode { Create, ReadWrite, ReadOnly };
  static constexpr int kSchema = 1;

  Database(const std::string &path, Mode mode);
  ~Database();
  Database(Database &&) noexcept;

  /// Also makes sure that all times of the file are of one device and one clock.
  void startSession(const SessionRecord &session);

  int64_t problem(const TuneProblem &problem);
  int64_t kernel(const KernelRecord &kernel);
  void add(const MeasurementRecord &measurement);
  void add(const FailureRecord &failure);
  void add(const SearchRecord &search);
  void setPruned(int64_t problem, const std::string &source, size_t allowed,
                 const std::map<std::string, size_t> &reasons);

  /// Which kernel has the configuration that is used where nothing was tuned.
  void setDefault(int64_t problem, const std::string &artefact);

  /// Whether there is a finished search, among these candidates if they are given.
  bool hasSearch(int64_t problem, const std::string &strategy,
                 const std::optional<std::string> &candidatesHash);
  /// The last screening time of each kernel for a problem, by artefact hash; nothing for one that
  /// failed.
  std::map<std::string, std::optional<double>> known(int64_t problem);

  using Failures = std::vector<FailureRecord>;
  /// Those of compiling, which belong to no problem.
  Failures failures();
  /// The artefact of the fastest kernel of the final round for a problem, or nothing.
  std::optional<std::string> winner(int64_t problem);

  /// Adds all that another file has and this one has not. Throws Error if it is of another schema,
  /// device or clock. Returns the number of measurements that were added.
  int64_t merge(const std::string &path);

  /// For queries.
  Sqlite &sqlite() { return *database; }

  /// A value of the table meta: "device", "clock", or nothing.
  std::optional<std::string> meta(const std::string &key);

private:
  void create();
  void checkSchema();

  std::unique_ptr<Sqlite> database;
  int64_t session = 0;
  int64_t records = 0;
};

/// "BLOCK_K=64 BLOCK_M=16", and back. Throws Error with the text.
Config parseConfig(const std::string &text);

} // namespace lora::tuner
