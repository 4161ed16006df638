//===- Report.cpp - The page about runs -----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "lora/Support/Error.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

using namespace lora;

/// Runs a program and returns its exit status; with `silent`, without its output.
static int run(std::vector<std::string> command, bool silent) {
  std::vector<char *> arguments;
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (silent)
    for (int descriptor : {1, 2})
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  int problem =
      posix_spawnp(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem)
    throw Error("report: cannot run " + command.front() + ": " + std::strerror(problem) +
                ": expected Python 3.10 or later, or its path in LORA_PYTHON");
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int lora::makeReport(const std::vector<std::string> &files, const std::string &output,
                     bool noPlots) {
  const char *named = std::getenv("LORA_PYTHON");
  std::string python = named && *named ? named : "python3";
  if (run({python, "-c", "import lora_tile.bench"}, true) != 0)
    throw Error("report: " + python +
                " finds no package lora_tile: expected it installed, or its "
                "folder in PYTHONPATH (see docs/benchmark.md)");
  std::vector<std::string> command = {python, "-m", "lora_tile.bench", "report", "-o", output};
  if (noPlots)
    command.push_back("--no-plots");
  command.push_back("--");
  command.insert(command.end(), files.begin(), files.end());
  return run(command, false);
}
