"""Words of a script made into the words of a command: variables, substitutions, arithmetic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from sregym_regex.budget import allocate, spend
from sregym_regex.globs import expression
from sregym_regex.linear import linear

from sregym_cluster_embedded.userland.shell import arrays
from sregym_cluster_embedded.userland.shell.arithmetic import Arithmetic, ArithmeticSyntaxError
from sregym_cluster_embedded.userland.shell.bash_variables import bash_variable
from sregym_cluster_embedded.userland.shell.glob_patterns import escaped, transformed, trimmed
from sregym_cluster_embedded.userland.shell.globbing import has_wildcard
from sregym_cluster_embedded.userland.shell.lexing import Word, closing, tokens_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACED = re.compile(
    r"([#!]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?#@*$!-])(\[.+?\])?"
    r"(?:(:?[-+=?]|##?|%%?|//?|:|\^\^?|,,?|@)(.*))?",
    re.S,
)
# Stands for the border between the fields of `"$@"` until the word is taken apart.
_BORDER = "\x00"


class Substitution(Protocol):
    """Runs a script."""

    def __call__(self, text: str, *, raw: bool = False) -> str:
        """What it writes, without the last line breaks unless `raw`."""


class Expansion:
    """Expands words in a session.

    Args:
        session: The session whose variables count.
        substitute: Runs a script and gives its output without the last line breaks.
    """

    def __init__(self, session: Session, substitute: Substitution) -> None:
        self._session = self.session = session
        self._substitute = substitute

    def number(self, text: str) -> int:
        """The value of an arithmetic expression."""
        return self._arithmetic(text)

    def unquoted(self, text: str) -> str:
        """A text with its quotes taken away and everything in it expanded."""
        words = [token for token in tokens_of(text)[0] if isinstance(token, Word)]
        return " ".join(self.joined(word) for word in words)

    def fields(self, word: Word) -> list[tuple[str, str]]:
        """The fields of a word, each with the pattern that it is; empty for one that is none."""
        fields: list[tuple[str, str]] = []
        present, shape, any_part = "", "", False
        spend(len(word.pieces))
        for text, how in word.pieces:
            if how != "plain":
                value = self._literal(text, how)
                if how == "double" and value == _BORDER:
                    continue
                *before, last = value.split(_BORDER) if how == "double" else [value]
                for part in before:
                    fields.append((present + part, shape and shape + escaped(part)))
                    present = shape = ""
                present, shape, any_part = present + last, shape + escaped(last), True
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
                spend(len(parts))
                allocate(len(value) + 60 * len(parts))
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

    def _literal(self, text: str, how: str) -> str:
        """A piece that is not split: quoted, or a pipe to read from."""
        if how == "process":
            return self._session.files.pipe(self._substitute(text + "\n", raw=True))
        return text if how == "single" else self.text(text, quoted=True)

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
        if inside or not re.match(r"~(root)?(/|$)", text):
            return text
        if text.startswith("~root"):
            return "/root" + text[5:]
        return self._session.environment.get("HOME", "/root") + text[1:]

    def joined(self, word: Word) -> str:
        """The word as one text, for redirections and here-documents."""
        return "".join(
            self.text(text, quoted=False) if how == "plain" else self._literal(text, how)
            for text, how in word.pieces
        ).replace(_BORDER, " ")

    def text(self, text: str, *, quoted: bool) -> str:
        """A text with everything in it expanded."""
        parts = [value for value, _ in self._plain(text, quoted=quoted)]
        spend(len(parts) >> 1)
        allocate(sum(map(len, parts)))
        return "".join(parts)

    def _plain(self, text: str, *, quoted: bool = False) -> list[tuple[str, bool]]:
        found: list[tuple[str, bool]] = []
        spend(len(text) >> 1)
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
                inner = text[at + 2 : end - 1]
                several = self._several(inner) if "@" in inner or "*" in inner else None
                if several is None:
                    found.append((self._braced(inner), True))
                elif quoted and "@" in inner:
                    alone = "" if at or end < len(text) else _BORDER
                    found.append((_BORDER.join(several) if several else alone, False))
                else:
                    between = self._session.environment.get("IFS", " ")[:1] if quoted else " "
                    found.append((between.join(several), not quoted))
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
        if self._session.shell == "bash" and name not in session.environment:
            special = bash_variable(session, name)
            if special is not None:
                return special
        if name == "RANDOM":
            return str(int(session.world.seed.fraction("random", session.world.now) * 32768))
        value: str | None = session.environment.get(name)
        if value is None and f"{name}[0]" in session.environment:
            return session.environment[f"{name}[0]"]
        return value

    def _several(self, inner: str) -> list[str] | None:
        """The texts that `${a[@]}` and its kin stand for; None when it is one text."""
        found = _BRACED.fullmatch(inner)
        if found is None or self._session.shell != "bash":
            return None
        mark, name, index, operator, rest = found.groups()
        if mark == "!" and index is None and operator == "@" and not rest:
            known = self._session.environment
            return sorted(key for key in known if key.startswith(name) and "[" not in key)
        if name in ("@", "*") and operator is not None and not mark:
            values = list(self._session.arguments[1:])
            if operator == ":" and self._arithmetic(rest.partition(":")[0]) >= 0:
                values = list(self._session.arguments)
        elif index in ("[@]", "[*]") and mark != "#":
            array = arrays.elements(self._session, name)
            values = list(array) if mark == "!" else list(array.values())
        else:
            return None
        if operator is None:
            return values
        if operator == ":":
            first, _, length = rest.partition(":")
            start = self._arithmetic(first)
            return values[start:][: self._arithmetic(length) if length else None]
        if operator in ("/", "//", "^", "^^", ",", ",,"):
            return [self._reshaped(value, operator, rest) for value in values]
        if operator[0] in "#%":
            return [trimmed(value, operator, self.text(rest, quoted=True)) for value in values]
        if operator.lstrip(":") in ("-", "+"):
            instead = (operator.lstrip(":") == "+") == bool(values)
            return [self.text(rest, quoted=True)] if instead else values
        return values

    def _unset(self, name: str) -> str:
        bash = self._session.shell == "bash"
        return f"{name}: {'unbound variable' if bash else 'parameter not set'}"

    def _braced(self, inner: str) -> str:
        found = _BRACED.fullmatch(inner)
        only_bash = found is not None and (found[3] is not None or found[4] == "@")
        if found is None or (only_bash and self._session.shell != "bash"):
            bad = "syntax error: bad substitution" if self._session.ash else "Bad substitution"
            if self._session.shell == "bash":
                bad = f"${{{inner}}}: bad substitution"
            raise BadSubstitutionError(bad)
        length, name, index, operator, rest = found.groups()
        if index is not None:
            if length == "#" and index in ("[@]", "[*]"):
                return str(len(arrays.elements(self._session, name)))
            key = arrays.key_of(self, name, index[1:-1])
            value = self._session.environment.get(key)
            if value is None and key.endswith("[0]"):
                value = self._session.environment.get(name)
        else:
            value = self._value(name)
        if length == "#":
            return str(len(value or ""))
        if length == "!":
            name, _, inner_index = (value or "").partition("[")
            value = self._braced(value or "") if inner_index else self._value(name)
        if operator is None:
            if value is None and self._session.strict:
                shown = name + (index or "")
                raise BadSubstitutionError(self._unset(shown), unset=True)
            return value or ""
        if operator == "@":
            return transformed(value or "", rest)
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
        return trimmed(value or "", kind, self.text(rest, quoted=True))

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
        start, end = pattern[:1] == "#", pattern[:1] == "%"
        form = expression(self.text(pattern[1:] if start or end else pattern, quoted=True))
        form = f"\\A(?:{form})" if start else f"(?:{form})\\z" if end else form
        fresh = self.text(new, quoted=True)
        return linear(form).sub(lambda _: fresh, value, 0 if operator == "//" else 1)

    def _arithmetic(self, text: str) -> int:
        def assign(name: str, value: str) -> None:
            if "[" in name:
                name = arrays.key_of(self, name.partition("[")[0], name.partition("[")[2][:-1])
                arrays.set_element(self._session, name, value)
                return
            if name not in self._session.environment:
                self._session.unexported.add(name)
            self._session.environment[name] = value

        def value(name: str) -> str:
            if "[" in name:
                return self._braced(name)
            return self._value(name) or ""

        calculator = Arithmetic(value, assign)
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
