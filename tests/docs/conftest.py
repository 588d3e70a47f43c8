"""The environment in which stories of the documentation happen."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from sregym_testing import FreshEnvironment

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

BROUGHT = (
    *("sregym-server-redis", "sregym-server-sql"),
    *("sregym-injectors", "sregym-injector-kubernetes"),
)


@pytest.fixture(scope="session")
def author(tmp_path_factory: pytest.TempPathFactory) -> FreshEnvironment:
    """What an author of plugins has installed: the core with its kit, the generator, a toolkit.

    And the embedded cluster, whose commands the pages about queries use, and kinds of servers and
    faults for an application that is brought along.
    """
    tools = ("sregym-catalogue", "sregym-dev", "sregym-doctor", "sregym-testing")
    names = ("sregym-core", *tools, "sregym-apps", "sregym-cluster-embedded", *BROUGHT)
    return _environment(tmp_path_factory.mktemp("author"), names, {"sregym-core": "[testing]"})


@pytest.fixture(scope="session")
def user(tmp_path_factory: pytest.TempPathFactory) -> FreshEnvironment:
    """What `pip install sregym` brings, with pytest."""
    root = Path(__file__).resolve().parents[2] / "pyproject.toml"
    wanted = tomllib.loads(root.read_text(encoding="utf-8"))["project"]["dependencies"]
    names = [requirement.partition(">")[0] for requirement in wanted]
    # What the page on campaigns installs besides, and those of tutorials, which generate packages.
    names += [
        "sregym-campaign",
        "sregym-leaderboard",
        "sregym-dev",
        "sregym-pytest",
        "sregym-testing",
    ]
    return _environment(tmp_path_factory.mktemp("user"), [*names, "pytest"], {})


def _environment(place: Path, names: Iterable[str], extras: Mapping[str, str]) -> FreshEnvironment:
    """An environment with pip and these distributions, those of this repository editable.

    They are built in this process: an installer would start one with a build system for each.
    """
    from editable import build, note_origins
    from workspace import projects

    needed, others = _needed(names)
    ours = [project for project in projects() if project.name in needed]
    environment = FreshEnvironment.create(place / "venv")
    wheels = build(ours, place)
    here = [f"{name}{extras.get(name, '')} @ {path.as_uri()}" for name, path in wheels.items()]
    environment.install("pip", *others, *here)
    [packages] = environment.folder.glob("lib/python3*/site-packages")
    note_origins(packages, ours)
    return environment


def _needed(names: Iterable[str]) -> tuple[set[str], list[str]]:
    """Distributions of this repository among them, with those that they require; and the others."""
    from workspace import projects

    required = {
        project.name: [
            re.split(r"[^\w-]", line)[0] for line in project.settings["project"]["dependencies"]
        ]
        for project in projects()
    }
    found: set[str] = set()
    waiting = [*names]
    others = [name for name in waiting if name not in required]
    while waiting:
        name = waiting.pop()
        if name in required and name not in found:
            found.add(name)
            waiting += required[name]
    return found, others
