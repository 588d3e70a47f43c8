"""Words of a script made into the words of a command: variables, substitutions, arithmetic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.arithmetic import Arithmetic, ArithmeticSyntaxError
from sregym_cluster_embedded.userland.shell.globbing import has_wildcard
from sregym_cluster_embedded.userland.shell.lexing import Word, closing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.session import Session

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACED = re.compile(
    r"([#!]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?#@*$!-])(?:(:?[-+=?]|##?|%%?|//?|:|\^\^?|,,?)(.*))?",
    re.S,
)
# Stands for the border between the fields of `"$@"` until the word is taken apart.
_BORDER = "\x00"


class Expansion:
    """Expands words in a session.

    Args:
        session: Whose variables count.
        substitute: Runs a script and gives its output without the last line breaks.
    """

    def __init__(self, session: Session, substitute: Callable[[str], str]) -> None:
        self._session = session
        self._substitute = substitute

    def fields(self, word: Word) -> list[tuple[str, str]]:
        """The fields of a word, each with the pattern that it is; empty for one that is none."""
        fields: list[tuple[str, str]] = []
        present, shape, any_part = "", "", False
        for text, how in word.pieces:
            if how != "plain":
                value = text if how == "single" else self.text(text, quoted=True)
                if how == "double" and value == _BORDER:
                    continue
                *before, last = value.split(_BORDER) if how == "double" else [value]
                for part in before:
                    fields.append((present + part, shape and shape + _escaped(part)))
                    present = shape = ""
                present, shape, any_part = present + last, shape + _escaped(last), True
                continue
            for value, split in self._plain(self._at_home(text, bool(present))):
                if not split:
                    present, shape, any_part = (
                        present + value,
                        shape + value,
                        any_part or bool(value),
                    )
                    continue
                parts = value.split()
                if value[:1].isspace() and any_part:
                    fields.append((present, shape))
                    present, shape, any_part = "", "", False
                for number, part in enumerate(parts):
                    if number:
                        fields.append((present, shape))
                        present = shape = ""
                    present, shape, any_part = present + part, shape + part, True
                if parts and value[-1:].isspace():
                    fields.append((present, shape))
                    present, shape, any_part = "", "", False
        if any_part:
            fields.append((present, shape))
        return [(text, shape if has_wildcard(shape) else "") for text, shape in fields]

    def pattern(self, word: Word) -> str:
        """The word as a pattern in which quoted characters stand for themselves."""
        return "".join(
            re.sub(
                r"([*?\[\]\\])", r"\\\1", text if how == "single" else self.text(text, quoted=True)
            )
            if how != "plain"
            else self.text(text, quoted=False)
            for text, how in word.pieces
        )

    def _at_home(self, text: str, inside: bool) -> str:
        """A leading `~` stands for the home folder."""
        if inside or not re.match(r"~(/|$)", text):
            return text
        return self._session.environment.get("HOME", "/root") + text[1:]

    def joined(self, word: Word) -> str:
        """The word as one text, for redirections and here-documents."""
        return "".join(
            text if how == "single" else self.text(text, quoted=how == "double")
            for text, how in word.pieces
        ).replace(_BORDER, " ")

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
                value = self._value(name.group())
                if value is None and self._session.strict:
                    raise BadSubstitutionError(self._unset(name.group()), unset=True)
                found.append((value or "", True))
                at = name.end()
            elif quoted and text.startswith("$@", at):
                found.append((_BORDER.join(self._session.arguments[1:]) or _BORDER, False))
                at += 2
            elif char == "$" and text[at + 1 : at + 2] in tuple("0123456789?#@*$!-"):
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
            return str(session.pid)
        if name == "!":
            return str(session.background) if session.background else ""
        if name == "-":
            return "" if self._session.dash else "c"
        if name == "#":
            return str(len(session.arguments) - 1)
        if name in "@*":
            between = session.environment.get("IFS", " ")[:1] if name == "*" else " "
            return between.join(session.arguments[1:])
        if name.isdecimal():
            number = int(name)
            known = number < len(session.arguments)
            return str(session.arguments[number]) if known else None
        if name == "PWD":
            return session.working_dir
        if name == "RANDOM":
            return str(int(session.world.seed.fraction("random", session.world.now) * 32768))
        value: str | None = session.environment.get(name)
        return value

    def _unset(self, name: str) -> str:
        bash = self._session.shell == "bash"
        return f"{name}: {'unbound variable' if bash else 'parameter not set'}"

    def _braced(self, inner: str) -> str:
        found = _BRACED.fullmatch(inner)
        if found is None:
            bad = "syntax error: bad substitution" if self._session.busybox else "Bad substitution"
            if self._session.shell == "bash":
                bad = f"${{{inner}}}: bad substitution"
            raise BadSubstitutionError(bad)
        length, name, operator, rest = found.groups()
        value = self._value(name)
        if length == "#":
            return str(len(value or ""))
        if length == "!":
            value = self._value(value or "")
        if operator is None:
            if value is None and self._session.strict:
                raise BadSubstitutionError(self._unset(name), unset=True)
            return value or ""
        if operator in ("/", "//", ":", "^", "^^", ",", ",,"):
            if self._session.dash:
                raise BadSubstitutionError("Bad substitution")
            return self._reshaped(value or "", operator, rest)
        absent = value is None or (operator.startswith(":") and not value)
        kind = operator.lstrip(":")
        if kind == "+":
            return "" if absent else self.text(rest, quoted=True)
        if kind == "?" and absent:
            why = "parameter not set or null" if operator == ":?" else "parameter not set"
            if self._session.shell == "bash":
                why = "parameter null or not set" if operator == ":?" else "parameter not set"
            text = f"{name}: {self.text(rest, quoted=True) or why}"
            raise BadSubstitutionError(text, unset=True)
        if kind in "-=?":
            if absent and kind == "=":
                self._session.environment[name] = self.text(rest, quoted=True)
            return self.text(rest, quoted=True) if absent else value or ""
        return _trimmed(value or "", kind, self.text(rest, quoted=True))

    def _reshaped(self, value: str, operator: str, rest: str) -> str:
        """`${x/a/b}`, `${x:1:2}` and the changes of case, as bash and BusyBox have them."""
        if operator == ":":
            first, _, length = rest.partition(":")
            start = self._arithmetic(first)
            cut = value[start:] if start >= 0 else value[max(0, len(value) + start) :]
            return cut if not length else cut[: self._arithmetic(length)]
        if operator[0] in "^,":
            call = str.upper if operator[0] == "^" else str.lower
            return call(value) if len(operator) == 2 else call(value[:1]) + value[1:]
        pattern, _, new = rest.partition("/")
        form = expression(self.text(pattern, quoted=True))
        fresh = self.text(new, quoted=True)
        return re.sub(form, lambda _: fresh, value, count=0 if operator == "//" else 1)

    def _arithmetic(self, text: str) -> int:
        def assign(name: str, value: str) -> None:
            self._session.environment[name] = value

        calculator = Arithmetic(lambda name: self._value(name) or "", assign)
        plain = self.text(text, quoted=True)
        if self._session.dash and re.search(r"\*\*|\+\+|--|,", plain):
            raise BadSubstitutionError(self._no_number(plain, ""))
        try:
            return calculator.evaluate(plain)
        except ArithmeticSyntaxError as error:
            raise BadSubstitutionError(self._no_number(plain, str(error))) from error

    def _no_number(self, text: str, why: str) -> str:
        """What the shell says of an expression that is none."""
        if self._session.dash:
            what = "division by zero" if why == "divide by zero" else "expecting primary"
            what = "expecting EOF" if re.search(r",|\b0\d*[89]", text) else what
            return f'arithmetic expression: {what}: "{text}"'
        if self._session.shell == "bash":
            if why == "divide by zero":
                token = re.split(r"[/%]", text)[-1].strip()
                return f'{text}: division by 0 (error token is "{token}")'
            return f'{text}: syntax error: operand expected (error token is "{text[-1:]}")'
        return why


class BadSubstitutionError(ValueError):
    """Something in a word cannot be expanded; the shell ends with this message.

    Args:
        message: What the shell says.
        unset: Whether a variable should have been set.
    """

    def __init__(self, message: str, *, unset: bool = False) -> None:
        super().__init__(message)
        self.unset = unset


def _trimmed(value: str, kind: str, pattern: str) -> str:
    form = expression(pattern)
    lengths = range(len(value) + 1)
    if kind.startswith("#"):
        hits = [n for n in lengths if re.fullmatch(form, value[:n])]
        return value[(max(hits) if kind == "##" else min(hits)) :] if hits else value
    hits = [n for n in lengths if re.fullmatch(form, value[len(value) - n :])]
    return value[: len(value) - (max(hits) if kind == "%%" else min(hits))] if hits else value


def expression(pattern: str) -> str:
    """A pattern of the shell as a regular expression."""
    out, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        end = pattern.find("]", at + 2)
        if char == "*":
            out += ".*"
        elif char == "?":
            out += "."
        elif char == "[" and end > 0:
            inner = pattern[at + 1 : end]
            out += f"[{'^' + inner[1:] if inner[:1] == '!' else inner}]"
            at = end
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            out += re.escape(pattern[at])
        else:
            out += re.escape(char)
        at += 1
    return out


def _escaped(text: str) -> str:
    """A quoted text as a part of a pattern: its characters stand for themselves."""
    if not any(char in text for char in "*?["):
        return text
    return re.sub(r"([*?\[])", r"[\1]", text)
