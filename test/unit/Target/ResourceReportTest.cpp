//===- ResourceReportTest.cpp - Tests of reading what ptxas reports -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Support/Error.h"
#include "lora/Target/Ptxas.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

// What ptxas 13.0 printed for sm_86.
constexpr const char *kPlain = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'shrink' for 'sm_86'
ptxas info    : Function properties for shrink
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 128 registers, used 1 barriers, 480 bytes cmem[0]
ptxas info    : Compile time = 29.194 ms
)";

// The same for sm_90a and a kernel that does not fit in registers.
constexpr const char *kSpilling = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'expand' for 'sm_90a'
ptxas info    : Function properties for expand
    4088 bytes stack frame, 15820 bytes spill stores, 14820 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 4088 bytes cumulative stack size
ptxas info    : Compile time = 272.979 ms
)";

std::string errorOf(std::string_view text) {
  try {
    parseResourceReport(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(ResourceReportTest, ReadsRegisters) {
  ResourceReport report = parseResourceReport(kPlain);
  EXPECT_EQ(report.registers, 128u);
  EXPECT_EQ(report.stackBytes, 0u);
  EXPECT_EQ(report.spillStoreBytes, 0u);
  EXPECT_EQ(report.spillLoadBytes, 0u);
}

TEST(ResourceReportTest, ReadsSpills) {
  ResourceReport report = parseResourceReport(kSpilling);
  EXPECT_EQ(report.registers, 32u);
  EXPECT_EQ(report.stackBytes, 4088u);
  EXPECT_EQ(report.spillStoreBytes, 15820u);
  EXPECT_EQ(report.spillLoadBytes, 14820u);
}

TEST(ResourceReportTest, PassesOverWarnings) {
  EXPECT_EQ(
      parseResourceReport("ptxas warning : Unresolved extern variable 'x'\n" + std::string(kPlain))
          .registers,
      128u);
}

TEST(ResourceReportTest, SaysWhatIsMissing) {
  EXPECT_EQ(errorOf(""), "ptxas -v: expected 'Used N registers', got: no message");
  EXPECT_EQ(errorOf("\nptxas info    : 0 bytes gmem\n"),
            "ptxas -v: expected 'Used N registers', got: ptxas info    : 0 bytes gmem");
  EXPECT_EQ(errorOf("Used 20 registers"),
            "ptxas -v: expected 'N bytes stack frame', got: Used 20 registers");
  EXPECT_EQ(errorOf("Used many registers, 0 bytes stack frame"),
            "ptxas -v: expected 'Used N registers', got: Used many registers, 0 bytes stack "
            "frame");
}

TEST(ResourceReportTest, RefusesNumbersBeyondTheirType) {
  std::string text = kPlain;
  text.replace(text.find("128"), 3, "99999999999999999999");
  EXPECT_EQ(errorOf(text),
            "ptxas -v: expected 'Used N registers', got: ptxas info    : 0 bytes gmem");
}

} // namespace
