//===- CrashReport.cpp - Which case brought the process down ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashReport.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lora;
using namespace lora::differential;

using Notes = std::array<std::array<char, 4096>, kMostWorkers>;

/// Shared by both processes. A signal handler would not do, since a thread that has overrun its
/// stack cannot run one.
static Notes *notes = nullptr;

void lora::differential::noteRunning(unsigned worker, const std::string &test) {
  if (!notes)
    return;
  std::array<char, 4096> &place = (*notes)[worker];
  size_t length = std::min(test.size(), place.size() - 1);
  std::memcpy(place.data(), test.data(), length);
  place[length] = '\0';
}

static int report(int status) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  std::fprintf(stderr, "lora-differential: died of signal %d (%s) while it ran\n", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
  for (const std::array<char, 4096> &test : *notes)
    if (test[0] != '\0')
      std::fprintf(stderr, "  lora-differential --case '%s'\n", test.data());
  return 1;
}

int lora::differential::runWatched(const std::function<int()> &body) {
  void *memory =
      mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(std::string("cannot map memory: ") + std::strerror(errno));
  notes = static_cast<Notes *>(memory);
  pid_t child = fork();
  if (child < 0)
    throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int status = body();
    std::fflush(nullptr);
    std::_Exit(status);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return report(status);
}
