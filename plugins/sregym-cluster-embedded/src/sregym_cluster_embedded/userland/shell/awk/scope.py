"""Variables, fields and tables of an awk program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.userland.shell.awk.order import Table
from sregym_cluster_embedded.userland.shell.awk.streams import Streams, inwards, parts
from sregym_cluster_embedded.userland.shell.awk.tokens import unescaped
from sregym_cluster_embedded.userland.shell.awk.values import (
    NOTHING,
    Input,
    Value,
    number_of,
    text_of,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.awk.parsing import Program, Tree
    from sregym_cluster_embedded.userland.shell.session import Session

_SPECIAL: dict[str, Value] = {
    "FS": " ", "OFS": " ", "ORS": "\n", "RS": "\n", "NR": 0.0, "FNR": 0.0, "SUBSEP": "\x1c",
    "FILENAME": "", "CONVFMT": "%.6g", "OFMT": "%.6g", "RSTART": 0.0, "RLENGTH": -1.0,
}  # fmt: skip


class Scope:
    """What a program remembers.

    Args:
        session: Where it runs.
        given: Variables of the command line.
        arguments: `ARGV`, the program's name first.

    Attributes:
        globals: Variables and tables that all functions see.
        frames: Those of the functions that are being carried out, the innermost last.
        streams: What it reads and writes.
    """

    def __init__(self, session: Session, given: dict[str, Value], arguments: list[str]) -> None:
        self.session = session
        self.streams = Streams(session)
        self.globals: dict[str, Value | Table] = {**_SPECIAL, **given}
        self.frames: list[dict[str, Value | Table]] = []
        self.globals["ARGC"] = float(len(arguments))
        for name, values in (
            ("ARGV", {str(number): word for number, word in enumerate(arguments)}),
            (
                "ENVIRON",
                {k: v for k, v in session.environment.items() if k not in session.unexported},
            ),
        ):
            table = self.table()
            for key, value in values.items():
                table.put(inwards(key), Input(inwards(value)))
            self.globals[name] = table
        self._line, self._separator = "", ""
        self._fields: list[str] = []
        self._split = True

    def table(self) -> Table:
        """A new table."""
        return Table(busybox=self.session.busybox)

    def text(self, value: Value, form: str = "") -> str:
        """A value as a text."""
        if isinstance(value, str):
            return value
        return text_of(value, form or str(self.globals["CONVFMT"]))

    def _place(self, name: str) -> dict[str, Value | Table]:
        if self.frames and name in self.frames[-1]:
            return self.frames[-1]
        return self.globals

    def array(self, name: str) -> Table:
        """The table of a name; a new one when it has none."""
        place = self._place(name)
        found = place.get(name)
        if not isinstance(found, Table):
            found = place[name] = self.table()
        return found

    def variable(self, name: str) -> Value:
        """A variable; tables have no value."""
        if name == "NF":
            return float(len(self._parted()))
        found = self._place(name).get(name, NOTHING)
        return NOTHING if isinstance(found, Table) else found

    def set_variable(self, name: str, value: Value) -> None:
        """Set a variable."""
        if name == "NF":
            fields, wanted = self._parted(), max(0, int(number_of(value)))
            self._fields = [*fields[:wanted], *[Input("")] * (wanted - len(fields))]
            self._rejoin()
        else:
            self._place(name)[name] = value

    def assigned(self, word: str) -> bool:
        """Whether an operand is `name=value`; it is set then."""
        match = re.fullmatch(r"([A-Za-z_]\w*)=(.*)", word, re.DOTALL)
        if match is not None:
            self.globals[match[1]] = Input(unescaped(match[2]))
        return match is not None

    def set_line(self, text: str) -> None:
        """Set `$0`."""
        self._line, self._split = text, False
        self._separator = str(self.variable("FS"))

    def field(self, number: int) -> str:
        """A field; the whole line for 0."""
        if number == 0:
            return Input(self._line)
        fields = self._parted()
        return fields[number - 1] if 0 < number <= len(fields) else NOTHING

    def set_field(self, number: int, text: str) -> None:
        """Set a field; the line follows."""
        if number == 0:
            self.set_line(text)
            return
        fields = self._parted()
        allocate(16 * max(0, number - len(fields)))
        fields.extend([Input("")] * (number - len(fields)))
        fields[number - 1] = Input(text)
        self._rejoin()

    def _parted(self) -> list[str]:
        if not self._split:
            self._split = True
            line, separator = self._line, self._separator
            if self.variable("RS") == "" and separator != " ":
                separator = f"{re.escape(separator) if len(separator) == 1 else separator}|\n"
            self._fields = [Input(part) for part in parts(line, separator)]
        return self._fields

    def _rejoin(self) -> None:
        spend(len(self._fields) >> 4)
        self._line = self.text(self.variable("OFS")).join(self._fields)


def shared_parameters(program: Program) -> set[tuple[str, int]]:
    """(function, place) of each parameter that is a table, and so is handed over itself."""
    found: set[tuple[str, int]] = set()
    while True:
        before = len(found)
        for name, function in program.functions.items():
            used = {word for node in function.body for word in _tables(node, found)}
            found |= {
                (name, place) for place, word in enumerate(function.parameters) if word in used
            }
        if len(found) == before:
            return found


def _tables(node: Any, shared: set[tuple[str, int]]) -> list[str]:
    """The names that a tree uses as tables."""
    if not isinstance(node, tuple) or not node:
        return []
    names = _used(node, shared) if isinstance(node[0], str) else []
    for part in node:
        names += _tables(part, shared)
    return names


def _used(node: Tree, shared: set[tuple[str, int]]) -> list[str]:
    kind = node[0]
    if kind in ("element", "delete"):
        return [node[1]]
    if kind in ("each", "in") and isinstance(node[2], str):
        return [node[2]]
    if kind != "call":
        return []
    places = [place for function, place in sorted(shared) if function == node[1]]
    if node[1] == "split":
        places.append(1)
    return [
        node[2][place][1]
        for place in places
        if place < len(node[2]) and node[2][place][0] == "variable"
    ]
