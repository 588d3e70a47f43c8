"""Words of a script made into the words of a command: variables, substitutions, arithmetic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.lexing import Word, closing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.session import Session

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACED = re.compile(r"(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9?#@*$])(?:(:?[-+=?]|##?|%%?)(.*))?", re.S)


class Expansion:
    """Expands words in a session.

    Args:
        session: Whose variables count.
        substitute: Runs a script and gives its output without the last line breaks.
    """

    def __init__(self, session: Session, substitute: Callable[[str], str]) -> None:
        self._session = session
        self._substitute = substitute

    def fields(self, word: Word) -> list[tuple[str, bool]]:
        """The fields of a word, each with whether patterns in it count as such."""
        fields: list[tuple[str, bool]] = []
        present, any_part, bare = "", False, True
        for text, how in word.pieces:
            if how == "single":
                present, any_part, bare = present + text, True, False
            elif how == "double":
                value = self.text(text, quoted=True)
                present, any_part, bare = present + value, True, False
            else:
                for index, (value, split) in enumerate(self._plain(text)):
                    del index
                    if not split:
                        present, any_part = present + value, any_part or bool(value)
                        continue
                    parts = value.split()
                    if value[:1].isspace() and any_part:
                        fields.append((present, bare))
                        present, any_part = "", False
                    for number, part in enumerate(parts):
                        if number:
                            fields.append((present, bare))
                            present = ""
                        present, any_part = present + part, True
        if any_part:
            fields.append((present, bare))
        return fields

    def joined(self, word: Word) -> str:
        """The word as one text, for redirections and here-documents."""
        return "".join(
            text if how == "single" else self.text(text, quoted=how == "double")
            for text, how in word.pieces
        )

    def text(self, text: str, *, quoted: bool) -> str:
        """A text with everything in it expanded."""
        return "".join(value for value, _ in self._plain(text, quoted=quoted))

    def _plain(self, text: str, *, quoted: bool = False) -> list[tuple[str, bool]]:
        found: list[tuple[str, bool]] = []
        at = 0
        while at < len(text):
            char = text[at]
            if quoted and char == "\\" and text[at + 1 : at + 2] in ("$", "`", '"', "\\", "\n"):
                follow = text[at + 1]
                found.append(("" if follow == "\n" else follow, False))
                at += 2
            elif char == "`":
                end = closing(text, at)
                found.append((self._substitute(text[at + 1 : end - 1]), True))
                at = end
            elif text.startswith("$((", at):
                end = closing(text, at)
                found.append((str(self._arithmetic(text[at + 3 : end - 2])), False))
                at = end
            elif text.startswith("$(", at):
                end = closing(text, at)
                found.append((self._substitute(text[at + 2 : end - 1]), True))
                at = end
            elif text.startswith("${", at):
                end = closing(text, at)
                found.append((self._braced(text[at + 2 : end - 1]), True))
                at = end
            elif char == "$" and (name := _NAME.match(text, at + 1)):
                found.append((self._value(name.group()) or "", True))
                at = name.end()
            elif char == "$" and text[at + 1 : at + 2] in tuple("0123456789?#@*$"):
                found.append((self._value(text[at + 1]) or "", True))
                at += 2
            else:
                found.append((char, False))
                at += 1
        return found

    def _value(self, name: str) -> str | None:
        session = self._session
        if name == "?":
            return str(session.last)
        if name == "$":
            return "1"
        if name == "#":
            return str(len(session.arguments) - 1)
        if name in "@*":
            return " ".join(session.arguments[1:])
        if name.isdecimal():
            number = int(name)
            known = number < len(session.arguments)
            return str(session.arguments[number]) if known else None
        if name == "PWD":
            return session.working_dir
        value: str | None = session.environment.get(name)
        return value

    def _braced(self, inner: str) -> str:
        found = _BRACED.fullmatch(inner)
        if found is None:
            return ""
        length, name, operator, rest = found.groups()
        value = self._value(name)
        if length:
            return str(len(value or ""))
        if operator is None:
            return value or ""
        absent = value is None or (operator.startswith(":") and not value)
        kind = operator.lstrip(":")
        if kind == "+":
            return "" if absent else self.text(rest, quoted=True)
        if kind in "-=?":
            if absent and kind == "=":
                self._session.environment[name] = self.text(rest, quoted=True)
            return self.text(rest, quoted=True) if absent else value or ""
        return _trimmed(value or "", kind, rest)

    def _arithmetic(self, text: str) -> int:
        shown = _NAME.sub(lambda m: self._value(m.group()) or "0", self.text(text, quoted=True))
        return arithmetic(shown.replace("$", ""))


def _trimmed(value: str, kind: str, pattern: str) -> str:
    expression = "".join(
        ".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern
    )
    lengths = range(len(value) + 1)
    if kind.startswith("#"):
        hits = [n for n in lengths if re.fullmatch(expression, value[:n])]
        return value[(max(hits) if kind == "##" else min(hits)) :] if hits else value
    hits = [n for n in lengths if re.fullmatch(expression, value[len(value) - n :])]
    return value[: len(value) - (max(hits) if kind == "%%" else min(hits))] if hits else value


def arithmetic(text: str) -> int:
    """The value of an integer expression with + - * / % and parentheses; 0 for anything else."""
    tokens: list[str] = re.findall(r"\d+|[-+*/%()]", text)
    position = 0

    def take(kinds: tuple[str, ...]) -> str | None:
        nonlocal position
        if position < len(tokens) and tokens[position] in kinds:
            position += 1
            return tokens[position - 1]
        return None

    def factor() -> int:
        nonlocal position
        if take(("(",)):
            value = total()
            take((")",))
            return value
        if take(("-",)):
            return -factor()
        if position < len(tokens) and tokens[position].isdecimal():
            position += 1
            return int(tokens[position - 1])
        return 0

    def product() -> int:
        value = factor()
        while operator := take(("*", "/", "%")):
            right = factor()
            if operator == "*":
                value *= right
            elif right:
                value = value // right if operator == "/" else value % right
        return value

    def total() -> int:
        value = product()
        while operator := take(("+", "-")):
            value = value + product() if operator == "+" else value - product()
        return value

    return total()
