//===- DatabaseTest.cpp - Tests of the database ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Database.h"
#include "../ErrorOf.h"

#include "Sqlite.h"
#include "lora/Support/Error.h"
#include "lora/Support/Files.h"
#include "lora/Tuner/DispatchTable.h"
#include "lora/Tuner/Report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace lora;
using namespace lora::tuner;

namespace {

class DatabaseTest : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "tuner-" +
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string &name) const { return folder + "/" + name; }

  static SessionRecord session(const std::string &device = "GPU") {
    SessionRecord record;
    record.device = device;
    record.clock = "gpu";
    return record;
  }

  static TuneProblem problem(int64_t tokens) {
    return TuneProblem::parse("shrink op=shrink x=f16 w=f16 tokens=" + std::to_string(tokens) +
                              " hidden=4096 slices=1 rank=16 adapters=4");
  }

  static KernelRecord kernel(int64_t blockM) {
    KernelRecord record;
    record.artefact = "artefact-" + std::to_string(blockM);
    record.name = "shrink";
    record.target = "sm_90a";
    record.types = "f16/f16";
    record.config = {{"BLOCK_M", blockM}, {"BLOCK_N", 16}};
    return record;
  }

  static void addTime(Database &database, int64_t tokens, int64_t blockM, double us) {
    MeasurementRecord record;
    record.problem = database.problem(problem(tokens));
    record.kernel = database.kernel(kernel(blockM));
    record.us = record.low = record.high = us;
    record.round = "final";
    database.add(record);
  }

  std::string folder;
};

TEST_F(DatabaseTest, KeepsWhatWasMeasured) {
  {
    Database database(path("db"), Database::Mode::Create);
    database.startSession(session());
    addTime(database, 16, 16, 3.5);
    addTime(database, 16, 32, 2.5);
  }
  Database database(path("db"), Database::Mode::ReadOnly);
  TunedTimes times = TunedTimes::read(database);
  ASSERT_EQ(times.points.size(), 1u);
  EXPECT_EQ(times.kernels[*times.points[0].best()].config.at("BLOCK_M"), 32);
  EXPECT_EQ(*database.winner(1), "artefact-32");
}

TEST_F(DatabaseTest, RefusesOtherFilesAndDevices) {
  writeFile(path("text"), "this is no database, and long enough to be looked at as one ........");
  EXPECT_EQ(errorOf([&] { Database(path("text"), Database::Mode::Create); }),
            "database '" + path("text") + "': it is not a tuning database");
  EXPECT_EQ(errorOf([&] { Database(path("none"), Database::Mode::ReadOnly); }),
            "database '" + path("none") + "': it cannot be opened");
  Database database(path("db"), Database::Mode::Create);
  database.startSession(session());
  EXPECT_EQ(errorOf([&] { database.startSession(session("Other GPU")); }),
            "database '" + path("db") +
                "': its times are of device 'GPU': expected 'Other GPU', "
                "or another --db");
}

TEST_F(DatabaseTest, SaysThatAnotherProcessHoldsIt) {
  { Database database(path("db"), Database::Mode::Create); }
  Sqlite holder(path("db"), Sqlite::Mode::ReadWrite);
  Sqlite other(path("db"), Sqlite::Mode::ReadWrite, 10);
  {
    Transaction transaction(holder);
    EXPECT_EQ(errorOf([&] { Transaction second(other); }),
              "database '" + path("db") + "': it is locked by another process");
  }
  EXPECT_EQ(errorOf([&] { Transaction second(other); }), "no error");
}

TEST_F(DatabaseTest, RefusesAnotherSchema) {
  { Database database(path("db"), Database::Mode::Create); }
  std::string command = "sqlite3 " + path("db") + " 'PRAGMA user_version=7' 2>/dev/null";
  if (std::system(command.c_str()) != 0)
    GTEST_SKIP() << "sqlite3 is not there";
  EXPECT_EQ(errorOf([&] { Database(path("db"), Database::Mode::ReadWrite); }),
            "database '" + path("db") + "': schema 7: expected schema 1");
}

TEST_F(DatabaseTest, TwoWritersAndAKilledOne) {
  { Database database(path("db"), Database::Mode::Create); }
  auto writer = [&](int64_t first, bool isKilled) {
    pid_t child = fork();
    if (child != 0)
      return child;
    Database database(path("db"), Database::Mode::ReadWrite);
    database.startSession(session());
    for (int64_t i = 0; i < 50; ++i) {
      addTime(database, first + i, 16, 1);
      if (isKilled && i == 30)
        kill(getpid(), SIGKILL);
    }
    _exit(0);
  };
  pid_t children[] = {writer(1, false), writer(1001, true)};
  for (pid_t child : children)
    waitpid(child, nullptr, 0);
  Database database(path("db"), Database::Mode::ReadOnly);
  EXPECT_EQ(TunedTimes::read(database).points.size(), 50u + 31u);
}

TEST_F(DatabaseTest, MergesOnce) {
  Database database(path("db"), Database::Mode::Create);
  database.startSession(session());
  addTime(database, 16, 16, 3);
  {
    Database other(path("other"), Database::Mode::Create);
    other.startSession(session());
    addTime(other, 16, 32, 2);
    addTime(other, 64, 16, 4);
  }
  EXPECT_EQ(database.merge(path("other")), 2);
  EXPECT_EQ(database.merge(path("other")), 0);
  TunedTimes times = TunedTimes::read(database);
  EXPECT_EQ(times.points.size(), 2u);
  EXPECT_EQ(times.points[0].times.size() + times.points[1].times.size(), 3u);
  {
    Database other(path("foreign"), Database::Mode::Create);
    other.startSession(session("Other GPU"));
  }
  EXPECT_NE(errorOf([&] { database.merge(path("foreign")); }).find("of device 'GPU'"),
            std::string::npos);
}

TEST_F(DatabaseTest, VersionsOfAKernelCountAsOne) {
  Database database(path("db"), Database::Mode::Create);
  database.startSession(session());
  addTime(database, 16, 16, 3);
  addTime(database, 64, 16, 5);
  MeasurementRecord record;
  KernelRecord version = kernel(16);
  version.artefact = "after-a-change";
  record.problem = database.problem(problem(64));
  record.kernel = database.kernel(version);
  record.us = record.low = record.high = 4;
  record.round = "final";
  database.add(record);
  TunedTimes times = TunedTimes::read(database);
  ASSERT_EQ(times.kernels.size(), 1u);
  EXPECT_EQ(times.kernels[0].artefact, "after-a-change");
  ASSERT_EQ(times.points.size(), 2u);
  EXPECT_EQ(times.points[0].times.at(0), 3);
  EXPECT_EQ(times.points[1].times.at(0), 4);
}

TEST_F(DatabaseTest, ReadsAndReports) {
  Database database(path("db"), Database::Mode::Create);
  database.startSession(session());
  EXPECT_NE(errorOf([&] { TunedTimes::read(database); }).find("it has no measurement"),
            std::string::npos);
  addTime(database, 16, 16, 3);
  addTime(database, 16, 32, 3.3);
  addTime(database, 16, 16, 2.9);
  std::string text = explainProblems(database, {"tokens=16 "});
  EXPECT_NE(text.find("best: BLOCK_M=16 BLOCK_N=16"), std::string::npos) << text;
  EXPECT_NE(text.find("runner-up, 1.138 times as long"), std::string::npos) << text;
  EXPECT_EQ(pruneDatabase(database), "removed 1 measurements, 0 kernels and 0 failures\n");
  EXPECT_EQ(errorOf([&] { explainProblems(database, {"tokens=17 "}); }),
            "no problem of the database matches 'tokens=17 ': show lists them; for other sizes "
            "expected a whole key as it lists them");
}

TEST_F(DatabaseTest, RulesGeneralise) {
  Database database(path("db"), Database::Mode::Create);
  database.startSession(session());
  // Blocks of 16 rows win up to 64 tokens, of 32 from 256 on.
  for (int64_t tokens : {1, 16, 64, 256, 1024}) {
    addTime(database, tokens, 16, tokens <= 64 ? 1 : 2);
    addTime(database, tokens, 32, tokens <= 64 ? 2 : 1);
  }
  TunedTimes times = TunedTimes::read(database);
  DispatchTable table = DispatchTable::build(times, {});
  ASSERT_EQ(table.rules.size(), 2u);
  EXPECT_EQ(table.rules[0].tokens.high, 128);
  EXPECT_EQ(table.rules[1].tokens.low, 129);
  EXPECT_EQ(table.rules[1].tokens.high, PackRange().high);
  EXPECT_EQ(table.worstLoss, 0);
  std::string list = packList(times, table, {"bf16/bf16"});
  EXPECT_EQ(list,
            packList(TunedTimes::read(database), DispatchTable::build(times, {}), {"bf16/bf16"}));
  EXPECT_NE(list.find(R"("types":["f16/f16","bf16/bf16"])"), std::string::npos);
  // With enough tolerance one kernel serves all.
  DispatchOptions tolerant;
  tolerant.tolerance = 20;
  EXPECT_EQ(DispatchTable::build(times, tolerant).rules.size(), 1u);
}

TEST_F(DatabaseTest, WhatWasNotMeasuredIsNoLoss) {
  Database database(path("db"), Database::Mode::Create);
  database.startSession(session());
  // Two problems with the same sizes for the dispatch, and no kernel that both were measured with.
  auto add = [&](const std::string &widths, int blockM) {
    MeasurementRecord time;
    KernelRecord record = kernel(blockM);
    record.name = "expand";
    time.problem = database.problem(TuneProblem::parse(
        "expand op=expand x=f16 w=f16 tokens=16 widths=" + widths + " rank=16 adapters=4"));
    time.kernel = database.kernel(record);
    time.us = 1;
    database.add(time);
  };
  add("64,32", 16);
  add("64,64", 32);
  DispatchTable table = DispatchTable::build(TunedTimes::read(database), {});
  EXPECT_EQ(table.rules.size(), 1u);
  EXPECT_EQ(table.points, 2u);
  EXPECT_EQ(table.unknown, 1u);
  EXPECT_EQ(table.worstLoss, 0);
  EXPECT_NEAR(table.meanLoss, std::sqrt(1.3) - 1, 1e-9);
}

TEST_F(DatabaseTest, TwoLaunchesWinWhereTheyAreFaster) {
  Database database(path("db"), Database::Mode::Create);
  database.startSession(session());
  auto add = [&](const std::string &op, const std::string &sizes, double us) {
    KernelRecord record = kernel(16);
    record.artefact = record.name = op;
    MeasurementRecord time;
    time.problem = database.problem(
        TuneProblem::parse(op + " op=" + op + " x=f16 w=f16 " + sizes + " rank=16 adapters=4"));
    time.kernel = database.kernel(record);
    time.us = us;
    database.add(time);
  };
  for (int tokens : {16, 1024}) {
    std::string count = "tokens=" + std::to_string(tokens);
    add("shrink", count + " hidden=64 slices=1", 1);
    add("expand", count + " widths=32", 1);
    add("shrink_expand", count + " hidden=64 widths=32", tokens == 16 ? 1.5 : 3);
  }
  TunedTimes times = TunedTimes::read(database);
  std::vector<TunedRule> pairs;
  for (const TunedRule &rule : DispatchTable::build(times, {}).rules)
    if (times.kernels[rule.kernel].name == "shrink_expand")
      pairs.push_back(rule);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_FALSE(pairs[0].twoLaunches);
  EXPECT_EQ(pairs[0].tokens.high, 128);
  EXPECT_TRUE(pairs[1].twoLaunches);
  EXPECT_NE(packList(times, DispatchTable::build(times, {}), {}).find("\"two_launches\":true"),
            std::string::npos);
}

} // namespace
