"""Label selectors as text: `app=web,tier in (a, b),!old`."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!,()<>]|[^\s=!,()<>]+)")
_SYMBOLS = frozenset({"==", "!=", "=", "!", ",", "(", ")", "<", ">"})
_OPERATORS = {
    **{"=": "in", "==": "in", "!=": "notin", "in": "in", "notin": "notin"},
    **{">": "gt", "<": "lt"},
}
_EXPECTED = "in, notin, =, ==, !=, gt, lt"


class Parsed(NamedTuple):
    """One requirement: key, operator (`in`, `notin`, `exists`, `absent`, `gt`, `lt`), values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class Unreadable(ValueError):
    """No selector; the text is the server's."""


def parse(text: str) -> list[Parsed]:
    """The requirements of a selector.

    Raises:
        Unreadable: It is none.
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        # Of two tokens that end the text, the second is never asked for.
        self._tokens: list[str] = [*_TOKEN.findall(text), "", ""]
        self._at = 0

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    @property
    def _peek(self) -> str:
        return self._tokens[self._at]

    def whole(self) -> list[Parsed]:
        found: list[Parsed] = []
        while self._peek:
            token = self._peek
            if token in _SYMBOLS and token != "!":
                raise Unreadable(f"found '{token}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self._requirement())
            except Unreadable as error:
                message = f"unable to parse requirement: {error}"
                raise Unreadable(message) from None
            token = self._next()
            if not token:
                break
            if token != ",":
                raise Unreadable(f"found '{token}', expected: ',' or 'end of string'")
            if not self._peek or (self._peek in _SYMBOLS and self._peek != "!"):
                raise Unreadable(f"found '{self._peek}', expected: identifier after ','")
        return found

    def _requirement(self) -> Parsed:
        key = self._next()
        absent = key == "!"
        if absent:
            key = self._next()
        if not key or key in _SYMBOLS:
            raise Unreadable(f"found '{key}', expected: identifier")
        _check_key(key)
        if absent:
            return Parsed(key, "absent")
        if self._peek in ("", ","):
            return Parsed(key, "exists")
        sign = self._next()
        operator = _OPERATORS.get(sign)
        if operator is None:
            raise Unreadable(f"found '{sign}', expected: {_EXPECTED}")
        values = self._values() if sign in ("in", "notin") else {self._value()}
        return _checked(Parsed(key, operator, tuple(sorted(values))))

    def _value(self) -> str:
        if self._peek in ("", ","):
            return ""
        value = self._next()
        if value in _SYMBOLS:
            raise Unreadable(f"found '{value}', expected: identifier")
        return value

    def _values(self) -> set[str]:
        token = self._next()
        if token != "(":
            raise Unreadable(f"found '{token}' expected: '('")
        if self._peek == ")":
            self._next()
            return {""}
        if not self._peek or (self._peek in _SYMBOLS and self._peek != ","):
            raise Unreadable(f"found '{self._peek}', expected: ',', ')' or identifier")
        found: set[str] = set()
        while self._peek != ")":
            token = self._next()
            if token == ",":
                if not found or self._peek in (")", ","):
                    found.add("")
            elif not token or token in _SYMBOLS:
                raise Unreadable(f"found '{token}', expected: ',', or identifier")
            else:
                found.add(token)
                if self._peek not in (",", ")"):
                    raise Unreadable(f"found '{self._peek}', expected: ',' or ')'")
        self._next()
        return found


def _check_key(key: str) -> None:
    from sregym_cluster_embedded.api.validation import formats

    problems = [cause.message for cause in formats.qualified("", key)]
    if problems:
        head = f'Invalid value: "{key}": '
        texts = "; ".join(text.removeprefix(head) for text in problems)
        raise Unreadable(f"<nil>: {head}{texts}")


def _checked(parsed: Parsed) -> Parsed:
    from sregym_cluster_embedded.api.validation import formats

    found: list[str] = []
    for index, value in enumerate(parsed.values):
        if parsed.operator in ("gt", "lt") and not re.fullmatch(r"[+-]?\d+", value):
            text = "for 'Gt', 'Lt' operators, the value must be an integer"
            found.append(f'values[{index}]: Invalid value: "{value}": {text}')
    for index, value in enumerate(parsed.values):
        problems = "; ".join(formats.label_value_problems(value))
        if problems:
            place = f"values[{index}][{parsed.key}]"
            found.append(f'{place}: Invalid value: "{value}": {problems}')
    if found:
        raise Unreadable(found[0] if len(found) == 1 else f"[{', '.join(found)}]")
    return parsed
