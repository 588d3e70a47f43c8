"""Contract tests for every mode: one way to put an episode to an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sregym_core.interfaces import BriefingContext, ResourcesContext, Stage
from sregym_core.model import Change, GroundTruth

from sregym_testing.memory import FullShop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Application, Mode

SEEDS = range(20)
ALERTS = {"alerts": [{"status": "firing", "labels": {"alertname": "HighErrorRate"}}]}


class ModeContract:
    """Override `mode`, which makes the mode under test."""

    @pytest.fixture
    def mode(self) -> Mode:
        """The mode under test."""
        raise NotImplementedError("override the fixture `mode`")

    @pytest.fixture
    def application(self) -> Application:
        """An application with components and operations, which agents are told of."""
        return FullShop()

    def test_it_says_in_one_line_what_it_is(self, mode: Mode) -> None:
        """Its name is one word for a command line, its summary one line for a list."""
        assert mode.name.split() == [mode.name], f"the name is not one word: {mode.name!r}"
        assert mode.summary.splitlines() == [mode.summary], f"not one line: {mode.summary!r}"

    def test_what_is_judged_can_be_handed_in(self, mode: Mode) -> None:
        """Submissions come in the order of an incident, and a judged diagnosis is one of them."""
        order = (Stage.DIAGNOSIS, Stage.MITIGATION)
        handed_in = tuple(stage for stage in order if stage in mode.submissions)
        assert mode.submissions == handed_in, f"{mode.submissions} is not in the order {order}"
        assert handed_in, "nothing is handed in, so that an episode ends by its limits alone"
        assert mode.judged, "nothing is judged"
        assert {*mode.judged} <= {*order}, f"{mode.judged} has what nobody can judge"
        if Stage.DIAGNOSIS in mode.judged:
            assert Stage.DIAGNOSIS in handed_in, "a diagnosis is judged that is never handed in"

    def test_the_agent_learns_where_it_works(self, mode: Mode, application: Application) -> None:
        """The application's title and all its namespaces stand in the instruction."""
        text = mode.instruction(_briefing(application, _truth(application), 0))
        assert application.title in text
        for namespace in application.namespaces:
            assert namespace in text

    def test_the_same_briefing_is_told_in_the_same_words(
        self, mode: Mode, application: Application
    ) -> None:
        """In whatever order episodes come: a mode keeps nothing from one to the next."""
        told = _told(mode, application, _truth(application))
        again = [
            mode.instruction(_briefing(application, _truth(application), seed))
            for seed in reversed(SEEDS)
        ]
        assert again[::-1] == told

    def test_the_cause_is_told_where_the_mode_says_so_and_nowhere_else(
        self, mode: Mode, application: Application
    ) -> None:
        """Two causes in one component with one impact are told in the same words, or never are."""
        one, other = _truth(application), _other_truth(application)
        alike = _told(mode, application, one) == _told(mode, application, other)
        assert alike is not mode.reveals_cause, (
            "what the agent is told does not tell two causes apart"
            if mode.reveals_cause
            else "what the agent is told depends on the cause that it has to find"
        )

    def test_a_copy_of_its_resources_has_the_same_tools(
        self, mode: Mode, application: Application
    ) -> None:
        """A forked episode can do what the one could that it was forked from."""
        given = mode.resources(ResourcesContext(application, 0, lambda: 1.0))
        if given is not None:
            copied = given.fork(lambda: 1.0)
            assert copied is not given, "a fork shares what its origin keeps"
            assert [tool.name for tool in copied.tools] == [tool.name for tool in given.tools]


def _told(mode: Mode, application: Application, truth: GroundTruth) -> Sequence[str]:
    return [mode.instruction(_briefing(application, truth, seed)) for seed in SEEDS]


def _briefing(application: Application, truth: GroundTruth, seed: int) -> BriefingContext:
    return BriefingContext(application, (truth,), ALERTS, seed)


def _truth(application: Application) -> GroundTruth:
    component = application.components()[0].name
    return GroundTruth(
        component=component,
        kind="Service",
        object_name=component,
        namespace=application.namespaces[0],
        mechanism="service-target-port",
        changed=Change(what="spec.ports[0].targetPort", before="8080", after="8081"),
        impact="Requests fail or time out.",
    )


def _other_truth(application: Application) -> GroundTruth:
    changed = Change(what="data.pool-size", before="64", after="1")
    update = {"kind": "ConfigMap", "mechanism": "pool-too-small", "changed": changed}
    return _truth(application).model_copy(update=update)
