"""Interpreter of scripts of sed."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.userland.files.inode import FileError

if TYPE_CHECKING:
    from sregym_regex.posix import Match, Searching

    from sregym_cluster_embedded.userland.shell.sed.parsing import Address, Order
    from sregym_cluster_embedded.userland.shell.session import Session

# What a command of a script costs.
_STEPS = 4


class _Quit(Exception):
    pass


class _Cycle(Exception):
    """The next line begins; the text is `print` when the present one is written before."""


class Editor:
    """Runs a script over lines.

    Args:
        session: Where.
        orders: The script.
        quiet: Whether lines are written only when told.
        ending: What ends a line.

    Attributes:
        code: With what `q` ended it.
    """

    def __init__(
        self, session: Session, orders: list[Order], *, quiet: bool, ending: str = "\n"
    ) -> None:
        self.session, self.orders, self.quiet, self.ending = session, orders, quiet, ending
        self.hold = self.space = ""
        self.code, self.number = 0, 0
        self._out: list[str] = []
        self.name = "-"
        self._lines: deque[str] = deque()
        self._open = False  # whether the line that was written last lacks its end
        self._whole = True  # whether the present line had one
        self._until: dict[int, int | None] = {}
        self._files: dict[str, str] = {}
        self._last: Searching | None = None
        self._again = False
        self._done = False

    @property
    def out(self) -> str:
        """What was written."""
        if len(self._out) > 1:
            self._out = ["".join(self._out)]
        return self._out[0] if self._out else ""

    def run(self, text: str) -> str:
        """Edit a text; what is written of it."""
        self._out, self._open, self._done = [], False, False
        allocate(len(text))
        self._lines = deque(text.split(self.ending))
        tail = self._lines.pop()
        self._unfinished = bool(tail)
        if tail:
            self._lines.append(tail)
        try:
            while (self._lines or self._again) and not self._done:
                self._cycle()
        except _Quit:
            self._done = True
        for path, written in self._files.items():
            self._keep(path, written)
        return self.out

    def _keep(self, path: str, written: str) -> None:
        try:
            self.session.files.write(self.session.path(path), written)
        except FileError:
            self.code = 4

    def _take(self) -> str:
        line = self._lines.popleft()
        self.number += 1
        self._whole = bool(self._lines) or not self._unfinished
        return line

    def _cycle(self) -> None:
        self._appended: list[str] = []
        if not self._again:
            self.space = self._take()
        self._again = self._swapped = False
        try:
            self._carry_out()
        except _Cycle as end:
            if str(end) == "print":
                self._write_space()
            self._flush()
            return
        except _Quit:
            self._flush()
            raise
        self._write_space()
        self._flush()

    def _write_space(self) -> None:
        if not self.quiet:
            self._write(self.space, whole=self._whole)

    def _flush(self) -> None:
        for text in self._appended:
            self._raw(text)

    def _raw(self, text: str) -> None:
        allocate(len(text) + 60)
        if self._open:
            self._out.append(self.ending)
            self._open = False
        self._out.append(text)

    def _write(self, text: str, *, whole: bool = True) -> None:
        self._raw(text)
        if whole:
            self._out.append(self.ending)
        else:
            self._open = True

    def _carry_out(self) -> None:
        place = 0
        while place < len(self.orders):
            spend(_STEPS)
            order = self.orders[place]
            if self._applies(place, order) == order.negated:
                place = order.jump if order.name == "{" else place
            elif order.name in "btT":
                if order.name == "b" or self._swapped == (order.name == "t"):
                    place = order.jump - 1
                if order.name != "b":
                    self._swapped = False
            else:
                self._one(place, order)
            place += 1

    def _applies(self, place: int, order: Order) -> bool:
        if order.first is None:
            return True
        if order.last is None:
            return self._at(order.first)
        if place in self._until:
            end = self._until[place]
            if end is not None:
                if self.number >= end:
                    del self._until[place]
                return self.number <= end
            if self._at(order.last):
                del self._until[place]
            return True
        if order.first.kind == "line" and order.first.number == 0 and not self.session.busybox:
            if self.number != 1 or self._at(order.last):
                return self.number == 1
            self._until[place] = None
            return True
        if not self._at(order.first):
            return False
        self._begin(place, order.last)
        return True

    def _begin(self, place: int, last: Address) -> None:
        end: int | None = None
        if last.kind == "line":
            end = last.number
        elif last.kind == "more":
            end = self.number + last.number
        elif last.kind == "multiple":
            end = -(-self.number // (last.number or 1)) * (last.number or 1)
        if end is None or end > self.number:
            self._until[place] = end

    def _at(self, address: Address) -> bool:
        if address.kind == "last":
            return not self._lines
        if address.kind == "step":
            if address.step == 0:
                return self.number == address.number
            after = self.number - address.number
            return after >= 0 and after % address.step == 0
        if address.kind == "line":
            return self.number == address.number
        pattern = address.pattern or self._last
        self._last = pattern
        return pattern is not None and pattern.search(self.space) is not None

    def _one(self, place: int, order: Order) -> None:
        name = order.name
        if name == "s":
            self._substitute(order)
        elif name in "pP":
            whole = name == "P" or self._whole
            self._write(self.space if name == "p" else self.space.partition("\n")[0], whole=whole)
        elif name == "d":
            raise _Cycle
        elif name == "D":
            if "\n" in self.space:
                self.space = self.space.partition("\n")[2]
                self._again = True
            raise _Cycle
        elif name in "qQ":
            self.code = int(order.text or 0) & 255
            if name == "q":
                self._write_space()
            raise _Quit
        elif name in "aicrw":
            self._put(place, order)
        elif name == "=":
            self._raw(f"{self.number}\n")
        elif name == "F":
            self._raw(f"{self.name}\n")
        elif name == "l":
            if not self.session.busybox:
                self._raw(_visible(self.space) + "$\n")
        elif name in "nN":
            self._next(name)
        else:
            self._shift(name, order)

    def _shift(self, name: str, order: Order) -> None:
        if name == "y":
            self.space = self.space.translate(str.maketrans(order.text, order.new))
        elif name == "z":
            self.space = ""
        elif name == "h":
            self.hold = self.space
        elif name == "H":
            allocate(len(self.hold) + len(self.space))
            self.hold += f"\n{self.space}"
        elif name == "g":
            self.space = self.hold
        elif name == "G":
            allocate(len(self.hold) + len(self.space))
            self.space += f"\n{self.hold}"
        elif name == "x":
            self.space, self.hold = self.hold, self.space

    def _put(self, place: int, order: Order) -> None:
        name = order.name
        if name == "i":
            self._raw(f"{order.text}\n")
        elif name == "a":
            self._appended.append(f"{order.text}\n")
        elif name == "r":
            if order.text == "/dev/stdin":
                return
            self._appended.append(self.session.files.read(self.session.path(order.text)) or "")
        elif name == "w":
            self._save(order.text)
        else:
            if order.last is None or order.negated or place not in self._until:
                self._raw(f"{order.text}\n")
            raise _Cycle

    def _save(self, path: str) -> None:
        if path in ("/dev/stdout", "/dev/stderr"):
            self._write(self.space)
            return
        allocate(len(self.space))
        self._files[path] = self._files.get(path, "") + f"{self.space}\n"

    def _next(self, name: str) -> None:
        if not self._lines:
            self._write_space()
            raise _Quit
        if name == "n":
            self._write_space()
        line = self._take()
        allocate(len(self.space))
        self.space = line if name == "n" else f"{self.space}\n{line}"

    def _substitute(self, order: Order) -> None:
        pattern = order.pattern or self._last
        if pattern is None:
            return
        self._last = pattern
        digits = re.sub(r"\D", "", order.flags)
        wanted, every, count = int(digits or 1), "g" in order.flags, 0
        busybox = self.session.busybox

        def replaced(match: Match) -> str:
            nonlocal count
            spend(_STEPS + (len(order.new) >> 1))
            count += 1
            # With a number and `g`, BusyBox replaces them all.
            after = count >= wanted or (busybox and every)
            if not after or (count > wanted and not every):
                return match.group()
            return filled(order.new, match, cased=not busybox)

        limit = 0 if every else wanted
        self.space = pattern.sub(replaced, self.space, limit)
        if count >= wanted:
            self._swapped = True
            if "p" in order.flags:
                self._write(self.space, whole=self._whole)
            if order.text:
                self._save(order.text)


def filled(new: str, match: Match, *, cased: bool) -> str:
    r"""What `s` puts in place of a match.

    Args:
        new: The replacement.
        match: What was found.
        cased: Whether `\U`, `\L`, `\u`, `\l` and `\E` change cases.
    """
    out, case, once = "", "", ""
    code = r"\\x[0-9a-fA-F]{1,2}|" if cased else ""
    for part in re.findall(rf"&|{code}\\(?:.|\n)|[^&\\]+|\\", new, re.DOTALL):
        if cased and part in ("\\U", "\\L", "\\E", "\\u", "\\l"):
            if part in ("\\u", "\\l"):
                once = part
            else:
                case = part
            continue
        text = _meant(part, match)
        if case in ("\\U", "\\L"):
            text = text.upper() if case == "\\U" else text.lower()
        if once and text:
            text = (text[0].upper() if once == "\\u" else text[0].lower()) + text[1:]
            once = ""
        out += text
    return out


def _meant(part: str, match: Match) -> str:
    if part == "&":
        return match.group()
    if part[0] != "\\" or len(part) == 1:
        return part
    if part[1].isdigit():
        number = int(part[1])
        return (match.group(number) or "") if number <= (match.re.groups or 0) else ""
    if len(part) > 2:
        return chr(int(part[2:], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "f": "\f", "v": "\v"}.get(part[1], part[1])


def _visible(text: str) -> str:
    known = {"\t": "\\t", "\n": "\\n", "\\": "\\\\", "\r": "\\r", "\a": "\\a", "\b": "\\b"}
    return "".join(
        known.get(char, char) if char.isprintable() or char in known
        else "".join(f"\\{byte:03o}" for byte in char.encode(errors="surrogateescape"))
        for char in text
    )  # fmt: skip
