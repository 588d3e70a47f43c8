"""What shortcuts hand in, and how they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sregym_agent_shortcuts.agent import Shortcuts
from sregym_agent_shortcuts.chance import Draw, HitRate, drawn, hit_rates
from sregym_agent_shortcuts.difficulty import Difficulty
from sregym_agents.survey import SHORTCUTS, Listing
from sregym_core.errors import UsageError
from sregym_core.model import FaultRef, Problem
from sregym_testing import Provision, ScriptedSession, Shop

if TYPE_CHECKING:
    from sregym_agents.survey.listed import KubeObject


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


def draw(hit: float, world: tuple[str, int], chance: float = 0.1) -> Draw:
    hits = dict.fromkeys(SHORTCUTS, 0.0) | {"first alert": hit}
    return Draw("p", world, chance, hits, ("first alert",))


def test_hit_rates_are_held_against_chance() -> None:
    chance, rates = hit_rates([draw(1.0, ("shop", 1)), draw(0.5, ("shop", 2))])
    told = {one.shortcut: one for one in rates}
    assert (chance, told["first alert"].rate, told["first alert"].times_chance) == (0.1, 0.75, 7.5)
    assert told["youngest pod"] == HitRate("youngest pod", 0.0, 0.0, 0.0)
    # Two worlds that are each 0.25 off the mean of 0.75: as a multiple of 0.1.
    assert told["first alert"].error == pytest.approx(2.5)
    assert hit_rates([]) == (0.0, [])


def test_problems_of_one_world_are_one_draw() -> None:
    one = [draw(1.0, ("shop", 1)), draw(1.0, ("shop", 1)), draw(0.5, ("shop", 1))]
    _, rates = hit_rates(one)
    (found,) = [rate for rate in rates if rate.shortcut == "first alert"]
    assert found.error == float("inf")
    assert found.as_json() == {
        "shortcut": "first alert",
        "hits": 0.8333,
        "times_chance": 8.33,
        "standard_error": None,
    }


PROBLEM = Problem(
    id="p",
    title="Wrong port",
    layer="kubernetes",
    application="shop",
    faults=(FaultRef(fault="service-target-port", target="cart"),),
)


def test_who_names_several_is_right_by_lot() -> None:
    """Two pods are of the same age: whoever goes by it has to draw."""
    seen = Listing(("shop",), [part for name in ("cart", "web") for part in workload(name)])
    found = drawn(PROBLEM, 7, seen, {"cart"})
    assert (found.problem, found.world, found.chance) == ("p", ("shop", 7), 0.5)
    assert found.hits["highest generation"] == 0.5
    assert found.hits["youngest pod"] == 0.0
    assert "highest generation" in found.named


def test_what_nobody_can_list_does_not_count() -> None:
    """Of nodes no shortcut names any: as misses they would make all others look better."""
    node = drawn(PROBLEM, 7, Listing(("shop",), workload("cart")), {"worker-1"})
    assert (node.chance, node.named) == (0.0, ())
    counted = draw(1.0, ("shop", 1))
    assert hit_rates([counted, node]) == hit_rates([counted])


def workload(name: str) -> list[KubeObject]:
    """A part that nobody ever changed."""
    metadata = {"name": name, "namespace": "shop", "generation": 1, "resourceVersion": "1"}
    return [{"kind": "Deployment", "metadata": metadata, "spec": {}}]


def test_the_form_that_is_promised() -> None:
    found = Difficulty("p", 3, ("alerts", "Service"), False, True, draw(1.0, ("shop", 1)))
    assert found.as_json() == {
        "id": "p",
        "expert_steps": 3,
        "signals": ["alerts", "Service"],
        "green": False,
        "playbook": True,
        "shortcuts": ["first alert"],
    }
