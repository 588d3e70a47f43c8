"""Blocks of pages are run, and what they print is compared with the page."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sregym_testing import run_page

COMMANDS = "<!-- run -->\n```bash\nprintf 'one  1\\n\\ntwo 2 s\\nthree\\n'\n```\n\n"
PRINTED = "one  1\n\ntwo 2 s\nthree\n"


def play(tmp_path: Path, marker: str, expected: str) -> Path:
    """Run a page with these commands and this expected output."""
    page = tmp_path / "page.md"
    page.write_text(f"{COMMANDS}<!-- {marker} -->\n```text\n{expected}```\n", encoding="utf-8")
    run_page(page, tmp_path, dict(os.environ))
    return page


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("output", "two\n"),
        ("output", "one\n...\nthree\n"),
        ("output", "two ... s\n"),
        ("output: whole", "one 1\ntwo   2 s\n\nthree\n"),
        ("output: whole", "one 1\n...\nthree\n"),
        ("output: whole", "...\ntwo ... s\n...\n"),
        ("output: whole", "one 1\ntwo 2 s\nthree\n...\n"),
    ],
)
def test_output_agrees_with_the_page(tmp_path: Path, marker: str, expected: str) -> None:
    play(tmp_path, marker, expected)


@pytest.mark.parametrize(
    ("marker", "expected", "told"),
    [
        ("output", "four\n", "'four'"),
        ("output", "three\ntwo\n", "'two'"),
        ("output", "two ... ms\n", "'two ... ms'"),
        ("output: whole", "one\n", "'one'"),
        ("output: whole", "one 1\nthree\n", "'three'"),
        ("output: whole", "one 1\n...\ntwo 3 s\n", "'two 3 s'"),
    ],
)
def test_output_that_differs_is_told_with_its_line(
    tmp_path: Path, marker: str, expected: str, told: str
) -> None:
    with pytest.raises(AssertionError) as error:
        play(tmp_path, marker, expected)
    assert str(error.value) == f"{tmp_path / 'page.md'}:8: {told}\n{PRINTED}"


def test_output_that_the_page_does_not_show_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as error:
        play(tmp_path, "output: whole", "one 1\ntwo 2 s\n")
    assert str(error.value) == f"{tmp_path / 'page.md'}:8: more was printed\n{PRINTED}"
