"""`sregym up` in other modes: what it tells, what it takes, and how it ends."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

from sregym_core.errors import ExitCode

PROBLEM = "wrong_service_selector_hotel_reservation"
UpWorlds = Callable[..., Any]


def asked(world: Any, path: str) -> Any:
    request = urllib.request.Request(
        f"{world.ready['endpoints']['gateway']}{path}",
        headers={"Authorization": f"Bearer {world.ready['token']}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_alerts_are_told_and_a_limit_ends_it(up_world: UpWorlds) -> None:
    world = up_world(PROBLEM, "--mode", "reactive", "--wall-seconds", "4")
    alerts = world.ready["alerts"]
    assert (world.ready["mode"], world.ready["submissions"]) == (
        "reactive",
        ["diagnosis", "mitigation"],
    )
    assert (alerts["version"], alerts["status"], alerts["truncatedAlerts"]) == ("4", "firing", 0)
    assert "ServiceEndpointDown" in {each["labels"]["alertname"] for each in alerts["alerts"]}
    assert json.dumps(alerts, indent=1) in world.ready["instruction"]
    assert asked(world, "/alerts-payload") == alerts
    verdict = json.loads(world.process.line())
    assert (verdict["outcome"], verdict["stopped"], verdict["mode"]) == (
        "fail",
        "the budget of 4 wall-clock seconds is used up",
        "reactive",
    )
    assert world.process.end() == (ExitCode.FAILED, "", "")


def test_one_submission_is_enough(up_world: UpWorlds) -> None:
    world = up_world(PROBLEM, "--mode", "mitigation-only")
    assert "A colleague looked into it and found the cause." in world.ready["instruction"]
    assert asked(world, "/status") == {
        "stage": "mitigation",
        "mode": "mitigation-only",
        "submissions": ["mitigation"],
        "watching": False,
    }
    world.repair(PROBLEM)
    here = {"KUBECONFIG": world.ready["kubeconfig"]}
    done = world.project.run("submit", "repaired", env=here).assert_success()
    assert done.out == "mitigation received; the episode ends\n"
    verdict = json.loads(world.process.line())
    assert (verdict["outcome"], verdict["diagnosis"]) == ("pass", None)
    assert world.process.end() == (ExitCode.DONE, "", "")


def test_who_watches_is_told_of_false_alarms(up_world: UpWorlds) -> None:
    world = up_world(PROBLEM, "--mode", "proactive", "--start-before", "3600")
    here = {"KUBECONFIG": world.ready["kubeconfig"]}
    said = [
        world.project.run("submit", text, env=here).assert_success().out
        for text in ("no incident", "the frontend is down")
    ]
    assert said == [
        "noted: no incident; go on watching\n",
        "looked into: the system was healthy at this moment, so this was a false alarm; go on "
        "watching\n",
    ]
    world.process.interrupt()
    verdict = json.loads(world.process.line())
    assert (verdict["outcome"], verdict["reason"], verdict["false_alarms"]) == (
        "error",
        "interrupted by the user",
        1,
    )
    assert verdict["recovered"]
    assert world.process.end() == (ExitCode.INTERRUPTED, "", "")


def test_a_wrong_choice_is_refused_before_anything_starts(start: Any) -> None:
    process = start("up", PROBLEM, "--start-before", "60")
    assert process.end() == (
        ExitCode.USAGE,
        "",
        "sregym: --start-before goes with --mode proactive; in mode 'standard' an agent is told of "
        "trouble when it starts\n",
    )
