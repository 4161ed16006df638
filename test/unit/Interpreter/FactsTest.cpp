//===- FactsTest.cpp - Tests of alignment and in_bounds claims ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterFixture.h"

using namespace lora::interpreter;

namespace {

class FactsTest : public InterpreterFixture {
protected:
  /// Loads 4 x 8 elements at (0, `column`) of a view of `rows` x `columns` i32 with a stride of
  /// `stride`, transposed or not, with the facts in `attributes`.
  std::string kernel(int rows, int columns, int stride, int column, const std::string &attributes,
                     bool transposed = false) {
    return R"(tile.kernel @test(%x: !tile.ptr<i32>) grid ["1", "1", "1"] {
      %zero = arith.constant 0 : i32
      %column = arith.constant )" +
           std::to_string(column) + " : i32\n%rows = arith.constant " + std::to_string(rows) +
           " : i32\n%columns = arith.constant " + std::to_string(columns) +
           " : i32\n%V = tile.view %x sizes [%rows, %columns] strides [" + std::to_string(stride) +
           ", 1] : !tile.ptr<i32> -> !tile.view<?x?xi32>\n" +
           (transposed ? "%T = tile.transpose %V : !tile.view<?x?xi32>\n"
                         "%t = tile.load %T[%column, %zero] {" +
                             attributes + "} : !tile.view<?x?xi32> -> tensor<8x4xi32>\n"
                       : "%t = tile.load %V[%zero, %column] {" + attributes +
                             "} : !tile.view<?x?xi32> -> tensor<4x8xi32>\n") +
           "tile.return\n}";
  }

  /// Aligned to 16 bytes.
  uint64_t data() {
    memory = Memory();
    memory.addBuffer(storage, sizeof(storage), "x", false);
    return reinterpret_cast<uint64_t>(storage);
  }

  alignas(16) int32_t storage[256] = {};
};

TEST_F(FactsTest, ClaimsThatHold) {
  expectSuccess(kernel(4, 16, 16, 8, "alignment = 16, in_bounds = array<i1: true, true>"),
                {data()});
  expectSuccess(kernel(4, 12, 16, 8, "alignment = 16, in_bounds = array<i1: true, false>"),
                {data()});
  expectSuccess(kernel(4, 10, 18, 8, "alignment = 8"), {data()});
  expectSuccess(kernel(4, 12, 16, 8, "alignment = 16", true), {data()});
}

TEST_F(FactsTest, OutOfBoundsColumns) {
  expectError("claims to be in bounds in dimension 1, but covers columns 8 to 15 of a view with 12",
              kernel(4, 12, 16, 8, "in_bounds = array<i1: true, true>"), {data()});
}

TEST_F(FactsTest, OutOfBoundsRows) {
  expectError("claims to be in bounds in dimension 0, but covers row 3 of a view with 3",
              kernel(3, 16, 16, 8, "in_bounds = array<i1: true, true>"), {data()});
}

TEST_F(FactsTest, MisalignedRow) {
  expectError("claims an alignment of 16 bytes, but the address at row 1, column 8 is 8 modulo it",
              kernel(4, 16, 18, 8, "alignment = 16"), {data()});
}

TEST_F(FactsTest, MisalignedFirstColumn) {
  expectError("claims an alignment of 16 bytes, but the address at row 0, column 6 is 8 modulo it",
              kernel(4, 16, 16, 6, "alignment = 16"), {data()});
}

TEST_F(FactsTest, MisalignedRowsOfATransposedView) {
  expectError("claims an alignment of 16 bytes, but the address at row 8, column 1 is 8 modulo it",
              kernel(4, 16, 18, 8, "alignment = 16", true), {data()});
}

TEST_F(FactsTest, EdgeCutsAGroup) {
  expectError("but the edge of the view cuts the group of 4 elements from row 0, column 12 on",
              kernel(4, 14, 16, 8, "alignment = 16"), {data()});
  messages.clear();
  expectError("but the edge of the view cuts the group of 4 elements from row 12, column 0 on",
              kernel(4, 14, 16, 8, "alignment = 16", true), {data()});
}

} // namespace
