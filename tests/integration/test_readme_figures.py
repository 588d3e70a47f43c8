"""The README counts what a clone brings; the figures there are those of the installed packages."""

from __future__ import annotations

import re
from pathlib import Path

from sregym_core.api import Workspace, problems
from sregym_core.registry import Registry

README = Path(__file__).parents[2] / "README.md"
COUNTED = re.compile(
    r"\*\*(\d+) problems\*\* in (\d+) suites, made of (\d+) faults .*? on (\d+) \[applications\]",
    re.DOTALL,
)


def brought(registry: Registry, kind: str) -> list[str]:
    """Names that a clone brings: other tests of this process may have packages of their own."""
    names = registry.names(kind)
    return [n for n in names if registry.owner(kind, n).distribution.startswith("sregym")]


def test_the_readme_counts_what_there_is() -> None:
    with Workspace() as workspace:
        known = problems(workspace=workspace)
        registry = workspace.factory.registry
        suites_of = workspace.factory.problems.suites_of
        there = (
            len(known),
            len({suite for problem in known for suite in suites_of(problem)}),
            len(brought(registry, "fault")),
            len(brought(registry, "application")),
        )
    (told,) = COUNTED.findall(README.read_text(encoding="utf-8"))
    assert tuple(map(int, told)) == there
