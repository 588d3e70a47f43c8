"""The environment in which stories of the documentation happen."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from sregym_testing import FreshEnvironment, same_as_here

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

# What the embedded cluster is made of besides.
LIBRARIES = ("sregym-cel", "sregym-logql", "sregym-promql", "sregym-regex")
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
    core = same_as_here("sregym-core", "testing")
    others = ("sregym-dev", "sregym-apps", "sregym-cluster-embedded", *LIBRARIES, *BROUGHT)
    environment.install("pip", *core, *(word for name in others for word in same_as_here(name)))
    return environment


@pytest.fixture(scope="session")
def user(tmp_path_factory: pytest.TempPathFactory) -> FreshEnvironment:
    """What `pip install sregym` brings, with pytest."""
    environment = FreshEnvironment.create(tmp_path_factory.mktemp("user") / "venv")
    root = Path(__file__).resolve().parents[2] / "pyproject.toml"
    wanted = tomllib.loads(root.read_text(encoding="utf-8"))["project"]["dependencies"]
    names = [requirement.partition(">")[0] for requirement in wanted]
    words = [word for name in names for word in same_as_here(name)]
    for toolkit in (
        *("sregym-apps", "sregym-injectors", "sregym-oracles", "sregym-agents"),
        # And what the page on campaigns installs besides.
        *("sregym-statistics", "sregym-campaign", "sregym-leaderboard"),
        # And those of tutorials, which generate packages.
        *("sregym-dev", "sregym-testing"),
        *LIBRARIES,
    ):
        words += same_as_here(toolkit)
    environment.install("pip", "pytest", *words)
    return environment
