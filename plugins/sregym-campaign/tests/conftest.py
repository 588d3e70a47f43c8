"""Small campaigns of one problem, and a provider on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_agents.testing.sessions import provider
from sregym_testing import SregymProject
from sregym_testing.signals import signals_are_heard

__all__ = ["provider", "signals_are_heard"]

PROBLEM = "wrong_service_selector_hotel_reservation"
SMALL: dict[str, Any] = {
    "name": "small",
    "problems": [PROBLEM],
    "agents": ["noop"],
    "baselines": [],
    "backoff_s": 0,
    # Each worker makes a world of its own, which takes as long as some episodes.
    "runner": {"jobs": 1},
}

Campaign = Callable[..., SregymProject]


@pytest.fixture
def campaign(sregym_project: Callable[..., SregymProject]) -> Campaign:
    """A project with a `campaign.yaml`: the small one, with some keys in other ways."""

    def make(**keys: Any) -> SregymProject:
        content = {key: one for key, one in {**SMALL, **keys}.items() if one is not None}
        return sregym_project({"campaign.yaml": yaml.safe_dump(content)})

    return make


def records(project: SregymProject, name: str = "small") -> dict[str, Any]:
    """All tries of a finished campaign by name of their files."""
    folder = project.folder / "campaigns" / name / "records"
    return {path.name: json.loads(path.read_text())["try"] for path in sorted(folder.iterdir())}


@pytest.fixture
def kept() -> Callable[..., dict[str, Any]]:
    """Reads the tries of a project."""
    return records


@pytest.fixture
def damage() -> Callable[[Path], None]:
    """Cuts a file in half, as a full disk does."""

    def cut(path: Path) -> None:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])

    return cut
