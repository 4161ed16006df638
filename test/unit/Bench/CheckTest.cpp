//===- CheckTest.cpp - Tests of the check of kernels ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Check.h"

#include "lora/Problem/Reference.h"

#include <gtest/gtest.h>

#include <functional>

using namespace lora;

namespace {

BenchCase smallCase() {
  BenchCase one;
  one.ops = {BenchOp::Shrink, BenchOp::Expand, BenchOp::Pair};
  one.batch = 10;
  one.hidden = 64;
  one.widths = {24, 8};
  one.rank = 4;
  one.numLoras = 3;
  one.active = 2;
  one.noLoraFraction = 0.2;
  one.offset = 8;
  return one;
}

lora_context_options contextOptions() {
  auto options = sized<lora_context_options>();
  options.device = 0;
  return options;
}

/// A case on the emulated device, whose memory is that of the host, with kernels in plain C++.
class Check : public testing::Test {
protected:
  explicit Check(BenchCase shape = smallCase())
      : one(std::move(shape)), arguments(one, patterns, {2, 1 << 20}, 7, runtime, stream),
        checker(arguments, stream) {}

  template <typename T> T *at(const std::string &name) {
    return reinterpret_cast<T *>(arguments.pool().address(0, name));
  }

  double element(const std::string &name, int64_t index) {
    return loadElement(DType::F16, at<void>(name), index);
  }

  /// Calls with the token and its slot, for each token that has an adapter.
  void forTokens(const std::function<void(int64_t, int64_t)> &body) {
    for (int64_t token = 0; token < one.tokens(); ++token)
      if (int32_t slot = arguments.tokenLora()[static_cast<size_t>(token)]; slot >= 0)
        body(token, slot);
  }

  void shrink() {
    forTokens([&](int64_t token, int64_t slot) {
      for (int64_t slice = 0; slice < one.slices(); ++slice)
        for (int64_t r = 0; r < one.rank; ++r) {
          double sum = 0;
          for (int64_t k = 0; k < one.hidden; ++k)
            sum += element("x", token * one.hidden + k) *
                   element(BenchArguments::nameOfA(slice), (slot * one.rank + r) * one.hidden + k);
          at<float>("s_out")[(slice * one.tokens() + token) * one.rank + r] =
              static_cast<float>(benchScaling * sum);
        }
    });
  }

  void expand(const std::string &sums) {
    forTokens([&](int64_t token, int64_t slot) {
      int64_t column = one.offset;
      for (int64_t slice = 0; slice < one.slices(); ++slice)
        for (int64_t n = 0; n < one.widths[static_cast<size_t>(slice)]; ++n, ++column) {
          int64_t row = slot * one.widths[static_cast<size_t>(slice)] + n;
          double sum = 0;
          for (int64_t r = 0; r < one.rank; ++r)
            sum += at<float>(sums)[(slice * one.tokens() + token) * one.rank + r] *
                   element(BenchArguments::nameOfB(slice), row * one.rank + r);
          int64_t place = token * one.yWidth() + column;
          double before = one.addInputs ? element("y", place) : 0;
          storeElement(DType::F16, at<void>("y"), place, static_cast<float>(before + sum));
        }
    });
  }

  std::string problem(BenchOp op, const std::function<void()> &kernel) {
    return checker.check(op, [&](Stream &) { kernel(); }).problem;
  }

  int64_t tokenWith(bool adapter) {
    int64_t token = 0;
    while ((arguments.tokenLora()[static_cast<size_t>(token)] >= 0) != adapter)
      ++token;
    return token;
  }

  BenchCase one;
  Device device;
  Stream stream{device};
  RuntimeContext runtime{contextOptions()};
  BenchPatterns patterns{DType::F16, 1};
  BenchArguments arguments;
  BenchCheck checker;
};

struct Overwriting : Check {
  static BenchCase shape() {
    BenchCase one = smallCase();
    one.addInputs = false;
    return one;
  }
  Overwriting() : Check(shape()) {}
};

TEST_F(Check, RightResults) {
  EXPECT_EQ(problem(BenchOp::Shrink, [&] { shrink(); }), "");
  EXPECT_EQ(problem(BenchOp::Expand, [&] { expand("s_in"); }), "");
  auto both = [&] {
    shrink();
    expand("s_out");
  };
  EXPECT_EQ(problem(BenchOp::Pair, both), "");
  CheckResult found = checker.check(BenchOp::Pair, [&](Stream &) { both(); });
  EXPECT_GT(found.error, 0);
  EXPECT_LT(found.error, 1e-3);
}

TEST_F(Overwriting, RightResults) {
  EXPECT_EQ(problem(BenchOp::Expand, [&] { expand("s_in"); }), "");
  EXPECT_TRUE(
      problem(BenchOp::Expand, [] {}).starts_with("not written or not finite: y of token "));
}

TEST_F(Check, NothingWritten) {
  EXPECT_TRUE(
      problem(BenchOp::Shrink, [] {}).starts_with("not written or not finite: s of token "));
  EXPECT_TRUE(problem(BenchOp::Expand, [] {}).starts_with("error 0."));
}

TEST_F(Check, AnotherS) {
  EXPECT_TRUE(problem(BenchOp::Pair, [&] { expand("s_in"); }).starts_with("error "));
}

TEST_F(Check, RowWithoutAdapter) {
  std::string token = std::to_string(tokenWith(false));
  EXPECT_EQ(problem(BenchOp::Shrink,
                    [&] {
                      shrink();
                      at<float>("s_out")[tokenWith(false) * one.rank] = 0;
                    }),
            "written without an adapter: s of token " + token);
  EXPECT_EQ(problem(BenchOp::Expand,
                    [&] {
                      expand("s_in");
                      at<uint16_t>("y")[tokenWith(false) * one.yWidth() + one.offset] ^= 1;
                    }),
            "written without an adapter: y of token " + token);
}

TEST_F(Check, ColumnOutsideOfTheSlices) {
  EXPECT_EQ(problem(BenchOp::Expand,
                    [&] {
                      expand("s_in");
                      at<uint16_t>("y")[tokenWith(true) * one.yWidth()] ^= 1;
                    }),
            "written outside of the slices: y of token " + std::to_string(tokenWith(true)));
}

TEST_F(Check, OneElementThatIsNotFinite) {
  EXPECT_EQ(problem(BenchOp::Expand,
                    [&] {
                      expand("s_in");
                      at<uint16_t>("y")[tokenWith(true) * one.yWidth() + one.offset + 3] = 0x7c00;
                    }),
            "not written or not finite: y of token " + std::to_string(tokenWith(true)));
}

TEST_F(Check, OneRowIsWrong) {
  EXPECT_TRUE(problem(BenchOp::Shrink, [&] {
                shrink();
                at<float>("s_out")[tokenWith(true) * one.rank] *= 1.02f;
              }).starts_with("error "));
}

} // namespace
