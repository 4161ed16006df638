//===- CheckTest.cpp - Tests of the comparison -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include <gtest/gtest.h>

using namespace lora::differential;

TEST(Check, PassesWhatIsRight) {
  EXPECT_EQ(check(parseCase("op=shrink mapping=0,-1,0 again.extra=0 again.WARPS_K=1 "
                            "again.BLOCK_M=64 again.x-gap=8")),
            "");
  EXPECT_EQ(check(parseCase("op=expand mapping=0,-1 again.extra= again.BLOCK_N=256")), "");
}

TEST(Check, ComparesBits) {
  // The two depths of a dot add the same products in different orders.
  std::string message =
      check(parseCase("op=expand ranks=16 widths=512 mapping=0x8 add=0 BLOCK_K=16 "
                      "again.BLOCK_K=32 again.MAX_RANK=32 again.extra="));
  EXPECT_NE(message.find("the second launch gives other bits"), std::string::npos) << message;
}

/// Random cases rarely have leaves of the tree of one and of two blocks, so that the second of two
/// blocks under way is missing at the end.
TEST(Check, OddNumbersOfBlocksUnderWay) {
  for (const char *launch : {"hidden=384", "hidden=640", "hidden=1408 WARPS=2 WARPS_K=2"})
    EXPECT_EQ(check(parseCase(std::string("op=shrink ranks=16 widths=1 mapping=0x9 STAGES=2 RING=0 "
                                          "BLOCK_K=128 WARPS=1 WARPS_K=1 ") +
                              launch)),
              "")
        << launch;
}

TEST(Check, ReportsWhatDoesNotRun) {
  std::string message = check(parseCase("op=shrink STAGES=3 hidden=7 x-gap=1 a-gap=1"));
  EXPECT_NE(message.find("interpreter: kernel 'shrink': assumption"), std::string::npos) << message;
}
