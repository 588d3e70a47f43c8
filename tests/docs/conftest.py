"""The environment in which stories of the documentation happen."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from sregym_testing import FreshEnvironment

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from fresh import fresh_environment

BROUGHT = (
    *("sregym-server-redis", "sregym-server-sql"),
    *("sregym-injectors", "sregym-injector-kubernetes", "sregym-oracle-checklist"),
)


@pytest.fixture(scope="session")
def author(tmp_path_factory: pytest.TempPathFactory) -> FreshEnvironment:
    """What an author of plugins has installed: the core with its kit, the generator, a toolkit.

    And the embedded cluster, whose commands the pages about queries use, kinds of servers and faults
    for an application that is brought along, and the judge whom contracts of faults ask.
    """
    tools = ("sregym-catalogue", "sregym-dev", "sregym-doctor", "sregym-testing")
    names = ("sregym-core", *tools, "sregym-apps", "sregym-cluster-embedded", *BROUGHT)
    return fresh_environment(
        tmp_path_factory.mktemp("author"), ("pip", *names), {"sregym-core": "[testing]"}
    )


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
    return fresh_environment(tmp_path_factory.mktemp("user"), ["pip", *names, "pytest"], {})
