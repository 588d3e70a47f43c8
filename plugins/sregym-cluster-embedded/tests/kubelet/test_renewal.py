"""Pods whose containers are all restarted when one of them ends as a rule says."""

from __future__ import annotations

from typing import Any

import pytest

BUSYBOX = "registry.example/library/busybox:1.36"
WORKER = "registry.example/shop/worker:1.0"
POD = (
    "{restartPolicy: Never, "
    f"initContainers: [{{name: prepare, image: '{BUSYBOX}', command: ['true']}}], "
    f"containers: [{{name: a, image: '{BUSYBOX}', command: [sh, -c, 'sleep 5; exit %d'], "
    "restartPolicy: Never, restartPolicyRules: [{action: RestartAllContainers, "
    "exitCodes: {operator: In, values: [42]}}]}, "
    f"{{name: b, image: '{WORKER}', lifecycle: {{preStop: {{exec: {{command: ['false']}}}}}}}}]}}"
)


def restarting(town: Any) -> list[tuple[str, str]]:
    return [
        (entry["status"], entry.get("reason", ""))
        for entry in town.status()["conditions"]
        if entry["type"] == "AllContainersRestarting"
    ]


def counts(town: Any) -> dict[str, int]:
    status = town.status()
    every = [*status["initContainerStatuses"], *status["containerStatuses"]]
    return {entry["name"]: entry["restartCount"] for entry in every}


def test_all_containers_begin_anew_when_a_rule_says_so(town: Any) -> None:
    town.pod(POD % 42, run_s=4)
    address = town.status()["podIP"]
    assert (restarting(town), counts(town)) == ([("False", "")], {"prepare": 0, "a": 0, "b": 0})
    seen: set[tuple[str, str]] = set()
    for _ in range(60):
        town.run(0.1)
        seen.update(restarting(town))
    assert seen == {("False", ""), ("True", "RestartAllContainersStarted")}
    assert counts(town) == {"prepare": 1, "a": 1, "b": 1}
    status = town.status()
    assert (status["phase"], status["podIP"]) == ("Running", address)
    last = [entry["lastState"]["terminated"]["exitCode"] for entry in status["containerStatuses"]]
    assert last == [42, 0]
    # What is stopped so has no say.
    assert town.events("Killing", "FailedPreStopHook") == [("Killing", "Stopping container b", 1)]


@pytest.mark.parametrize("code", [0, 1])
def test_another_end_restarts_nothing(town: Any, code: int) -> None:
    town.pod(POD % code, run_s=15)
    assert counts(town) == {"prepare": 0, "a": 0, "b": 0}
    assert restarting(town) == [("False", "")]


def test_a_pod_that_does_so_again_and_again_is_held_back(town: Any) -> None:
    town.pod(POD % 42, run_s=60)
    assert counts(town) == {"prepare": 3, "a": 3, "b": 3}
