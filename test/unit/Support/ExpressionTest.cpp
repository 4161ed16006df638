//===- ExpressionTest.cpp - Tests of integer expressions ------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Support/Expression.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

using namespace lora;

namespace {

std::optional<int64_t> lookup(std::string_view name) {
  if (name == "tokens")
    return 100;
  if (name == "BLOCK_M")
    return 16;
  if (name == "zero")
    return 0;
  if (name == "big")
    return INT64_MAX;
  return std::nullopt;
}

int64_t evaluate(std::string_view text) { return Expression::parse(text).evaluate(lookup); }

std::string parseError(std::string_view text) {
  try {
    Expression::parse(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

std::string evaluationError(std::string_view text) {
  try {
    evaluate(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(Expression, Precedence) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), 7);
  EXPECT_EQ(evaluate("(1 + 2) * 3"), 9);
  EXPECT_EQ(evaluate("10 - 3 - 2"), 5);
  EXPECT_EQ(evaluate("100 / 10 / 5"), 2);
  EXPECT_EQ(evaluate("1 + 1 == 2 && 3 < 4"), 1);
  EXPECT_EQ(evaluate("0 && 0 || 1"), 1);
  EXPECT_EQ(evaluate("1 || 0 && 0"), 1);
  EXPECT_EQ(evaluate("-2 * 3"), -6);
  EXPECT_EQ(evaluate("2 - -3"), 5);
  EXPECT_EQ(evaluate("!0 + 1"), 2);
  EXPECT_EQ(evaluate("!!7"), 1);
}

TEST(Expression, Comparisons) {
  EXPECT_EQ(evaluate("1<=1"), 1);
  EXPECT_EQ(evaluate("1>=2"), 0);
  EXPECT_EQ(evaluate("1!=2"), 1);
  EXPECT_EQ(evaluate("2>1"), 1);
}

TEST(Expression, DivisionTruncatesTowardsZero) {
  EXPECT_EQ(evaluate("-7 / 2"), -3);
  EXPECT_EQ(evaluate("-7 % 2"), -1);
}

TEST(Expression, Functions) {
  EXPECT_EQ(evaluate("ceildiv(tokens, BLOCK_M) * 2"), 14);
  EXPECT_EQ(evaluate("ceildiv(96, BLOCK_M)"), 6);
  EXPECT_EQ(evaluate("ceildiv(-7, 2)"), -3);
  EXPECT_EQ(evaluate("min(3, max(1, 2))"), 2);
  EXPECT_EQ(evaluate("pow2ceil(tokens)"), 128);
  EXPECT_EQ(evaluate("pow2ceil(64)"), 64);
  EXPECT_EQ(evaluate("pow2ceil(0)"), 1);
}

TEST(Expression, DecidedLogicLeavesTheRightOperandAlone) {
  EXPECT_EQ(evaluate("zero == 0 || tokens % zero == 0"), 1);
  EXPECT_EQ(evaluate("zero != 0 && tokens % zero == 0"), 0);
}

TEST(Expression, Names) {
  EXPECT_EQ(Expression::parse("ceildiv(tokens, BLOCK_M) * BLOCK_M + 1").names(),
            (std::set<std::string>{"tokens", "BLOCK_M"}));
}

TEST(Expression, Divisibility) {
  auto found = Expression::parse("x_stride % (BLOCK_M * 2) == 0").divisibility();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, "x_stride");
  EXPECT_EQ(found->second.text(), "(BLOCK_M * 2)");
  EXPECT_EQ(found->second.evaluate(lookup), 32);
  EXPECT_TRUE(Expression::parse("(a % 8) == 0").divisibility());
  EXPECT_FALSE(Expression::parse("a % 8 == 1").divisibility());
  EXPECT_FALSE(Expression::parse("(a + 1) % 8 == 0").divisibility());
  EXPECT_FALSE(Expression::parse("a % 8").divisibility());
  EXPECT_FALSE(Expression::parse("a % 8 == 0 && b").divisibility());
}

TEST(Expression, SyntaxErrorsNameThePosition) {
  EXPECT_EQ(parseError("a +"),
            "expression 'a +', position 3: expected an integer, a name or '(', found the end");
  EXPECT_EQ(parseError(""),
            "expression '', position 0: expected an integer, a name or '(', found the end");
  EXPECT_EQ(parseError("(a"), "expression '(a', position 2: expected ')', found the end");
  EXPECT_EQ(parseError("a b"),
            "expression 'a b', position 2: expected an operator or the end, found 'b'");
  EXPECT_EQ(parseError("lg(a)"),
            "expression 'lg(a)', position 0: expected ceildiv, min, max or pow2ceil before '(', "
            "found 'l'");
  EXPECT_EQ(parseError("min(a)"),
            "expression 'min(a)', position 5: expected ',' and the second operand of min, "
            "found ')'");
  EXPECT_EQ(parseError("1 < 2 < 3"), "expression '1 < 2 < 3', position 6: expected '&&', '||' or "
                                     "the end after a comparison, found '<'");
  EXPECT_NE(parseError("9223372036854775808").find("below 2^63"), std::string::npos);
  EXPECT_NE(parseError("12x").find("an operator after the integer"), std::string::npos);
}

TEST(Expression, NestingAndLengthAreBounded) {
  EXPECT_NE(parseError(std::string(1000, '(') + "1" + std::string(1000, ')')).find("nesting"),
            std::string::npos);
  EXPECT_NE(parseError(std::string(5000, ' ') + "1").find("at most 4096"), std::string::npos);
}

TEST(Expression, EvaluationErrorsNameThePart) {
  EXPECT_EQ(evaluationError("1 + hidden"), "expression '1 + hidden': unknown name 'hidden'");
  EXPECT_EQ(evaluationError("1 + tokens / zero"),
            "expression '1 + tokens / zero': division by zero in 'tokens / zero'");
  EXPECT_EQ(evaluationError("big + 1"), "expression 'big + 1': overflow of int64 in 'big + 1'");
  EXPECT_NE(evaluationError("big * 2").find("overflow"), std::string::npos);
  EXPECT_NE(evaluationError("-big - 2").find("overflow"), std::string::npos);
  EXPECT_NE(evaluationError("-(-big - 1)").find("overflow"), std::string::npos);
  EXPECT_NE(evaluationError("(-big - 1) / -1").find("overflow"), std::string::npos);
  EXPECT_NE(evaluationError("pow2ceil(big)").find("overflow"), std::string::npos);
  EXPECT_EQ(evaluate("pow2ceil(4611686018427387904)"), int64_t(1) << 62);
}

TEST(Expression, ResolvedNamesAreConstantsAndSlots) {
  auto constants = [](std::string_view name) {
    return name == "BLOCK" ? std::optional<int64_t>(16) : std::nullopt;
  };
  auto slots = [](std::string_view name) {
    return name == "tokens" ? std::optional<size_t>(1) : std::nullopt;
  };
  Expression parsed = Expression::parse("ceildiv(tokens, BLOCK) * 2");
  Expression resolved = parsed.resolved(constants, slots);
  const int64_t few[] = {0, 17}, many[] = {0, 160};
  EXPECT_EQ(resolved.evaluate(few), 4);
  EXPECT_EQ(resolved.evaluate(many), 20);
  EXPECT_EQ(resolved.text(), parsed.text());
  try {
    Expression::parse("tokens + other").resolved(constants, slots);
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "expression 'tokens + other': unknown name 'other'");
  }
}

} // namespace
