"""Pages: what does not fit is kept, so that reading on runs nothing again."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.toolbox.output import Output

PAGE_CHARACTERS = 12_000
KEPT = 16


@dataclass(frozen=True)
class _Kept:
    pages: tuple[str, ...]
    lines: tuple[int, ...]
    ok: bool


class Pages:
    """The latest long answers of a session, by the call that gave them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def fork(self) -> Pages:
        """The same answers, to go on by itself."""
        twin = Pages()
        twin._kept = self._kept.copy()
        return twin

    def keep(self, tool: str, arguments: Mapping[str, object], output: Output) -> int:
        """Cut an answer into pages and remember them; returns how many there are."""
        pages, lines = _cut(output.text)
        key = _key(tool, arguments)
        self._kept.pop(key, None)
        if len(pages) > 1:
            self._kept[key] = _Kept(pages, lines, output.ok)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return len(pages)

    def page(
        self, tool: str, arguments: Mapping[str, object], number: int
    ) -> tuple[str, bool, int]:
        """A page of a remembered answer or that there is none, whether the call succeeded, and how many there are."""
        kept = self._kept.get(_key(tool, arguments))
        if kept is None or number > len(kept.pages):
            text = f"there is no page {number} of this answer; call {tool} without page first"
            return text, False, 1
        first = 1 + sum(kept.lines[: number - 1])
        note = page_note(
            number, len(kept.pages), first, first + kept.lines[number - 1] - 1, sum(kept.lines)
        )
        return f"{kept.pages[number - 1]}\n{note}", kept.ok, len(kept.pages)


def page_note(number: int, pages: int, first: int, last: int, lines: int) -> str:
    """The last line of a page that is not all."""
    more = f"; repeat the call with page={number + 1} for more" if number < pages else ""
    return f"[page {number} of {pages}, lines {first} to {last} of {lines}{more}]"


def _key(tool: str, arguments: Mapping[str, object]) -> str:
    others = {name: value for name, value in arguments.items() if name != "page"}
    return json.dumps([tool, others], sort_keys=True, default=str)


def _cut(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Pages of whole lines; a line that fills more than a page is cut in the middle."""
    if len(text) <= PAGE_CHARACTERS:
        return (text,), (text.count("\n") + 1,)
    pieces: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        starts = range(0, max(len(line), 1), PAGE_CHARACTERS)
        pieces.extend(line[start : start + PAGE_CHARACTERS] for start in starts)
    pages: list[list[str]] = [[]]
    size = 0
    for piece in pieces:
        if pages[-1] and size + len(piece) + 1 > PAGE_CHARACTERS:
            pages.append([])
            size = 0
        pages[-1].append(piece)
        size += len(piece) + 1
    return tuple("\n".join(page) for page in pages), tuple(len(page) for page in pages)
