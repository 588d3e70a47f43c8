"""For pytest: the fixture `sregym` and the marker of the same name.

    def test_my_agent(sregym):
        record = sregym.play("wrong_service_selector_hotel_reservation", my_agent)
        assert record.outcome == "pass", record.reason

pytest loads it by itself where this package is installed. Nothing of SREGym is imported before a
test asks for the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_core.api import (
        Agent,
        Environment,
        EpisodeRecord,
        Problem,
        Proof,
        Session,
        Workspace,
    )

MARKER = (
    "sregym(**options): options of the episodes of a test, as of sregym_core.api.Environment: "
    "seed, mode, cluster, noise, budget ..."
)
# What a proof has to do with; modes, budgets and noise are its own.
_OF_PROOFS = ("seed", "cluster")


class SregymFixture:
    """Episodes for one test.

    Args:
        workspace: What all tests of the session share: plugins and warm worlds.
        options: Those of the marker; a call's own come first.
    """

    def __init__(self, workspace: Workspace, options: dict[str, Any]) -> None:
        self._workspace = workspace
        self._options = options
        self._open: list[Environment] = []

    def play(
        self,
        problem: str | Problem,
        agent: str | Agent | Callable[[Session], object],
        **options: Any,
    ) -> EpisodeRecord:
        """Let an agent play one episode, as `sregym_core.api.play`."""
        from sregym_core.api import play

        chosen = {**self._options, **options}
        return play(problem, agent, workspace=self._workspace, **chosen)

    def environment(self, problem: str | Problem, **options: Any) -> Environment:
        """An `Environment` that is given back when the test is over."""
        from sregym_core.api import Environment

        chosen = {**self._options, **options}
        made = Environment(problem, workspace=self._workspace, **chosen)
        self._open.append(made)
        return made

    def verify(self, problem: str | Problem, **options: Any) -> Proof:
        """Prove a problem, as `sregym_core.api.verify`."""
        from sregym_core.api import verify

        known = {name: value for name, value in self._options.items() if name in _OF_PROOFS}
        chosen = {**known, **options}
        return verify(problem, workspace=self._workspace, **chosen)

    def close(self) -> None:
        """Give back what the test left open."""
        for made in self._open:
            made.__exit__(None, None, None)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(scope="session")
def sregym_workspace() -> Iterator[Workspace]:
    """Plugins and warm worlds of the whole test session."""
    from sregym_core.api import Workspace

    with Workspace() as workspace:
        yield workspace


@pytest.fixture
def sregym(request: pytest.FixtureRequest, sregym_workspace: Workspace) -> Iterator[SregymFixture]:
    """Episodes for this test; the marker `sregym` gives their options."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("sregym"))):
        options.update(marker.kwargs)
    fixture = SregymFixture(sregym_workspace, options)
    try:
        yield fixture
    finally:
        fixture.close()
