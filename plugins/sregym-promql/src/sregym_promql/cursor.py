"""Where the reading of a query stands, and the complaints that arise on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.lexing import Token, words

if TYPE_CHECKING:
    from sregym_promql.nodes import Node

KIND_NAMES = {
    "vector": "instant vector",
    "matrix": "range vector",
    "scalar": "scalar",
    "string": "string",
}


class Wrong(Exception):
    """The first complaint: a place and a text."""

    def __init__(self, place: int, text: str) -> None:
        super().__init__(text)
        self.place = place
        self.text = text


@dataclass(frozen=True)
class Part:
    """An expression that could be read.

    Attributes:
        node: What it is.
        kind: `vector`, `matrix`, `scalar` or `string`.
        start: Place of its first character.
        end: Place behind its last.
        bare: Whether it is a selector or subquery, with nothing around it.
        moved: Whether an offset was given, be it one of nothing.
    """

    node: Node
    kind: str
    start: int
    end: int
    bare: bool = False
    moved: bool = False

    def with_node(self, node: Node, end: int, *, moved: bool | None = None) -> Part:
        """The same with more behind it."""
        return replace(self, node=node, end=end, moved=self.moved if moved is None else moved)


class Cursor:
    """The words of a query, one after the other.

    Complaints about the form of a query end the reading. What is said of types is said only of
    queries whose form is right: `_object` keeps it.

    Args:
        query: The query.
        as_written: Whether what changes nothing is kept: parentheses, plus signs, names of metrics
            as matchers.
        dialect: Which words and forms there are.
    """

    def __init__(
        self, query: str, *, as_written: bool = False, dialect: Dialect = PROMETHEUS_2
    ) -> None:
        self._tokens = words(query, dialect)
        self._dialect = dialect
        self._as_written = as_written
        self._next = 0
        # Inside of how many aggregations' parentheses the cursor is.
        self._aggregations = 0
        self._later: list[Wrong] = []
        self._length_operators = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    @property
    def _following(self) -> Token:
        return self._tokens[min(self._next + 1, len(self._tokens) - 1)]

    @property
    def _last_end(self) -> int:
        return self._tokens[self._next - 1].end

    def _take(self) -> Token:
        token = self._token
        if token.kind == "error":
            raise Wrong(token.start, token.text)
        self._next += 1
        return token

    def _is(self, *texts: str) -> bool:
        token = self._token
        return token.kind in ("symbol", "keyword", "operator") and token.text.lower() in texts

    def _unexpected(self, context: str = "", expected: str = "") -> NoReturn:
        token = self._token
        if token.kind == "error":
            raise Wrong(token.start, token.text)
        context = context or ("aggregation" if self._aggregations else "")
        text = f"unexpected {token.described()}"
        text += f" in {context}" if context else ""
        text += f", expected {expected}" if expected else ""
        raise Wrong(token.start, text)

    def _object(self, place: int, text: str) -> None:
        self._later.append(Wrong(place, text))

    def _expect(self, part: Part, wanted: str, context: str) -> None:
        if part.kind != wanted:
            found = KIND_NAMES[part.kind]
            text = f"expected type {KIND_NAMES[wanted]} in {context}, got {found}"
            self._object(part.start, text)
