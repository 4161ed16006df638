//===- Expression.h - Integer expressions over named values ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel files state their launch grid, the constraints on their tunables and what they assume of
// their arguments as small integer expressions, e.g. `ceildiv(tokens, BLOCK_M) * SPLIT_K` or
// `BLOCK_K % 32 == 0`. The compiler evaluates them over a configuration, the runtime over the
// arguments of a launch.
//
// Grammar, loosest binding first; all values are int64, a comparison yields 0 or 1:
//   a || b,  a && b,  == != < <= > >=,  + -,  * / %,  unary - !,
//   primary: integer | name | (e) | ceildiv(a, b) | min(a, b) | max(a, b) | pow2ceil(a)
// `/` and `%` truncate towards zero as in C. pow2ceil(a) is the smallest power of two >= a.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lora {

class Expression {
public:
  /// The value of a name, or nothing when there is no such name.
  using Lookup = std::function<std::optional<int64_t>(std::string_view)>;

  /// Throws Error with the text, the position and what was expected there.
  static Expression parse(std::string_view text);

  /// Throws Error on an unknown name, a division by zero or an overflow of int64.
  int64_t evaluate(const Lookup &lookup) const;

  /// The same expression with its names looked up once: a name with a constant becomes that, any
  /// other becomes a position in the values of evaluate(span). Throws Error on a name with neither.
  Expression resolved(const Lookup &constants,
                      const std::function<std::optional<size_t>(std::string_view)> &slots) const;

  /// The value of a resolved expression. Allocates nothing unless it throws. Throws Error as the
  /// other evaluate does; every slot must be below the size of `values`.
  int64_t evaluate(std::span<const int64_t> values) const;

  /// Every name that occurs in the expression.
  std::set<std::string> names() const;

  /// If the expression has the form `name % divisor == 0`, with any expression as the divisor:
  /// the name and the divisor.
  std::optional<std::pair<std::string, Expression>> divisibility() const;

  /// The text it was parsed from.
  const std::string &text() const { return source; }

  struct Node;

private:
  std::string source;
  std::shared_ptr<const Node> root;
};

} // namespace lora
