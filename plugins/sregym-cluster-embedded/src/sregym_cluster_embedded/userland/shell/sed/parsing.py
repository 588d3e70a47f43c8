"""Scripts of sed as lists of commands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sregym_regex.posix import PatternError, Searching, compiled

_PLAIN = "dDgGhHnNpPx=l"
_NUMBER = re.compile(r"\d+")


class ScriptError(ValueError):
    """The script cannot be understood.

    Attributes:
        at: How many characters had been read; None where GNU does not count them.
    """

    def __init__(self, said: str, at: int | None) -> None:
        super().__init__(said)
        self.at = at


@dataclass(frozen=True)
class Address:
    """Where a command applies.

    Attributes:
        kind: `line`, `last`, `regex`, `step`, `more` (`+N`) or `multiple` (`~N`).
        number: The line, the first line, or how many.
        step: Every how many lines.
        pattern: The expression; None for the one that was used last.
    """

    kind: str
    number: int = 0
    step: int = 0
    pattern: Searching | None = None


@dataclass(frozen=True)
class Order:
    """A command of a script.

    Attributes:
        name: Its letter.
        first: Where it applies; None for every line.
        last: Where the range ends.
        negated: Whether it applies everywhere else.
        text: What stands behind it: a text, a label, a file, a code.
        pattern: What `s` looks for; None for the expression that was used last.
        new: What it puts there.
        flags: Its options.
        jump: Where a branch leads, and where a block ends.
    """

    name: str
    first: Address | None = None
    last: Address | None = None
    negated: bool = False
    text: str = ""
    pattern: Searching | None = None
    new: str = ""
    flags: str = ""
    jump: int = 0


class Reader:
    """Reads a script.

    Args:
        text: The script.
        extended: Whether expressions are extended ones.
        busybox: Whose sed it is.
    """

    def __init__(self, text: str, *, extended: bool, busybox: bool) -> None:
        self.text, self.at = text, 0
        self.extended, self.busybox = extended, busybox

    def orders(self) -> list[Order]:
        """All commands, one behind the other; blocks and branches tell where they lead.

        Raises:
            ScriptError: It is no script.
        """
        found: list[Order] = []
        open_blocks: list[int] = []
        while self._more():
            order = self._order()
            if order.name == "{":
                open_blocks.append(len(found))
            elif order.name == "}":
                if not open_blocks and not self.busybox:
                    raise self._wrong("unexpected `}'", "")
                if open_blocks:
                    start = open_blocks.pop()
                    found[start] = _led(found[start], len(found))
            found.append(order)
        if open_blocks and not self.busybox:
            raise ScriptError("unmatched `{'", 0)
        labels = {order.text: place for place, order in enumerate(found) if order.name == ":"}
        for place, order in enumerate(found):
            if order.name in "btT" and order.text:
                if order.text not in labels:
                    mark = "'" if self.busybox else "`"
                    raise ScriptError(f"can't find label for jump to {mark}{order.text}'", None)
                found[place] = _led(order, labels[order.text])
            elif order.name in "btT":
                found[place] = _led(order, len(found))
        return found

    def _wrong(self, gnu: str, busybox: str) -> ScriptError:
        return ScriptError(busybox if self.busybox else gnu, self.at)

    def _more(self) -> bool:
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at] in "; \t\n":
                self.at += 1
            else:
                return True
        return False

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _order(self) -> Order:
        first, last = self._address(), None
        if self._peek() == "," and (first is not None or self.busybox):
            self.at += 1
            self._blanks()
            last = self._address(second=True)
            if last is None:
                self.at += bool(self._peek())
                raise self._wrong("unexpected `,'", "no address after comma")
        self._blanks()
        negated = False
        while self._peek() == "!":
            negated = True
            self.at += 1
            self._blanks()
        if not self._peek() or self._peek() == "\n" or (self._peek() == ";" and first):
            raise self._wrong("missing command", "missing command")
        name = self._peek()
        self.at += 1
        return self._behind(Order(name, first, last, negated))

    def _behind(self, order: Order) -> Order:
        name = order.name
        if name == "s":
            return self._substitution(order)
        if name == "y":
            return self._translation(order)
        if name in "aic":
            return _with(order, self._text())
        if name in "rw":
            self._blanks()
            path = self._rest("\n")
            if not path:
                raise self._wrong("missing filename in r/R/w/W commands", "empty filename")
            return _with(order, path)
        if name == ":":
            return _with(order, self._label())
        if name in "btT":
            return _with(order, self._label())
        if name in "qQ" and not self.busybox:
            self._blanks()
            code = _NUMBER.match(self.text, self.at)
            self.at = code.end() if code else self.at
            self._ended()
            return _with(order, code.group() if code else "")
        if name in "{}":
            return order
        if name not in _PLAIN + ("q" if self.busybox else "qQFz"):
            raise self._wrong(f"unknown command: `{name}'", f"unsupported command {name}")
        self._ended()
        return order

    def _blanks(self) -> None:
        while self._peek() in (" ", "\t") and self._peek():
            self.at += 1

    def _ended(self) -> None:
        self._blanks()
        if self._peek() in ("", ";", "\n", "}", "#") or self.busybox:
            return
        self.at += 1
        raise self._wrong("extra characters after command", "")

    def _rest(self, ends: str) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ends:
            self.at += 1
        return self.text[start : self.at]

    def _label(self) -> str:
        self._blanks()
        return self._rest(";\n" if not self.busybox else ";\n}").strip()

    def _text(self) -> str:
        """What `a`, `i` and `c` write."""
        self._blanks()
        if self._peek() == "\\":
            self.at += 1
            if self._peek() == "\n":
                self.at += 1
            elif (
                self.text[self.at :].partition("\n")[0].strip() == ""
                and "\n" in self.text[self.at :]
            ):
                self.at = self.text.index("\n", self.at) + 1
        elif self._peek() in ("", "\n") and not self.busybox:
            raise self._wrong(
                "expected \\ after `a', `c' or `i'", "expected \\ after 'a', 'c' or 'i'"
            )
        out = ""
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == "\n":
                break
            if char == "\\" and self.at < len(self.text):
                char = self.text[self.at]
                self.at += 1
                if char == "t":
                    char = "\t"
            out += char
        return out

    def _address(self, *, second: bool = False) -> Address | None:
        char = self._peek()
        if char == "/" or (char == "\\" and self.at + 1 < len(self.text)):
            if char == "\\":
                self.at += 1
            text = self._delimited("unterminated address regex")
            ignore = self._peek() == "I" and not self.busybox
            self.at += ignore
            return Address("regex", pattern=self._compiled(text, ignore=ignore) if text else None)
        if char == "$":
            self.at += 1
            return Address("last")
        signs = "+~" if second and not self.busybox else "+" if second else ""
        if char and char in signs:
            self.at += 1
            match = _NUMBER.match(self.text, self.at)
            self.at = match.end() if match else self.at
            number = int(match.group()) if match else 0
            return Address("more" if char == "+" else "multiple", number)
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        number = int(match.group())
        if self._peek() == "~" and not self.busybox:
            self.at += 1
            step = _NUMBER.match(self.text, self.at)
            self.at = step.end() if step else self.at
            return Address("step", number, int(step.group()) if step else 0)
        return Address("line", number)

    def _compiled(self, text: str, *, ignore: bool = False, multiple: bool = False) -> Searching:
        try:
            return compiled(text, extended=self.extended, ignore_case=ignore, multiline=multiple)
        except PatternError as error:
            said = f"bad regex '{text}': {error}" if self.busybox else str(error)
            raise ScriptError(said, self.at) from None

    def _delimited(self, complaint: str) -> str:
        """What stands between the present mark and the next one like it."""
        mark, out = self._peek(), ""
        self.at += 1
        bracket = False
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\" and self.at + 1 < len(self.text) and not bracket:
                follow = self.text[self.at + 1]
                out += follow if follow == mark and mark not in "|()." else char + follow
                self.at += 2
                continue
            if char == "[" and not bracket:
                bracket = True
            elif char == "]" and out[-1:] not in ("[", "^"):
                bracket = False
            if char == mark and not bracket:
                self.at += 1
                return out
            if char == "\n" and complaint.endswith("regex"):
                break
            out += char
            self.at += 1
        raise self._wrong(complaint, f"unmatched '{mark}'")

    def _substitution(self, order: Order) -> Order:
        looked = self._delimited("unterminated `s' command")
        self.at -= 1
        new = self._replacement("unterminated `s' command")
        flags = ""
        path = ""
        while self._peek() and self._peek() not in ";\n} \t#":
            flag = self._peek()
            self.at += 1
            if flag == "w":
                self._blanks()
                path = self._rest("\n")
                break
            if flag not in "gpiIemM0123456789":
                raise self._wrong("unknown option to `s'", "bad option in substitution expression")
            flags += flag
        digits = re.sub(r"\D", "", flags)
        if digits and int(digits) == 0 and not self.busybox:
            raise self._wrong(
                "number option to `s' command may not be zero",
                "bad option in substitution expression",
            )
        self._ended()
        pattern = None
        if looked:
            pattern = self._compiled(
                looked, ignore="i" in flags.lower(), multiple="m" in flags.lower()
            )
            used = [int(digit) for digit in re.findall(r"(?<!\\)(?:\\\\)*\\([1-9])", new)]
            if used and max(used) > pattern.groups and not self.busybox:
                raise self._wrong(
                    f"invalid reference \\{max(used)} on `s' command's RHS",
                    f"invalid reference \\{max(used)} on s command's RHS",
                )
        return Order("s", order.first, order.last, order.negated, path, pattern, new, flags)

    def _replacement(self, complaint: str) -> str:
        mark, out = self._peek(), ""
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\" and self.at + 1 < len(self.text):
                follow = self.text[self.at + 1]
                out += follow if follow == mark and mark != "&" else char + follow
                self.at += 2
                continue
            self.at += 1
            if char == mark:
                return out
            out += char
        raise self._wrong(complaint, f"unmatched '{mark}'")

    def _translation(self, order: Order) -> Order:
        first = self._replacement("unterminated `y' command")
        self.at -= 1
        second = self._replacement("unterminated `y' command")
        known = {"n": "\n", "t": "\t", "\\": "\\"}
        first, second = (
            re.sub(r"\\(.)", lambda m: known.get(m[1], m[0]), text) for text in (first, second)
        )
        if len(first) != len(second) and not self.busybox:
            raise self._wrong(
                "strings for `y' command are different lengths",
                "y command strings have different lengths",
            )
        self._ended()
        length = min(len(first), len(second))
        return Order(
            "y", order.first, order.last, order.negated, first[:length], None, second[:length]
        )


def _with(order: Order, text: str) -> Order:
    return Order(order.name, order.first, order.last, order.negated, text)


def _led(order: Order, jump: int) -> Order:
    return Order(order.name, order.first, order.last, order.negated, order.text, jump=jump)
