"""How hard problems are, from end to end."""

from __future__ import annotations

from sregym_core.testing import SregymProject

PROBLEM = "missing_service_hotel_reservation"


def test_difficulty(module_project: SregymProject) -> None:
    told = module_project.run("difficulty", PROBLEM, "--json").assert_success().json()
    (one,) = told
    assert (one["id"], one["expert_steps"], one["playbook"]) == (PROBLEM, 5, True)
    # Nobody but those who ask it sees that a Service is gone: no pod, event or restart tells it.
    assert one["signals"][-1] == "Service"
    assert set(one["signals"]).isdisjoint({"pods", "restarts", "events"})
    # Its client, which waits for it, is not ready.
    assert not one["green"]
    assert set(one) == {"id", "expert_steps", "signals", "green", "playbook", "shortcuts"}
