//===- AccessFaultTest.cpp - Accesses that are wrong by themselves --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

namespace lora::emulator {
namespace {

using AccessFaultTest = KernelTest;

TEST_F(AccessFaultTest, OutsideEveryBuffer) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %tid, %q : i32, !llvm.ptr<1>)"},
                                   {}, 31);
  expectHolds(error, {"simt.store at kernel.mlir:3:5, block (0, 0, 0), thread 31: 4 bytes at 0x",
                      "are outside every buffer: byte 124 of 'p', which has 124 bytes"});
}

TEST_F(AccessFaultTest, PartlyOutside) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %v = simt.load %q : !llvm.ptr<1> -> vector<4xi32>)"},
                                   {}, 127);
  expectHolds(error, {"thread 31: 16 bytes at ", "byte 496 of 'p', which has 508 bytes"});
}

TEST_F(AccessFaultTest, NullPointer) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %null = llvm.mlir.zero : !llvm.ptr<1>
    %v = simt.load %null : !llvm.ptr<1> -> i32)"});
  expectHolds(error, {"simt.load at kernel.mlir:3:10, block (0, 0, 0), thread ",
                      "4 bytes at 0x0 are outside every buffer"});
}

TEST_F(AccessFaultTest, OutsideSharedMemory) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>",
                                    .body = R"(
    %s = simt.shared 64
    %q = llvm.getelementptr inbounds %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.store %tid, %q : i32, !llvm.ptr<3>)",
                                    .sharedBytes = 128});
  expectHolds(error, {"simt.store at kernel.mlir:4:5, block (0, 0, 0), thread ", "4 bytes at byte ",
                      "of shared memory, which has 128 bytes"});
}

TEST_F(AccessFaultTest, Misaligned) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = simt.load %q : !llvm.ptr<1> -> vector<2xi32>)"});
  expectHolds(error, {"simt.load at kernel.mlir:3:10, block (0, 0, 0), thread ",
                      "misaligned: an access of 8 bytes at 0x"});
}

TEST_F(AccessFaultTest, WritesReadOnlyBuffer) {
  ASSERT_EQ(compile(text({.arguments = "%p: !llvm.ptr<1>",
                          .body = "\n simt.store %tid, %p : i32, !llvm.ptr<1>"})),
            "");
  std::vector<int32_t> weights(32);
  input(weights, "weights");
  expectHolds(run({weights.data()}), {"simt.store at kernel.mlir:2:2, block (0, 0, 0), thread ",
                                      "writes to 'weights', which is read-only"});
}

TEST_F(AccessFaultTest, ReadsWhatNobodyWrote) {
  ASSERT_EQ(compile(text({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %c1 = arith.constant 1 : i16
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %c1, %q : i16, !llvm.ptr<1>
    %half = simt.load %q : !llvm.ptr<1> -> i16
    %v = simt.load %q : !llvm.ptr<1> -> i32)"})),
            "");
  std::vector<int32_t> y(32);
  output(y, "y");
  expectHolds(run({y.data()}), {"simt.load at kernel.mlir:6:10, block (0, 0, 0), thread ",
                                "reads bytes that nobody has written"});
}

TEST_F(AccessFaultTest, ReadsFreshSharedMemory) {
  // The second block must not see what the first one left.
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>",
                                    .body = R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %block, %c0 : i32
    %s = simt.shared 0
    %q = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.store %tid, %q if %first : i32, !llvm.ptr<3>
    %v = simt.load %q : !llvm.ptr<3> -> i32)",
                                    .sharedBytes = 128},
                                   {.grid = {2, 1, 1}, .threads = 1});
  expectHolds(error, {"simt.load at kernel.mlir:8:10, block (1, 0, 0)",
                      "reads bytes that nobody has written"});
}

TEST_F(AccessFaultTest, ReadOnlyLoadAfterWrite) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %tid, %q : i32, !llvm.ptr<1>
    %v = simt.load %q {hint = 1 : i32} : !llvm.ptr<1> -> i32)"});
  expectHolds(error, {"simt.load at kernel.mlir:4:10", "read-only load of bytes that this launch "
                                                       "writes, by simt.store at kernel.mlir:3:5"});
}

TEST_F(AccessFaultTest, WriteAfterReadOnlyLoad) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = simt.load %q {hint = 2 : i32} : !llvm.ptr<1> -> i32
    simt.store %tid, %q : i32, !llvm.ptr<1>)"});
  expectHolds(error, {"simt.store at kernel.mlir:4:5",
                      "writes bytes that are promised to be read-only by simt.load at "
                      "kernel.mlir:3:10"});
}

TEST_F(AccessFaultTest, DivisionByZero) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %v = simt.load %p : !llvm.ptr<1> -> i32
    %r = arith.remui %tid, %v : i32)"});
  expectHolds(error, {"arith.remui at kernel.mlir:3:10", "integer division by zero"});
}

TEST_F(AccessFaultTest, DivisionThatOverflows) {
  const std::string error = tryRun({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %v = simt.load %p : !llvm.ptr<1> -> i32
    %c1 = arith.constant 1 : i32
    %minus = arith.subi %v, %c1 : i32
    %c31 = arith.constant 31 : i32
    %low = arith.shli %minus, %c31 : i32
    %a = vector.broadcast %low : i32 to vector<2xi32>
    %b = vector.broadcast %minus : i32 to vector<2xi32>
    %r = arith.divsi %a, %b : vector<2xi32>)"});
  expectHolds(error, {"arith.divsi", "the quotient -2147483648 / -1 overflows"});
}

} // namespace
} // namespace lora::emulator
