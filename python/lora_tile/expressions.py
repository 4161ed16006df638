# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer expressions of kernel manifests, such as `ceildiv(tokens, BLOCK_M) * SPLIT_K`.

Loosest binding first: `||`, `&&`, comparisons, `+ -`, `* / %`, unary `- !`, then integers, names,
parentheses and the functions ceildiv(a, b), min(a, b), max(a, b) and pow2ceil(a). A comparison is 0
or 1; `/` and `%` truncate towards zero, as in C.
"""

import re

from lora_tile.errors import Error

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(\|\||&&|==|!=|<=|>=|[-+*/%<>!(),]))")


def _divide(a, b):
    if b == 0:
        raise Error("division by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_BINARY = [
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {
        "==": lambda a, b: int(a == b),
        "!=": lambda a, b: int(a != b),
        "<": lambda a, b: int(a < b),
        "<=": lambda a, b: int(a <= b),
        ">": lambda a, b: int(a > b),
        ">=": lambda a, b: int(a >= b),
    },
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": _divide, "%": lambda a, b: a - b * _divide(a, b)},
]

_FUNCTIONS = {
    "ceildiv": (2, lambda a, b: _divide(a + b - 1, b)),
    "min": (2, min),
    "max": (2, max),
    "pow2ceil": (1, lambda a: 1 << max(a - 1, 0).bit_length()),
}


class _Parser:
    """Evaluates while it parses, since every expression is short and used once a launch shape."""

    def __init__(self, text, names):
        self.text = text
        self.names = names
        self.tokens = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if not match:
                self.fail(f"unexpected character at {position}")
            self.tokens.append(match.group(match.lastindex))
            position = match.end()
        self.index = 0

    def fail(self, problem):
        raise Error(f"expression '{self.text}': {problem}")

    def peek(self):
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected and token != expected):
            found = "the end" if token is None else f"'{token}'"
            self.fail(f"expected {repr(expected) if expected else 'a value'}, found {found}")
        self.index += 1
        return token

    def binary(self, level=0):
        if level == len(_BINARY):
            return self.unary()
        value = self.binary(level + 1)
        while self.peek() in _BINARY[level]:
            operator = _BINARY[level][self.take()]
            value = operator(value, self.binary(level + 1))
        return value

    def unary(self):
        if self.peek() == "-":
            self.take()
            return -self.unary()
        if self.peek() == "!":
            self.take()
            return int(not self.unary())
        return self.primary()

    def primary(self):
        token = self.take()
        if token == "(":
            value = self.binary()
            self.take(")")
            return value
        if token.isdigit():
            return int(token)
        if token in _FUNCTIONS and self.peek() == "(":
            return self.call(*_FUNCTIONS[token])
        if token not in self.names:
            self.fail(f"found '{token}', expected one of {', '.join(sorted(self.names))}")
        return int(self.names[token])

    def call(self, arity, function):
        self.take("(")
        values = [self.binary()]
        for _ in range(arity - 1):
            self.take(",")
            values.append(self.binary())
        self.take(")")
        return function(*values)


def evaluate(text, names):
    """The value of an expression over `names`, a mapping to integers; Error says what is wrong."""
    parser = _Parser(text, names)
    value = parser.binary()
    if parser.peek() is not None:
        parser.fail(f"expected the end, found '{parser.peek()}'")
    return value
