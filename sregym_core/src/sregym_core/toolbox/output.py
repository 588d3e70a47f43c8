"""Output of a tool."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Output:
    """All that a tool has to say, before it is cut into pages."""

    text: str
    ok: bool = True
