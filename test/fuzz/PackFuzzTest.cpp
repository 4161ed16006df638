//===- PackFuzzTest.cpp - Packs changed by chance -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a few seconds. LORA_FUZZ_ROUNDS and LORA_FUZZ_SEED make it run longer and elsewhere; a round
// that fails leaves its pack as pack-fuzz-failure.pack in the current folder, to be added to the
// corpus once it is understood.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "PackTarget.h"
#include "lora/Support/Files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

using namespace lora;
using namespace lora::fuzz;

namespace {

std::vector<std::string> readCorpus() {
  std::vector<std::string> paths, packs;
  for (const auto &entry : std::filesystem::directory_iterator(PACK_CORPUS))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths)
    packs.push_back(readFile(path));
  return packs;
}

unsigned long setting(const char *name, unsigned long otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

/// Runs a pack, keeping it if it does what none should.
PackVerdict runAndKeep(const std::string &pack) {
  try {
    return runPack(pack);
  } catch (const std::logic_error &) {
    writeFile("pack-fuzz-failure.pack", pack);
    throw;
  }
}

TEST(PackFuzz, CorpusIsReadOrRefused) {
  size_t launched = 0;
  for (const std::string &pack : readCorpus()) {
    EXPECT_NO_THROW(launched += runPack(pack) == PackVerdict::Launched);
    EXPECT_NO_THROW(runPack(sealPack(pack)));
  }
  EXPECT_GE(launched, 2u);
}

TEST(PackFuzz, ChangedPacksAreReadOrRefused) {
  const std::vector<std::string> corpus = readCorpus();
  Mutator mutator(static_cast<unsigned>(setting("LORA_FUZZ_SEED", 1)),
                  {"\"",
                   "{",
                   "}",
                   "[",
                   "]",
                   ",",
                   ":",
                   "-1",
                   "0",
                   "1e99",
                   "null",
                   "true",
                   "65536",
                   "9223372036854775807",
                   "18446744073709551616",
                   "\"first\"",
                   "\\u0000",
                   " / 0",
                   " % 0",
                   "ceildiv(1, 0)",
                   "tokens * 9223372036854775807",
                   "BLOCK_M",
                   "\"ptr\""});
  unsigned long rounds = setting("LORA_FUZZ_ROUNDS", 40000);
  std::array<size_t, 3> verdicts = {};
  for (unsigned long round = 0; round < rounds; ++round) {
    const std::string &pack = corpus[mutator.below(corpus.size())];
    // Most changes are to the index and get past the checksums.
    size_t index = pack.rfind("{\"versions\"");
    bool seal = index != std::string::npos && !mutator.oneIn(5);
    std::string changed = mutator.mutate(pack, seal ? index : 0);
    if (seal)
      changed = sealPack(changed);
    ASSERT_NO_THROW(++verdicts[static_cast<size_t>(runAndKeep(changed))]) << "round " << round;
  }
  EXPECT_GT(verdicts[static_cast<size_t>(PackVerdict::Refused)], rounds / 10);
  EXPECT_GT(verdicts[static_cast<size_t>(PackVerdict::Launched)], rounds / 50);
}

} // namespace
