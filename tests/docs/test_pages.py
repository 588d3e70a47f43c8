"""Every block of the documentation is run, or at least looked at; every link leads somewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from sregym_testing import FreshEnvironment, blocks_of, run_page

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "sregym_*/README.md", "plugins/*/README.md")
    for page in ROOT.glob(pattern)
)
STORIES = [
    page
    for page in PAGES
    if any(block.verb for block in blocks_of(ROOT / page))
    # What needs a library of others is told where that library is.
    and not (ROOT / page).parent.joinpath("tests", "test_readme.py").exists()
]
# Told for who has installed `sregym`; the others are for who writes plugins.
OF_USERS = (
    *("docs/tutorial/first-environment.md", "docs/how-to/gate-a-pull-request.md"),
    *(f"docs/tutorial/{page}.md" for page in ("first-run", "first-application", "first-agent")),
    *("docs/tutorial/in-your-ci.md", "docs/how-to/publish-a-plugin.md"),
    "docs/how-to/train-and-evaluate.md",
    "docs/how-to/run-a-campaign.md",
    *("docs/explanation/how-it-works.md", "docs/explanation/trust.md"),
)
SHELL = ("bash", "console", "sh", "shell", "")


def links_of(page: str) -> list[str]:
    return re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8"))


def test_every_page_is_found_from_the_first() -> None:
    linked = links_of("docs/README.md")
    # A page for each application stands behind the page that lists them.
    linked += [f"reference/{link}" for link in links_of("docs/reference/applications.md")]
    pages = [page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")]
    assert sorted(set(pages) - {"README.md"}) == sorted(
        page for page in linked if not page.startswith("../")
    )


@pytest.mark.parametrize("page", STORIES)
def test_story_happens_as_told(page: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    who = "user" if page in OF_USERS else "author"
    environment: FreshEnvironment = request.getfixturevalue(who)
    run_page(ROOT / page, tmp_path, environment.environment())


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_well_formed(page: str, commands: set[str]) -> None:
    for block in blocks_of(ROOT / page):
        where = f"{page}:{block.line}"
        if block.language == "python":
            compile(block.text, where, "exec")
        elif block.language in ("yaml", "yml"):
            list(yaml.safe_load_all(block.text))
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language in SHELL:
            unknown = [name for name in _subcommands(block.text) if name not in commands]
            assert unknown == [], where


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


@pytest.fixture(scope="session")
def commands() -> set[str]:
    """Every subcommand that `sregym --help` names."""
    done = subprocess.run(
        [sys.executable, "-m", "sregym_core", "--help"], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"(?m)^  ([a-z-]+) ", done.stdout))


def _subcommands(text: str) -> list[str]:
    """The word behind `sregym` in each command line."""
    found = []
    for line in text.splitlines():
        match = re.match(r"(?:\$ )?(?:[A-Z_]+=\S* )*sregym ([a-z][a-z-]*)", line.strip())
        if match:
            found.append(match.group(1))
    return found


def test_commands_are_found_in_shell_blocks() -> None:
    text = "$ sregym up X\nSREGYM_LOG=text sregym run X\npip install sregym\nsregym --help\n"
    assert _subcommands(text) == ["up", "run"]
