"""Contract tests for every agent adapter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import pytest
from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.conductor.session import LiveSession
from sregym_core.conductor.timeline import Timeline
from sregym_core.errors import BudgetExceededError
from sregym_core.interfaces import Agent, Budget, Command, Mode, Reference, Stage
from sregym_core.model import Claims
from sregym_core.modes import STANDARD
from sregym_core.plugins import Plugins
from sregym_core.settings import Settings
from sregym_mode_basic.modes import MODES

from sregym_testing.memory import Shop
from sregym_testing.watched import WatchedCluster
from sregym_testing.worlds import ready_world

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, Receipt

    from sregym_testing.clusters import Provision

MakeAgent: TypeAlias = Callable[[], Agent]

_FORBIDDEN = ("sregym_injector", "sregym_oracle")
_IMPORTED = """
import importlib, json, sys
importlib.import_module(sys.argv[1])
print(json.dumps(sorted(sys.modules)))
"""


class ScriptedSession(LiveSession):
    """The real session in a world where nothing is wrong, with a note of what the adapter did.

    Attributes:
        refusals: How often a call was refused because the budget was used up.
        submissions: Texts that were handed in, in order.
        references: How often the answer key was asked for.
        watched: The cluster, with all that was read and written.
    """

    def __init__(
        self,
        application: Application,
        provision: Provision,
        *,
        budget: Budget | None = None,
        reference: Reference | None = None,
        mode: Mode = STANDARD,
        alerts: Mapping[str, object] | None = None,
    ) -> None:
        self.refusals = 0
        self.submissions: list[str] = []
        self.references = 0
        self.watched = WatchedCluster(ready_world(application, provision).cluster)
        timeline = Timeline("contract", Plugins(Settings(), found=()))
        timeline.follow(self.watched.clock)
        super().__init__(
            self.watched,
            timeline,
            "Users report that the shop does not work. Find out why and repair it.",
            application.namespaces,
            budget or Budget(steps=100),
            reference,
            self._note_submission,
            lambda: None,
            task=mode.task,
            alerts=alerts,
            toolset=_installed().toolset,
        )

    def _spend_step(self) -> None:
        """As the real one; counts refusals."""
        try:
            super()._spend_step()
        except BudgetExceededError:
            self.refusals += 1
            raise

    def submit(self, text: str, claims: Claims | None = None) -> Receipt:
        """As the real one; keeps what was handed in too late as well."""
        if self.stage is Stage.DONE:
            self.submissions.append(text)
        return super().submit(text, claims)

    def reference(self) -> Reference:
        """As the real one; counts."""
        self.references += 1
        return super().reference()

    def _note_submission(self, stage: Stage, text: str, claims: Claims | None) -> None:
        self.submissions.append(text)


@cache
def _installed() -> ComponentFactory:
    """What is installed: an agent finds in tests the tools that it finds in episodes."""
    return ComponentFactory(Settings.from_environment())


class AgentContract:
    """Override `make_agent`; override `provision` where the adapter needs a served cluster."""

    @pytest.fixture
    def make_agent(self) -> MakeAgent:
        """Makes a fresh instance of the adapter under test."""
        raise NotImplementedError("override the fixture `make_agent`")

    @pytest.fixture
    def application(self) -> Application:
        """The application in which the adapter acts."""
        return Shop()

    def test_plays_to_its_end(
        self, make_agent: MakeAgent, application: Application, provision: Provision
    ) -> None:
        """It returns, or lets the budget end it; and hands in each stage at most once."""
        session = _play(make_agent(), application, provision, Budget(steps=100))
        assert len(session.submissions) <= 2

    @pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
    def test_plays_in_every_mode(
        self, make_agent: MakeAgent, application: Application, provision: Provision, mode: Mode
    ) -> None:
        """As in the usual one: what a mode does not ask for is refused and harms nothing."""
        session = _play(make_agent(), application, provision, Budget(steps=100), mode)
        assert len(session.submissions) <= 2

    def test_lets_the_budget_end_it(
        self, make_agent: MakeAgent, application: Application, provision: Provision
    ) -> None:
        """After the first refusal it does not call again."""
        session = _play(make_agent(), application, provision, Budget(steps=1))
        assert session.refusals <= 1

    def test_acts_through_its_session(
        self, make_agent: MakeAgent, application: Application, provision: Provision
    ) -> None:
        """Every call that reached the cluster is in the transcript."""
        session = _play(make_agent(), application, provision, Budget(steps=100))
        noted = sum(call.tool == "kubectl" for call in session.transcript)
        reached = sum(what.startswith("kubectl ") for what in session.watched.writes)
        assert [what for what in session.watched.writes if not what.startswith("kubectl ")] == []
        assert reached <= noted

    def test_the_answer_key_is_for_the_privileged(
        self, make_agent: MakeAgent, application: Application, provision: Provision
    ) -> None:
        """An adapter that is not `privileged` never calls `Session.reference`."""
        agent = make_agent()
        session = _play(agent, application, provision, Budget(steps=100))
        assert agent.privileged or session.references == 0

    def test_cannot_see_faults_or_oracles(self, make_agent: MakeAgent) -> None:
        """Importing the adapter imports neither injectors nor oracles."""
        module = type(make_agent()).__module__
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [sys.executable, "-c", _IMPORTED, module],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert [name for name in json.loads(done.stdout) if name.startswith(_FORBIDDEN)] == []


def _play(
    agent: Agent,
    application: Application,
    provision: Provision,
    budget: Budget,
    mode: Mode = STANDARD,
) -> ScriptedSession:
    look = Command(("kubectl", "-n", application.namespaces[0], "get", "pods"))
    key = Reference("Nothing is wrong.", Claims(), (look,)) if agent.privileged else None
    session = ScriptedSession(application, provision, budget=budget, reference=key, mode=mode)
    try:
        agent.run(session)
    except BudgetExceededError:
        assert session.refusals > 0, "the adapter itself raised BudgetExceededError"
    return session
