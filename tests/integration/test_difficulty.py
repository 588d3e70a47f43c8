"""How hard problems are, from end to end."""

from __future__ import annotations

import pytest
from sregym_agents.survey import SHORTCUTS
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

PROBLEM = "missing_service_hotel_reservation"


def test_difficulty_and_a_problem_that_cannot_be_played(module_project: SregymProject) -> None:
    """Nobody asks Jaeger for anything, so no user notices that its Service is gone."""
    (module_project.folder / "quiet.yaml").write_text(
        "id: quiet\n"
        "title: Nobody asks for it\n"
        "application: hotel-reservation\n"
        "layer: kubernetes\n"
        "suites: []\n"
        "faults:\n"
        "  - fault: service-missing\n"
        "    target: jaeger\n"
    )
    done = module_project.run("difficulty", "quiet.yaml", PROBLEM, "--json")
    done.assert_exit(ExitCode.FAILED)
    (one,) = done.json()
    assert (one["id"], one["expert_steps"], one["playbook"]) == (PROBLEM, 5, True)
    # Nobody but those who ask it sees that a Service is gone: no pod and no restart tells it.
    assert one["signals"][-1] == "Service"
    assert set(one["signals"]).isdisjoint({"pods", "restarts"})
    # Its client, which waits for it, is not ready.
    assert not one["green"]
    assert set(one) == {"id", "expert_steps", "signals", "green", "playbook", "shortcuts"}
    [line] = [one for one in done.err.splitlines() if one.startswith("difficulty of ")]
    assert line.startswith(
        "difficulty of 'quiet': agent 'expert' could not play it: users did not notice the fault within"
    )
    assert line.endswith("; it is left out")


def test_shortcuts_alone(module_project: SregymProject) -> None:
    told = (
        module_project.run("difficulty", PROBLEM, "--shortcuts", "--json").assert_success().json()
    )
    rates = told.pop("shortcuts")
    # Hotel Reservation has twenty parts, of which one is broken.
    assert told == {"worlds": 1, "chance": 0.05}
    assert {one["shortcut"] for one in rates} == {*SHORTCUTS}
    for one in rates:
        assert one["times_chance"] == pytest.approx(one["hits"] / 0.05, abs=0.01)
        assert one["standard_error"] is None


def test_seeds_are_drawn_for_shortcuts_alone(module_project: SregymProject) -> None:
    done = module_project.run("difficulty", PROBLEM, "--spread", "2")
    done.assert_exit(ExitCode.USAGE)
    assert done.err == (
        "sregym: difficulty, --spread: seeds are drawn for shortcuts alone; add --shortcuts\n"
    )
