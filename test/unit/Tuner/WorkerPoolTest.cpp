//===- WorkerPoolTest.cpp - Tests of child processes ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"

#include <gtest/gtest.h>

#include <set>

using namespace lora::tuner;

namespace {

/// Answers with the job, unless the job is to hang or to die.
WorkerPool pool() {
  WorkerPool pool;
  pool.command = {"/bin/sh", "-c",
                  "while read job; do case $job in hang) sleep 100;; die) kill -9 $$;; *) echo "
                  "done $job;; esac; done"};
  pool.workers = 2;
  pool.limit = std::chrono::seconds(1);
  return pool;
}

TEST(WorkerPool, AnswersEveryJob) {
  std::vector<std::string> jobs;
  for (int i = 0; i < 50; ++i)
    jobs.push_back(std::to_string(i));
  std::set<size_t> seen;
  EXPECT_TRUE(pool().run(jobs, [&](size_t job, const WorkerPool::Answer &answer) {
    EXPECT_EQ(answer.line, "done " + jobs[job]);
    seen.insert(job);
  }));
  EXPECT_EQ(seen.size(), jobs.size());
}

TEST(WorkerPool, AHangOrADeathCostsOneJob) {
  std::vector<std::string> failures(6);
  std::vector<std::string> jobs = {"1", "hang", "2", "die", "3", "4"};
  EXPECT_TRUE(pool().run(
      jobs, [&](size_t job, const WorkerPool::Answer &answer) { failures[job] = answer.failure; }));
  EXPECT_EQ(failures, (std::vector<std::string>{"", "it took longer than 1 s", "",
                                                "the process died of signal 9", "", ""}));
}

TEST(WorkerPool, NoProgramIsAFailureOfEachJob) {
  WorkerPool none = pool();
  none.command = {"/no/such/program"};
  none.run({"a", "b"}, [](size_t, const WorkerPool::Answer &answer) {
    EXPECT_EQ(answer.failure, "the process ended with status 127");
  });
}

TEST(WorkerPool, AnInterruptEndsIt) {
  std::atomic<bool> interrupt = true;
  WorkerPool stopped = pool();
  stopped.interrupt = &interrupt;
  EXPECT_FALSE(stopped.run({"hang"}, [](size_t, const WorkerPool::Answer &) {}));
}

} // namespace
