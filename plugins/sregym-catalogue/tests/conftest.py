"""A catalogue of two applications."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from sregym_catalogue.content import Cell, Content, Entry, Row
from sregym_catalogue.difficulty import Difficulty
from sregym_catalogue.pages import written


@pytest.fixture
def entry() -> Callable[..., Entry]:
    """Makes an entry."""
    return _entry


def _entry(name: str, application: str, suites: Iterable[str] = (), text: str = "Go.") -> Entry:
    return Entry(
        id=name,
        application=application,
        layer="network" if name.startswith("n") else "kubernetes",
        suites=tuple(suites),
        modes=("gray",) if name.endswith("2") else (),
        upstream="",
        faults=1,
        silent=False,
        instruction=text,
        difficulty=Difficulty(id=name, expert_steps=len(name), playbook=True),
    )


@pytest.fixture
def site(tmp_path: Path) -> Callable[..., Path]:
    """Writes a site with these entries; gives its index."""

    def write(*entries: Entry) -> Path:
        rows = (Row("service-missing", "kubernetes", (Cell(19, 1, 5), Cell(0, 0, 0))),)
        content = Content(("bank", "shop"), rows, entries)
        return written(content, tmp_path / "site")[0]

    return write
