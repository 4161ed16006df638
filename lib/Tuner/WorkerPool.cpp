//===- WorkerPool.cpp - Work in child processes that may be killed --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"

#include "lora/Support/Error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lora;
using namespace lora::tuner;

using Clock = std::chrono::steady_clock;

namespace {

/// A child in a process group of its own, which dies with it.
class Child {
public:
  explicit Child(const std::vector<std::string> &command) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0)
      throw Error(std::string("cannot create a pipe: ") + std::strerror(errno));
    std::vector<char *> arguments;
    for (const std::string &word : command)
      arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    process = fork();
    if (process == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    in = input[1];
    out = output[0];
    if (process < 0)
      throw Error(std::string("cannot start a process: ") + std::strerror(errno));
    // Here as well, so that a kill right away reaches the group.
    setpgid(process, process);
  }
  ~Child() {
    stop();
    close(in);
    close(out);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// Kills the child and what it started; returns how it ended, as waitpid does.
  int stop() {
    if (process <= 0)
      return status;
    kill(-process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
      ;
    process = 0;
    return status;
  }

  /// Waits for a child that has closed its output; returns how it ended.
  int wait() {
    for (int i = 0; i < 100 && process > 0; ++i) {
      pid_t ended = waitpid(process, &status, WNOHANG);
      if (ended == process) {
        // What it has started may still run.
        kill(-process, SIGKILL);
        process = 0;
        return status;
      }
      usleep(10000);
    }
    return stop();
  }

  bool send(const std::string &line) {
    std::string text = line + "\n";
    size_t sent = 0;
    while (sent < text.size()) {
      ssize_t count = write(in, text.data() + sent, text.size() - sent);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      sent += static_cast<size_t>(count);
    }
    return true;
  }

  /// Reads what there is; false at the end of the output.
  bool receive() {
    char bytes[4096];
    ssize_t count = read(out, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR)
      return true;
    if (count <= 0)
      return false;
    received.append(bytes, static_cast<size_t>(count));
    return true;
  }

  int in = -1, out = -1;
  std::string received;
  static constexpr size_t idle = size_t(-1);
  size_t job = idle;
  Clock::time_point deadline;

private:
  pid_t process = 0;
  int status = 0;
};

std::string endText(int status) {
  if (WIFSIGNALED(status))
    return "the process died of signal " + std::to_string(WTERMSIG(status));
  return "the process ended with status " + std::to_string(WEXITSTATUS(status));
}

/// A child that has died must not kill this process when it is written to.
class IgnorePipeSignal {
public:
  IgnorePipeSignal() : before(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnorePipeSignal() { std::signal(SIGPIPE, before); }

private:
  void (*before)(int);
};

} // namespace

bool WorkerPool::run(const std::vector<std::string> &jobs,
                     const std::function<void(size_t, const Answer &)> &done) const {
  IgnorePipeSignal ignore;
  std::vector<std::unique_ptr<Child>> children;
  size_t next = 0, finished = 0;
  auto start = [&](std::unique_ptr<Child> &child) {
    if (next == jobs.size())
      return;
    if (!child)
      child = std::make_unique<Child>(command);
    child->job = next++;
    child->deadline = Clock::now() + limit;
    // If this fails, the end of the output tells more.
    child->send(jobs[child->job]);
  };
  auto answer = [&](std::unique_ptr<Child> &child, const Answer &what) {
    size_t job = child->job;
    child->job = Child::idle;
    ++finished;
    if (!what.failure.empty())
      child.reset();
    done(job, what);
    start(child);
  };
  children.resize(std::min(workers, jobs.size()));
  for (std::unique_ptr<Child> &child : children)
    start(child);
  while (finished < jobs.size()) {
    if (interrupt && interrupt->load())
      return false;
    std::vector<pollfd> polls;
    for (const std::unique_ptr<Child> &child : children)
      polls.push_back({child ? child->out : -1, POLLIN, 0});
    poll(polls.data(), polls.size(), 100);
    for (size_t i = 0; i < children.size(); ++i) {
      std::unique_ptr<Child> &child = children[i];
      if (!child || child->job == Child::idle)
        continue;
      if (polls[i].revents != 0 && !child->receive()) {
        answer(child, {"", endText(child->wait())});
        continue;
      }
      size_t end = child->received.find('\n');
      if (end != std::string::npos) {
        std::string line = child->received.substr(0, end);
        child->received.erase(0, end + 1);
        answer(child, {line, ""});
      } else if (Clock::now() > child->deadline) {
        child->stop();
        answer(child, {"", "it took longer than " + std::to_string(limit.count()) + " s"});
      }
    }
  }
  return true;
}
