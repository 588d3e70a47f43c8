"""The environment in which stories of the documentation happen."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from sregym_testing import FreshEnvironment, install_arguments

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
    environment = FreshEnvironment.create(tmp_path_factory.mktemp("author") / "venv")
    core = install_arguments("sregym-core", "testing")
    tools = ("sregym-catalogue", "sregym-dev", "sregym-doctor")
    others = (*tools, "sregym-apps", "sregym-cluster-embedded", *BROUGHT)
    environment.install("pip", *core, *_words(others))
    return environment


@pytest.fixture(scope="session")
def user(tmp_path_factory: pytest.TempPathFactory) -> FreshEnvironment:
    """What `pip install sregym` brings, with pytest."""
    environment = FreshEnvironment.create(tmp_path_factory.mktemp("user") / "venv")
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
    environment.install("pip", "pytest", *_words(names))
    return environment


def _words(names: Iterable[str]) -> list[str]:
    """Words of an installation of distributions of this repository, with those that they require."""
    from workspace import projects

    needed = {
        project.name: [
            re.split(r"[^\w-]", line)[0] for line in project.settings["project"]["dependencies"]
        ]
        for project in projects()
    }
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in needed and name not in found:
            found[name] = None
            waiting += needed[name]
    return [word for name in found for word in install_arguments(name)]
