"""Runs the fenced code blocks of documentation pages.

A marker is an HTML comment on the line above the fence:

    <!-- run -->            run these commands in the working directory; all must succeed
    <!-- run: fails -->     the same, but the last one must fail
    <!-- output -->         these lines occur in what the last commands printed, in this order
    <!-- file: PATH -->     the block is the content of this file from here on

Blocks without one of these are looked at, not run: code must compile, YAML, TOML and JSON must
parse, and commands of `sregym` must exist.

    def test_readme(tmp_path):
        run_page(Path("README.md"), tmp_path, dict(os.environ))
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
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
        language: The info string of the fence.
        text: The content.
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


def run_page(page: Path, folder: Path, variables: Mapping[str, str]) -> None:
    """Run the blocks of a page that have markers, one after the other.

    Args:
        page: A page in Markdown.
        folder: Working directory of the commands, and their HOME.
        variables: Environment variables of the commands.

    Raises:
        AssertionError: A command or its output differs from the page; the message has the output.
    """
    said = ""
    for block in blocks_of(page):
        where = f"{page}:{block.line}"
        if block.verb == "file":
            path = folder / block.argument
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.verb == "run":
            done = subprocess.run(
                ["bash", "-e", "-c", block.text],
                cwd=folder,
                env={**variables, "HOME": str(folder)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            said = done.stdout
            failed = done.returncode != 0
            assert failed == (block.argument == "fails"), f"{where}\n{said}"
        elif block.verb == "output":
            assert_lines_in_order(block, said, where)


def assert_lines_in_order(block: Block, said: str, where: str) -> None:
    """Look for the lines of a block in what was printed; runs of blanks count as one.

    Args:
        block: Block with the expected lines.
        said: The output.
        where: File and line, for the error message.

    Raises:
        AssertionError: A line is missing, or comes too early.
    """
    printed = iter(" ".join(line.split()) for line in said.splitlines())
    for line in block.text.splitlines():
        wanted = " ".join(line.split())
        assert not wanted or any(wanted in seen for seen in printed), f"{where}: {line!r}\n{said}"
