"""expr: values, comparisons, patterns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex.posix import PatternError, compiled

from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from collections.abc import Callable

_LEVELS = (
    ("|",),
    ("&",),
    ("<", "<=", "=", "==", "!=", ">=", ">"),
    ("+", "-"),
    ("*", "/", "%"),
    (":",),
)


class _ExpressionError(ValueError):
    """What is given is no expression; the text is the command's."""


class _Reader:
    """Evaluates words from the left, by the rank of the operators."""

    def __init__(self, words: list[str], *, busybox: bool) -> None:
        self._words = words
        self._at = 0
        self._busybox = busybox

    def value(self) -> str:
        """The value of all words."""
        found = self._level(0)
        if self._at < len(self._words):
            raise _ExpressionError(self._syntax())
        return found

    def _syntax(self) -> str:
        if self._busybox:
            return "syntax error"
        if self._at < len(self._words):
            return f"syntax error: unexpected argument '{self._words[self._at]}'"
        return f"syntax error: missing argument after '{self._words[-1]}'"

    def _level(self, level: int) -> str:
        if level == len(_LEVELS):
            return self._primary()
        left = self._level(level + 1)
        while self._at < len(self._words) and self._words[self._at] in _LEVELS[level]:
            operator = self._words[self._at]
            self._at += 1
            left = self._joined(operator, left, self._level(level + 1))
        return left

    def _joined(self, operator: str, left: str, right: str) -> str:
        if operator == "|":
            return left if _is_true(left) else right if _is_true(right) else "0"
        if operator == "&":
            return left if _is_true(left) and _is_true(right) else "0"
        if operator == ":":
            return _matched(left, right)
        if operator in _LEVELS[2]:
            return str(int(_compared(operator, left, right)))
        if not _is_number(left) or not _is_number(right):
            raise _ExpressionError(
                "non-numeric argument" if self._busybox else "non-integer argument"
            )
        a, b = int(left), int(right)
        if operator in ("/", "%") and b == 0:
            raise _ExpressionError("division by zero")
        acts: dict[str, Callable[[], int]] = {
            "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
            "/": lambda: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
            "%": lambda: abs(a) % abs(b) * (-1 if a < 0 else 1),
        }  # fmt: skip
        return str(acts[operator]())

    def _primary(self) -> str:
        if self._at >= len(self._words):
            raise _ExpressionError(self._syntax())
        word = self._words[self._at]
        self._at += 1
        if word == "(":
            found = self._level(0)
            if self._words[self._at : self._at + 1] != [")"]:
                raise _ExpressionError(
                    self._syntax()
                    if self._busybox
                    else "syntax error: expecting ')' instead of end of arguments"
                )
            self._at += 1
            return found
        if word == "length":
            return str(len(self._primary()))
        if word == "quote" and self._busybox:
            return self._primary()
        if word == "match":
            return _matched(self._primary(), self._primary())
        if word == "index":
            text, chars = self._primary(), self._primary()
            return str(min((text.find(char) + 1 for char in chars if char in text), default=0))
        if word == "substr":
            text, start, count = self._primary(), self._primary(), self._primary()
            if not _is_number(start) or not _is_number(count) or int(start) < 1 or int(count) < 1:
                return ""
            return text[int(start) - 1 : int(start) - 1 + int(count)]
        if (
            word in (")", "*", "/", "%", "+", "-", ":", "=", "<", ">", "|", "&")
            and len(self._words) > 1
        ):
            raise _ExpressionError(self._syntax())
        return word


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?\d+", text) is not None


def _is_true(text: str) -> bool:
    return text != "" and not (_is_number(text) and int(text) == 0)


def _compared(operator: str, left: str, right: str) -> bool:
    order = (left > right) - (left < right)
    if _is_number(left) and _is_number(right):
        order = (int(left) > int(right)) - (int(left) < int(right))
    return {
        "<": order < 0, "<=": order <= 0, "=": order == 0, "==": order == 0,
        "!=": order != 0, ">=": order >= 0, ">": order > 0,
    }[operator]  # fmt: skip


def _matched(text: str, pattern: str) -> str:
    found = compiled(pattern, extended=False).match(text)
    if found is None:
        return "" if r"\(" in pattern else "0"
    return (found[1] or "") if found.re.groups else str(len(found.group()))


def _expr(session: Session, words: list[str], _stdin: str) -> Output:
    parts = words[2:] if words[1:2] == ["--"] else words[1:]
    if not parts:
        if session.busybox:
            return Output(2, "", "expr: too few arguments\n")
        return Output(2, "", "expr: missing operand\nTry 'expr --help' for more information.\n")
    try:
        value = _Reader(parts, busybox=session.busybox).value()
    except (_ExpressionError, PatternError) as error:
        return Output(2, "", f"expr: {error}\n")
    return Output(0 if _is_true(value) else 1, f"{value}\n")


EXPRESSION_COMMANDS: dict[str, Command] = {"expr": _expr}
