"""What was guessed of an existing deployment, and what was left out, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Remark(NamedTuple):
    """One thing that people should know of what was read.

    Attributes:
        kind: `guessed`, `changed` or `left out`.
        where: The object, service or file that it is about.
        text: What, and why.
    """

    kind: str
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.text}"


class Remarks:
    """Remarks in the order of the work; each once."""

    def __init__(self) -> None:
        self._found: dict[Remark, None] = {}

    def guessed(self, where: str, text: str) -> None:
        """Something that the source does not say."""
        self._found.setdefault(Remark("guessed", where, text))

    def changed(self, where: str, text: str) -> None:
        """Something that is not as it was in the source."""
        self._found.setdefault(Remark("changed", where, text))

    def left_out(self, where: str, text: str) -> None:
        """Something of the source that the application has not."""
        self._found.setdefault(Remark("left out", where, text))

    def __iter__(self) -> Iterator[Remark]:
        return iter(self._found)

    def of(self, kind: str) -> list[Remark]:
        """Those of one kind."""
        return [remark for remark in self._found if remark.kind == kind]
