"""Fenced blocks of a page, with the marker before each.

A marker is an HTML comment on the line above the fence:

    <!-- run -->            run these commands in the folder of the page's story; all must succeed
    <!-- run: fails -->     the same, but the last one must fail
    <!-- output -->         these lines occur in what the last commands printed, in this order
    <!-- file: PATH -->     the block is the content of this file from here on

Blocks without one of these are looked at, not run: code must compile, YAML, TOML and JSON must
parse, and commands of `sregym` must exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^(?:<!-- (?P<verb>run|output|file)(?:: (?P<argument>[^>]*?))? -->\n)?"
    r"```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        line: Where its text begins.
        language: The word behind the fence.
        text: What stands in it.
        verb: Of its marker, or empty.
        argument: Of its marker, or empty.
    """

    line: int
    language: str
    text: str
    verb: str
    argument: str


def blocks_of(page: Path) -> list[Block]:
    """All blocks of a page, in order."""
    content = page.read_text(encoding="utf-8")
    return [
        Block(
            line=content.count("\n", 0, match.start("text")) + 1,
            language=match["language"],
            text=match["text"],
            verb=match["verb"] or "",
            argument=match["argument"] or "",
        )
        for match in _BLOCK.finditer(content)
    ]
