"""The order of the rows of an answer at one moment: by value, or by labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_promql.nodes import Text
from sregym_promql.samples import value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.nodes import Call
    from sregym_promql.samples import Labels

_DIGITS = re.compile("([0-9]+)")


def sorted_rows(node: Call, rows: Sequence[tuple[Labels, float]]) -> list[tuple[Labels, float]]:
    """The rows in the order that a call asks for; as they are, if for none."""
    found = list(rows)
    descending = node.name.endswith("_desc")
    if node.name in ("sort", "sort_desc"):
        found.sort(key=lambda row: _by_value(row[1], descending=descending))
    elif node.name in ("sort_by_label", "sort_by_label_desc"):
        names = [part.value for part in node.arguments[1:] if isinstance(part, Text)]
        found.sort(
            key=lambda row: ([_natural(value_of(row[0], name)) for name in names], row[0]),
            reverse=descending,
        )
    return found


def _by_value(value: float, *, descending: bool) -> tuple[bool, float]:
    return value != value, -value if descending else value


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """Numbers within texts by their size: `v2` before `v10`."""
    return [
        (False, int(part), part) if part.isdigit() and part.isascii() else (True, 0, part)
        for part in _DIGITS.split(text)
        if part
    ]
