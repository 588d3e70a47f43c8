"""Fixtures for tests of adapters: sessions with a folder, and a provider of language models.

A conftest imports those that it wants, which makes them its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.interfaces import Budget, ClusterSpec, CommandResult
from sregym_testing import AddressedCluster, ScriptedSession, Shop

from sregym_agents.testing.provider import provider as serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sregym_core.model import Tokens
    from sregym_testing import Provision

    from sregym_agents.testing.provider import Provider

WALL_S = 60.0
EPISODE = (
    ("kubectl", {"command": "kubectl version"}),
    ("submit", {"text": "the cart"}),
    ("submit", {"text": "repaired"}),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """That of the first session."""
    made = tmp_path / "session"
    made.mkdir()
    return made


@pytest.fixture
def provision(tmp_path: Path) -> Provision:
    """Clusters that are not served; each session has a folder of its own, the first `folder`."""
    made: list[Path] = []

    def give(_spec: ClusterSpec) -> AddressedCluster:
        place = tmp_path / ("session" if not made else f"session-{len(made)}")
        place.mkdir(exist_ok=True)
        made.append(place)
        return AddressedCluster(place)

    return give


@pytest.fixture
def new_session(provision: Provision) -> Callable[..., ScriptedSession]:
    """Makes a session; its limits are those of `Budget`, and a minute unless `wall_s` is more."""

    def make(**limits: Any) -> ScriptedSession:
        budget = Budget(**{"wall_s": WALL_S, **limits})
        session = ScriptedSession(Shop(), provision, budget=budget)
        behind: Any = session.watched.behind
        behind.answers["kubectl version"] = CommandResult(0, "v1.37.1\n")
        return session

    return make


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider of language models on loopback that returns what a test scripts."""
    with serving() as server:
        yield server


def check_episode(session: ScriptedSession, folder: Path, tokens: Tokens) -> None:
    """That a program's stand-in made the calls of `EPISODE`, used `tokens`, and was understood."""
    assert [(call.tool, call.own, call.said) for call in session.transcript] == [
        ("kubectl", False, "I use kubectl."),
        ("submit", False, "I use submit."),
        ("submit", False, "I use submit."),
    ]
    assert session.submissions == ["the cart", "repaired"]
    assert session.tokens == tokens
    assert session.last_words == "All is well."
    assert (folder / "agent.log").read_text() == ""
