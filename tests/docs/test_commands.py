"""Pages name no option that a command does not have, and leave out no command."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from commands_page import all_parsers
from sregym_testing import blocks_of

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = ("*.md", "docs/**/*.md", "sregym_*/README.md", "plugins/*/README.md")
PAGES = sorted({page for pattern in PATTERNS for page in ROOT.glob(pattern)})
SHELL = ("bash", "console", "sh", "shell", "text", "")
CALL = re.compile(r"(?<![\w/-])sregym ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)([^|;&#\n`]*)")


@pytest.fixture(scope="session")
def known() -> dict[str, argparse.ArgumentParser]:
    """Words behind `sregym`, with the parser of each."""
    return all_parsers()


def unknown_options(text: str, known: dict[str, argparse.ArgumentParser]) -> list[str]:
    """Options behind `sregym` in a text that the command does not have."""
    found = []
    for words, rest in CALL.findall(text.replace("\\\n", " ")):
        first = words.partition(" ")[0]
        joined = words.replace(" ", "-")
        parser = known.get(words) or known.get(joined) or known.get(first)
        if parser is not None:
            options = re.findall(r"(?<=\s)--[a-z][a-z-]*", _without_quoted(rest))
            has = {*parser._option_string_actions, "--help", "--traceback"}
            found += [f"sregym {words} {option}" for option in options if option not in has]
    return found


def _without_quoted(text: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"", "''", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_options_exist(page: Path, known: dict[str, argparse.ArgumentParser]) -> None:
    blocks = [block.text for block in blocks_of(page) if block.language in SHELL]
    inline = re.findall(r"`(sregym [^`]+)`", page.read_text(encoding="utf-8"))
    assert unknown_options("\n".join([*blocks, *inline]), known) == []


def test_options_exist_in_what_the_product_says(
    known: dict[str, argparse.ArgumentParser],
) -> None:
    """In templates of pages, packages and reports, in messages and docstrings."""
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in (*ROOT.glob("sregym_*/src"), *ROOT.glob("plugins/*/src"))
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".html", ".template", ".css", ".js")
    }
    # In a sentence a call ends with the bracket around it.
    wrong = {
        name: found
        for name, text in texts.items()
        if (found := unknown_options(text.replace(")", "\n"), known))
    }
    assert wrong == {}


def test_options_are_looked_for_where_they_stand(known: dict[str, argparse.ArgumentParser]) -> None:
    text = (
        "sregym run X --agent shell --agent-option command='./mine --fast' --jobz 2 # --no\n"
        "sregym campaign run plan.yaml --json --nope\nsregym export dataset --suite lite --nope\n"
    )
    assert unknown_options(text, known) == [
        "sregym run --jobz",
        "sregym campaign run --nope",
        "sregym export dataset --nope",
    ]


def test_every_command_stands_on_the_page_about_the_command_line(
    known: dict[str, argparse.ArgumentParser],
) -> None:
    text = (ROOT / "docs/reference/command-line.md").read_text(encoding="utf-8")
    named = set(re.findall(r"sregym ([a-z-]+)", text)) | {"-".join(two) for two in re.findall(r"sregym ([a-z]+) ([a-z]+)", text)}  # fmt: skip
    assert sorted({words.partition(" ")[0] for words in known} - named) == []
