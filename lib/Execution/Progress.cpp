//===- Progress.cpp - How far a long run is -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <chrono>
#include <cstdio>

using namespace lora;

Progress::Progress(std::string what, uint64_t blocks)
    : what(std::move(what)), blocks(blocks), printer([this] { print(); }) {}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  ends.notify_one();
  printer.join();
}

void Progress::print() {
  auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex);
  for (std::chrono::seconds wait(5); !ends.wait_for(lock, wait, [this] { return isOver; });
       wait = std::chrono::seconds(10)) {
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    std::fprintf(stderr, "%s: emulated %llu of %llu blocks in %.0f s\n", what.c_str(),
                 static_cast<unsigned long long>(finished.load()),
                 static_cast<unsigned long long>(blocks), passed.count());
  }
}
