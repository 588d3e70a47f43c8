"""Which plugin says what of a diagnosis an agent had seen, and what its failure does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from sregym_core.interfaces import Session
from sregym_core.model import Grounding, Outcome, StageRecord, Support, ToolCall

from sregym_core import hookimpl

if TYPE_CHECKING:
    from .conftest import Theatre


class Counter:
    """Says how many calls there were, and which component it was told of first."""

    @hookimpl
    def sregym_ground_diagnosis(
        self, diagnosis: StageRecord, transcript: Sequence[ToolCall], components: Sequence[str]
    ) -> Grounding:
        shown = (Support(what=diagnosis.text, call=len(transcript)),)
        return Grounding(supported=shown, unsupported=(components[0],))


class Failing:
    """Raises."""

    @hookimpl
    def sregym_ground_diagnosis(self) -> Grounding:
        raise ValueError("no such luck")


def diagnose(session: Session) -> None:
    session.kubectl("kubectl get pods -n shop")
    session.submit("it is the cart")


def test_sregym_ground_diagnosis(theatre: Theatre) -> None:
    theatre.observers = [Counter()]
    record = theatre.play(diagnose)
    assert record.diagnosis is not None
    assert record.diagnosis.grounding == Grounding(
        supported=(Support(what="it is the cart", call=2),), unsupported=("cart",)
    )


def test_without_such_a_plugin_there_is_none(theatre: Theatre) -> None:
    record = theatre.play(diagnose)
    assert record.diagnosis is not None
    assert record.diagnosis.grounding is None


@pytest.mark.parametrize("plugin", [Counter, Failing])
def test_nothing_is_asked_of_an_episode_without_diagnosis(
    theatre: Theatre, plugin: type[Counter | Failing]
) -> None:
    theatre.observers = [plugin()]
    record = theatre.play(lambda session: None)
    assert record.diagnosis is not None
    assert record.diagnosis.grounding is None
    assert record.outcome is Outcome.FAIL


def test_a_plugin_that_raises_loses_no_record(theatre: Theatre) -> None:
    theatre.observers = [Failing()]
    record = theatre.play(diagnose)
    line = Failing.sregym_ground_diagnosis.__code__.co_firstlineno + 2
    assert record.outcome is Outcome.ERROR
    assert record.reason == (
        f"ValueError: no such luck (tests/core/conductor/test_grounding_hook.py:{line})"
    )
    assert record.diagnosis is not None
    assert record.diagnosis.text == "it is the cart"
    assert record.recovered
