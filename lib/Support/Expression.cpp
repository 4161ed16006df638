//===- Expression.cpp - Integer expressions over named values -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Support/Expression.h"

#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

using namespace lora;

namespace {

enum class Op {
  Integer,
  Name,
  Slot,
  Negate,
  Not,
  Or,
  And,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  CeilDiv,
  Min,
  Max,
  Pow2Ceil,
};

} // namespace

struct Expression::Node {
  Op op;
  int64_t value = 0;
  std::string name;
  std::shared_ptr<const Node> lhs, rhs;
  /// The part of the text the node was parsed from, parentheses included.
  size_t begin = 0, end = 0;
};

namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<Node>;

/// Expressions come from files, so both what a long chain of operators and what deep nesting cost
/// in stack is bounded.
constexpr size_t maxTextSize = 4096;
constexpr int maxNesting = 100;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Operator {
  std::string_view spelling;
  Op op;
};

// Within a level a spelling stands before every spelling that is a prefix of it.
constexpr std::array<Operator, 1> orLevel{{{"||", Op::Or}}};
constexpr std::array<Operator, 1> andLevel{{{"&&", Op::And}}};
constexpr std::array<Operator, 6> comparisonLevel{{{"==", Op::Equal},
                                                   {"!=", Op::NotEqual},
                                                   {"<=", Op::LessEqual},
                                                   {">=", Op::GreaterEqual},
                                                   {"<", Op::Less},
                                                   {">", Op::Greater}}};
constexpr std::array<Operator, 2> sumLevel{{{"+", Op::Add}, {"-", Op::Subtract}}};
constexpr std::array<Operator, 3> productLevel{
    {{"*", Op::Multiply}, {"/", Op::Divide}, {"%", Op::Remainder}}};

struct Function {
  std::string_view name;
  Op op;
  int operands;
};

constexpr std::array<Function, 4> functions{{{"ceildiv", Op::CeilDiv, 2},
                                             {"min", Op::Min, 2},
                                             {"max", Op::Max, 2},
                                             {"pow2ceil", Op::Pow2Ceil, 1}}};

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  NodePtr parse() {
    if (text.size() > maxTextSize)
      throw Error("expression of " + std::to_string(text.size()) +
                  " characters: expected at most " + std::to_string(maxTextSize));
    NodePtr node = parseOr();
    if (peek() != '\0')
      fail("an operator or the end");
    return node;
  }

private:
  [[noreturn]] void fail(const std::string &expected) {
    skipSpace();
    std::string found =
        position < text.size() ? "'" + std::string(1, text[position]) + "'" : "the end";
    throw Error("expression '" + std::string(text) + "', position " + std::to_string(position) +
                ": expected " + expected + ", found " + found);
  }

  void skipSpace() {
    while (position < text.size() && isSpace(text[position]))
      ++position;
  }

  /// The next character that is not a space, or '\0' at the end.
  char peek() {
    skipSpace();
    return position < text.size() ? text[position] : '\0';
  }

  bool accept(std::string_view spelling) {
    skipSpace();
    if (!text.substr(position).starts_with(spelling))
      return false;
    position += spelling.size();
    return true;
  }

  template <size_t N> const Operator *acceptOperator(const std::array<Operator, N> &level) {
    for (const Operator &candidate : level)
      if (accept(candidate.spelling))
        return &candidate;
    return nullptr;
  }

  NodePtr binary(Op op, NodePtr lhs, NodePtr rhs) {
    auto node = std::make_shared<Node>();
    node->op = op;
    node->begin = lhs->begin;
    node->end = rhs->end;
    node->lhs = std::move(lhs);
    node->rhs = std::move(rhs);
    return node;
  }

  template <size_t N, typename Next>
  NodePtr parseChain(const std::array<Operator, N> &level, Next next) {
    NodePtr lhs = next();
    while (const Operator *found = acceptOperator(level))
      lhs = binary(found->op, lhs, next());
    return lhs;
  }

  NodePtr parseOr() {
    return parseChain(orLevel, [&] { return parseAnd(); });
  }

  NodePtr parseAnd() {
    return parseChain(andLevel, [&] { return parseComparison(); });
  }

  NodePtr parseComparison() {
    NodePtr lhs = parseSum();
    const Operator *found = acceptOperator(comparisonLevel);
    if (!found)
      return lhs;
    NodePtr node = binary(found->op, lhs, parseSum());
    // `a < b < c` would compare 0 or 1 with c, which nobody means.
    size_t before = position;
    if (acceptOperator(comparisonLevel)) {
      position = before;
      fail("'&&', '||' or the end after a comparison");
    }
    return node;
  }

  NodePtr parseSum() {
    return parseChain(sumLevel, [&] { return parseProduct(); });
  }

  NodePtr parseProduct() {
    return parseChain(productLevel, [&] { return parseUnary(); });
  }

  NodePtr parseUnary() {
    if (++nesting > maxNesting)
      fail("at most " + std::to_string(maxNesting) + " levels of nesting");
    skipSpace();
    size_t begin = position;
    NodePtr node;
    if (accept("-")) {
      node = unary(Op::Negate, begin, parseUnary());
    } else if (accept("!")) {
      node = unary(Op::Not, begin, parseUnary());
    } else {
      node = parsePrimary();
    }
    --nesting;
    return node;
  }

  NodePtr unary(Op op, size_t begin, NodePtr operand) {
    auto node = std::make_shared<Node>();
    node->op = op;
    node->begin = begin;
    node->end = operand->end;
    node->lhs = std::move(operand);
    return node;
  }

  NodePtr parsePrimary() {
    char c = peek();
    if (isDigit(c))
      return parseInteger();
    if (isNameStart(c))
      return parseNameOrCall();
    if (c != '(')
      fail("an integer, a name or '('");
    size_t begin = position++;
    NodePtr node = parseOr();
    if (!accept(")"))
      fail("')'");
    node->begin = begin;
    node->end = position;
    return node;
  }

  NodePtr parseInteger() {
    auto node = std::make_shared<Node>();
    node->op = Op::Integer;
    node->begin = position;
    const char *first = text.data() + position, *last = text.data() + text.size();
    auto [end, status] = std::from_chars(first, last, node->value);
    if (status != std::errc())
      fail("an integer below 2^63");
    position = end - text.data();
    if (position < text.size() && isNamePart(text[position]))
      fail("an operator after the integer");
    node->end = position;
    return node;
  }

  NodePtr parseNameOrCall() {
    size_t begin = position;
    while (position < text.size() && isNamePart(text[position]))
      ++position;
    std::string_view name = text.substr(begin, position - begin);
    if (peek() == '(')
      return parseCall(name, begin);
    auto node = std::make_shared<Node>();
    node->op = Op::Name;
    node->name = name;
    node->begin = begin;
    node->end = begin + name.size();
    return node;
  }

  NodePtr parseCall(std::string_view name, size_t begin) {
    auto function = std::find_if(functions.begin(), functions.end(),
                                 [&](const Function &f) { return f.name == name; });
    if (function == functions.end()) {
      position = begin;
      fail("ceildiv, min, max or pow2ceil before '('");
    }
    accept("(");
    auto node = std::make_shared<Node>();
    node->op = function->op;
    node->lhs = parseOr();
    if (function->operands == 2) {
      if (!accept(","))
        fail("',' and the second operand of " + std::string(name));
      node->rhs = parseOr();
    }
    if (!accept(")"))
      fail("')' after the operands of " + std::string(name));
    node->begin = begin;
    node->end = position;
    return node;
  }

  std::string_view text;
  size_t position = 0;
  int nesting = 0;
};

class Evaluator {
public:
  /// Names come from `lookup`, slots from `values`.
  Evaluator(const std::string &text, const Expression::Lookup *lookup,
            std::span<const int64_t> values)
      : text(text), lookup(lookup), values(values) {}

  int64_t evaluate(const Node &node) {
    switch (node.op) {
    case Op::Integer:
      return node.value;
    case Op::Name:
      return evaluateName(node);
    case Op::Slot:
      return values[static_cast<size_t>(node.value)];
    case Op::Not:
      return !evaluate(*node.lhs);
    case Op::Negate:
      return negate(node, evaluate(*node.lhs));
    case Op::Pow2Ceil:
      return pow2Ceil(node, evaluate(*node.lhs));
    // The right operand is left alone when the left one decides, so that it may be guarded:
    // `n == 0 || k % n == 0`.
    case Op::Or:
      return evaluate(*node.lhs) || evaluate(*node.rhs);
    case Op::And:
      return evaluate(*node.lhs) && evaluate(*node.rhs);
    default:
      break;
    }
    int64_t a = evaluate(*node.lhs);
    int64_t b = evaluate(*node.rhs);
    return binary(node, a, b);
  }

private:
  [[noreturn]] void fail(const Node &node, const std::string &what) {
    throw Error("expression '" + text + "': " + what + " in '" +
                text.substr(node.begin, node.end - node.begin) + "'");
  }

  int64_t evaluateName(const Node &node) {
    if (std::optional<int64_t> value = lookup ? (*lookup)(node.name) : std::nullopt)
      return *value;
    throw Error("expression '" + text + "': unknown name '" + node.name + "'");
  }

  int64_t negate(const Node &node, int64_t a) {
    if (a == std::numeric_limits<int64_t>::min())
      fail(node, "overflow of int64");
    return -a;
  }

  void checkDivision(const Node &node, int64_t a, int64_t b) {
    if (b == 0)
      fail(node, "division by zero");
    if (a == std::numeric_limits<int64_t>::min() && b == -1)
      fail(node, "overflow of int64");
  }

  int64_t ceilDiv(const Node &node, int64_t a, int64_t b) {
    checkDivision(node, a, b);
    bool roundUp = a % b != 0 && (a < 0) == (b < 0);
    return a / b + roundUp;
  }

  int64_t pow2Ceil(const Node &node, int64_t a) {
    int64_t power = 1;
    while (power < a) {
      if (power > std::numeric_limits<int64_t>::max() / 2)
        fail(node, "overflow of int64");
      power *= 2;
    }
    return power;
  }

  int64_t binary(const Node &node, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflow = false;
    switch (node.op) {
    case Op::Equal:
      return a == b;
    case Op::NotEqual:
      return a != b;
    case Op::Less:
      return a < b;
    case Op::LessEqual:
      return a <= b;
    case Op::Greater:
      return a > b;
    case Op::GreaterEqual:
      return a >= b;
    case Op::Add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Op::Subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::Multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Op::Divide:
      checkDivision(node, a, b);
      return a / b;
    case Op::Remainder:
      checkDivision(node, a, b);
      return a % b;
    case Op::CeilDiv:
      return ceilDiv(node, a, b);
    case Op::Min:
      return std::min(a, b);
    default:
      return std::max(a, b);
    }
    if (overflow)
      fail(node, "overflow of int64");
    return result;
  }

  const std::string &text;
  const Expression::Lookup *lookup;
  std::span<const int64_t> values;
};

void collectNames(const Node &node, std::set<std::string> &names) {
  if (node.op == Op::Name)
    names.insert(node.name);
  if (node.lhs)
    collectNames(*node.lhs, names);
  if (node.rhs)
    collectNames(*node.rhs, names);
}

} // namespace

Expression Expression::parse(std::string_view text) {
  Expression result;
  result.root = Parser(text).parse();
  result.source = text;
  return result;
}

int64_t Expression::evaluate(const Lookup &lookup) const {
  return Evaluator(source, &lookup, {}).evaluate(*root);
}

Expression
Expression::resolved(const Lookup &constants,
                     const std::function<std::optional<size_t>(std::string_view)> &slots) const {
  std::function<NodePtr(const Node &)> resolve = [&](const Node &node) {
    auto copy = std::make_shared<Node>(node);
    if (node.lhs)
      copy->lhs = resolve(*node.lhs);
    if (node.rhs)
      copy->rhs = resolve(*node.rhs);
    if (node.op != Op::Name)
      return copy;
    if (std::optional<int64_t> constant = constants(node.name)) {
      copy->op = Op::Integer;
      copy->value = *constant;
    } else if (std::optional<size_t> slot = slots(node.name)) {
      copy->op = Op::Slot;
      copy->value = static_cast<int64_t>(*slot);
    } else {
      throw Error("expression '" + source + "': unknown name '" + node.name + "'");
    }
    return copy;
  };
  Expression result;
  result.source = source;
  result.root = resolve(*root);
  return result;
}

int64_t Expression::evaluate(std::span<const int64_t> values) const {
  return Evaluator(source, nullptr, values).evaluate(*root);
}

std::set<std::string> Expression::names() const {
  std::set<std::string> result;
  collectNames(*root, result);
  return result;
}

std::optional<std::pair<std::string, Expression>> Expression::divisibility() const {
  if (root->op != Op::Equal || root->rhs->op != Op::Integer || root->rhs->value != 0)
    return std::nullopt;
  const Node &remainder = *root->lhs;
  if (remainder.op != Op::Remainder || remainder.lhs->op != Op::Name)
    return std::nullopt;
  const Node &divisor = *remainder.rhs;
  // Parsed again, so that the positions in the divisor are those in its own text.
  return std::pair(remainder.lhs->name, parse(std::string_view(source).substr(
                                            divisor.begin, divisor.end - divisor.begin)));
}
