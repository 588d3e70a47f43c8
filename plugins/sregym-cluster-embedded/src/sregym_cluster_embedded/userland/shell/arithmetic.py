"""Integer expressions of `$((...))`, with the operators of C."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex.budget import spend

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*(?:\[[^]]*\])?|<<=|>>=|\*\*|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||"
    r"[-+*/%&|^]=|[-+*/%()<>!~&|^?:=,])"
)
_DEEPEST = 16
_VARIABLE = r"[A-Za-z_]\w*(\[.*\])?"
# Binary operators from the loosest to the tightest.
_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="),
    ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip


def _wrapped(number: int) -> int:
    """A number as 64 bits with a sign have it."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


class ArithmeticSyntaxError(ValueError):
    """The text is no expression; the message is the shell's."""


class Arithmetic:
    """Evaluates expressions over variables.

    Args:
        value: The text of a variable, empty for none.
        assign: Sets a variable.
        depth: Through how many variables an expression was reached.
    """

    def __init__(
        self,
        value: Callable[[str], str],
        assign: Callable[[str, str], None],
        depth: int = 0,
    ) -> None:
        self._depth = depth
        self._value = value
        self._assign = assign
        self._tokens: list[str] = []
        self._at = 0

    def evaluate(self, text: str) -> int:
        """The value of an expression; 0 for an empty one.

        Raises:
            ArithmeticSyntaxError: It is none, or divides by zero.
        """
        spend(5 + len(text))
        self._tokens, self._at = self._split(text), 0
        if not self._tokens:
            return 0
        found = self._assignment()
        while self._take(","):
            found = self._assignment()
        if self._at < len(self._tokens):
            raise ArithmeticSyntaxError("arithmetic syntax error")
        return found

    @staticmethod
    def _split(text: str) -> list[str]:
        tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ArithmeticSyntaxError("arithmetic syntax error")
            tokens.append(found.group(1))
            at = found.end()
        return tokens

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, *wanted: str) -> str:
        token = self._peek()
        if token and token in wanted:
            self._at += 1
            return token
        return ""

    def _assignment(self) -> int:
        name = self._peek()
        operator = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else ""
        if re.fullmatch(_VARIABLE, name) and re.fullmatch(r"(<<|>>|[-+*/%&|^])?=", operator):
            self._at += 2
            right = self._assignment()
            if operator != "=":
                right = self._apply(operator[:-1], self._variable(name), right)
            self._assign(name, str(right))
            return right
        return self._choice()

    def _choice(self) -> int:
        condition = self._binary(0)
        if not self._take("?"):
            return condition
        first = self._assignment()
        if not self._take(":"):
            raise ArithmeticSyntaxError("arithmetic syntax error")
        second = self._assignment()
        return first if condition else second

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while operator := self._take(*_LEVELS[level]):
            left = self._apply(operator, left, self._binary(level + 1))
        return left

    def _unary(self) -> int:
        if operator := self._take("-", "+", "!", "~", "++", "--"):
            if operator in ("++", "--"):
                name = self._peek()
                self._at += 1
                value = self._variable(name) + (1 if operator == "++" else -1)
                self._assign(name, str(value))
                return value
            value = self._unary()
            return {"-": -value, "+": value, "!": int(not value), "~": ~value}[operator]
        value = self._primary()
        if self._take("**"):
            return _wrapped(pow(value, max(0, self._unary()), 1 << 64))
        return value

    def _primary(self) -> int:
        token = self._peek()
        self._at += 1
        if token == "(":
            value = self._assignment()
            if not self._take(")"):
                raise ArithmeticSyntaxError("arithmetic syntax error")
            return value
        if token[:1].isdigit():
            base = (
                16 if token[:2].lower() == "0x" else 8 if token[0] == "0" and len(token) > 1 else 10
            )
            try:
                return int(token, base)
            except ValueError:
                raise ArithmeticSyntaxError("arithmetic syntax error") from None
        if re.fullmatch(_VARIABLE, token):
            value = self._variable(token)
            if step := self._take("++", "--"):
                self._assign(token, str(value + (1 if step == "++" else -1)))
            return value
        raise ArithmeticSyntaxError("arithmetic syntax error")

    def _variable(self, name: str) -> int:
        text = self._value(name).strip() or "0"
        try:
            return int(text, 0)
        except ValueError:
            if text.lstrip("-").isdecimal():
                return int(text)
        # A variable may stand for another, or for an expression.
        if name == text or self._depth >= _DEEPEST:
            return 0
        inner = Arithmetic(self._value, self._assign, self._depth + 1)
        return inner.evaluate(text)

    @staticmethod
    def _apply(operator: str, left: int, right: int) -> int:
        if operator in ("/", "%"):
            if right == 0:
                raise ArithmeticSyntaxError("divide by zero")
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if operator == "/" else left - quotient * right
        answers: dict[str, Callable[[], int]] = {
            "+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
            "&": lambda: left & right, "|": lambda: left | right, "^": lambda: left ^ right,
            "<<": lambda: left << (right & 63), ">>": lambda: left >> (right & 63),
            "==": lambda: int(left == right), "!=": lambda: int(left != right),
            "<": lambda: int(left < right), "<=": lambda: int(left <= right),
            ">": lambda: int(left > right), ">=": lambda: int(left >= right),
            "&&": lambda: int(bool(left) and bool(right)),
            "||": lambda: int(bool(left) or bool(right)),
        }  # fmt: skip
        return _wrapped(answers[operator]())
