"""What shortcuts hand in, and how they are compared."""

from __future__ import annotations

import pytest
from sregym_agent_shortcuts.agent import Shortcuts
from sregym_agent_shortcuts.difficulty import Difficulty, hit_rates
from sregym_agents.survey import SHORTCUTS
from sregym_core.errors import UsageError
from sregym_testing import Provision, ScriptedSession, Shop


def test_nothing_stands_out_in_an_empty_cluster(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    Shortcuts({"shortcut": "first alert"}).run(session)
    assert session.submissions == ["Nothing stands out.", "I changed nothing."]


def test_an_unknown_shortcut() -> None:
    with pytest.raises(UsageError) as refused:
        Shortcuts({"shortcut": "gut feeling"})
    assert str(refused.value) == (
        "agent 'shortcuts', option 'shortcut': there is no 'gut feeling'; there are: "
        f"{', '.join(SHORTCUTS)}"
    )


def test_hit_rates_are_held_against_chance() -> None:
    def found(hit: float) -> Difficulty:
        hits = dict.fromkeys(SHORTCUTS, 0.0) | {"first alert": hit}
        return Difficulty("p", 3, ("alerts", "Service"), False, True, ("first alert",), 0.1, hits)

    chance, rates = hit_rates([found(1.0), found(0.5)])
    told = {one.shortcut: (one.rate, one.times_chance) for one in rates}
    assert (chance, told["first alert"], told["youngest pod"]) == (0.1, (0.75, 7.5), (0.0, 0.0))
    assert hit_rates([]) == (0.0, [])
    assert found(1.0).as_json() == {
        "id": "p",
        "expert_steps": 3,
        "signals": ["alerts", "Service"],
        "green": False,
        "playbook": True,
        "shortcuts": ["first alert"],
    }
