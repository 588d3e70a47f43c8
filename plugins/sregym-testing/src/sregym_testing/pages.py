"""Runs the fenced code blocks of documentation pages.

A marker is an HTML comment on the line above the fence:

    <!-- run -->            run these commands in the working directory; all must succeed
    <!-- run: fails -->     the same, but the last one must fail
    <!-- output -->         these lines occur in what the last commands printed, in this order
    <!-- output: whole -->  the last commands printed these lines and no others
    <!-- file: PATH -->     the block is the content of this file from here on

In expected output `...` stands for any text within a line, and alone on a line for any lines.
Runs of blanks count as one, and empty lines do not count.

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
        elif block.verb == "output" and block.argument == "whole":
            assert_whole_output(block, said, where)
        elif block.verb == "output":
            assert_lines_in_order(block, said, where)


def assert_lines_in_order(block: Block, said: str, where: str) -> None:
    """Look for the lines of a block in what was printed.

    Args:
        block: Block with the expected lines.
        said: The output.
        where: File and line, for the error message.

    Raises:
        AssertionError: A line is missing, or comes too early.
    """
    printed = iter(_lines(said))
    for line in _lines(block.text):
        pattern = re.compile(_pattern(line))
        if line != "..." and not any(pattern.search(seen) for seen in printed):
            raise AssertionError(f"{where}: {line!r}\n{said}")


def assert_whole_output(block: Block, said: str, where: str) -> None:
    """Compare all lines that were printed with those of a block.

    Args:
        block: Block with the expected lines, `...` for those left out.
        said: The output.
        where: File and line, for the error message.

    Raises:
        AssertionError: A line is missing, differs, or is not in the block; the message has the
            first line of the block that could not be found behind those before it.
    """
    printed = "".join(f"{line}\n" for line in _lines(said))
    pattern = ""
    for line in _lines(block.text):
        pattern += r"(?:.*\n)*?" if line == "..." else f"{_pattern(line)}\n"
        if not re.match(pattern, printed):
            raise AssertionError(f"{where}: {line!r}\n{said}")
    if not re.fullmatch(pattern, printed):
        raise AssertionError(f"{where}: more was printed\n{said}")


def _lines(text: str) -> list[str]:
    """Lines that are not empty, with single blanks."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _pattern(line: str) -> str:
    """Regular expression of an expected line."""
    return ".*".join(re.escape(part) for part in line.split("..."))
