"""Hooks, termination messages, restart policies of containers, ephemeral containers."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME

WORKER = "registry.example/shop/worker:1.0"
BUSYBOX = "registry.example/library/busybox:1.36"
FLAKY = "registry.example/shop/flaky:1.0"


def uid(town: Any, name: str = "app") -> str:
    found: str = town.world.store.get(Key("pods", "default", name))["metadata"]["uid"]
    return found


def test_a_post_start_hook_that_fails_ends_its_container(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', "
        "lifecycle: {postStart: {exec: {command: [sh, -c, 'echo no >&2; exit 3']}}}}]}",
        run_s=5.0,
    )
    whose = f"app_default({uid(town)})"
    message = (
        f'Exec lifecycle hook ([sh -c echo no >&2; exit 3]) for Container "c" in Pod "{whose}" '
        "failed - error: command 'sh -c echo no >&2; exit 3' exited with 3: no\n, "
        'message: "no\\n"'
    )
    status = town.status()["containerStatuses"][0]
    assert status["state"] == {"waiting": {"reason": "PostStartHookError", "message": message}}
    assert (status["restartCount"], status["lastState"]["terminated"]["exitCode"]) == (1, 0)
    back_off = f"Back-off restarting failed container c in pod {whose}"
    assert town.events("FailedPostStartHook", "Killing", "BackOff") == [
        ("BackOff", back_off, 1),
        ("FailedPostStartHook", "PostStartHook failed", 2),
        ("Killing", "FailedPostStartHook", 2),
    ]


def test_a_container_is_not_running_before_its_post_start_hook_is_over(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', "
        "lifecycle: {postStart: {sleep: {seconds: 4}}}}]}",
        run_s=4.0,
    )
    assert town.state() == {"waiting": {"reason": "ContainerCreating"}}
    town.run(2.0)
    assert "running" in town.state()
    assert town.status()["phase"] == "Running"


def test_a_pre_stop_hook_that_fails_does_not_hold_up_the_end(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', "
        "lifecycle: {preStop: {httpGet: {path: /, port: 9}}}}]}",
        run_s=3.0,
    )
    internal_client.delete(town.world, Key("pods", "default", "app"))
    town.run(3.0)
    assert town.world.store.get(Key("pods", "default", "app")) is None
    assert town.events("Killing", "FailedPreStopHook") == [
        ("FailedPreStopHook", "PreStopHook failed", 1),
        ("Killing", "Stopping container c", 1),
    ]


def test_any_answer_does_for_a_hook(town: Any) -> None:
    town.pod(
        "{containers: [{name: c, image: 'registry.example/shop/web:1.0', "
        "lifecycle: {preStop: {httpGet: {path: /nowhere, port: 8080}}}}]}",
        run_s=3.0,
    )
    internal_client.delete(town.world, Key("pods", "default", "app"))
    town.run(3.0)
    assert town.events("Killing", "FailedPreStopHook") == [("Killing", "Stopping container c", 1)]


def test_what_a_container_leaves_behind_is_its_termination_message(town: Any) -> None:
    policy = "terminationMessagePolicy: FallbackToLogsOnError"
    town.pod(
        "{restartPolicy: Never, containers: ["
        f"{{name: file, image: '{BUSYBOX}', command: [sh, -c, 'echo bye > /tmp/end; exit 4'], "
        "terminationMessagePath: /tmp/end}, "
        f"{{name: log, image: '{FLAKY}', {policy}}}, "
        f"{{name: well, image: '{FLAKY}', env: [{{name: CODE, value: '0'}}], {policy}}}]}}",
        run_s=8.0,
    )
    ends = [town.state(container=number)["terminated"] for number in range(3)]
    assert [(end["exitCode"], end.get("message", "")) for end in ends] == [
        (4, "bye\n"),
        (1, "flaky: started\nflaky: fatal: giving up with code 1\n"),
        (0, ""),
    ]
    assert town.status()["phase"] == "Failed"


@pytest.mark.parametrize(
    ("own", "restarts"),
    [
        ("", 0),
        ("restartPolicy: Always, ", 1),
        ("restartPolicy: Never, ", 0),
        (
            "restartPolicy: Never, restartPolicyRules: [{action: Restart, "
            "exitCodes: {operator: In, values: [42]}}], ",
            1,
        ),
        (
            "restartPolicy: Never, restartPolicyRules: [{action: Restart, "
            "exitCodes: {operator: NotIn, values: [42]}}], ",
            0,
        ),
    ],
)
def test_a_container_may_have_a_restart_policy_of_its_own(
    town: Any, own: str, restarts: int
) -> None:
    town.pod(
        f"{{restartPolicy: Never, containers: [{{name: c, image: '{FLAKY}', {own}"
        "env: [{name: CODE, value: '42'}]}]}",
        run_s=5.0,
    )
    assert town.status()["containerStatuses"][0]["restartCount"] == restarts
    assert town.status()["phase"] == ("Running" if restarts else "Failed")


def test_the_end_of_a_pod_is_reported_before_its_phase(town: Any) -> None:
    town.pod(
        f"{{restartPolicy: Never, containers: [{{name: c, image: '{BUSYBOX}', "
        "command: [sleep, '2']}]}",
        run_s=1.0,
    )
    seen = []
    for _ in range(60):
        town.run(0.1)
        status = town.status()
        ready = next(entry for entry in status["conditions"] if entry["type"] == "Ready")
        step = (status["phase"], ready["status"], ready.get("reason", ""))
        if not seen or seen[-1] != step:
            seen.append(step)
    assert seen == [
        ("Running", "True", ""),
        ("Running", "False", "PodCompleted"),
        ("Succeeded", "False", "PodCompleted"),
    ]


def test_an_ephemeral_container_joins_a_running_pod(town: Any) -> None:
    town.pod(f"{{containers: [{{name: c, image: '{WORKER}'}}]}}", run_s=3.0)
    key = Key("pods", "default", "app")
    pod = town.world.store.get(key)
    look = {"name": "look", "image": BUSYBOX, "command": ["sleep", "5"]}
    spec = {**pod["spec"], "ephemeralContainers": [look]}
    town.world.store.put("pods", {**pod, "spec": spec})
    town.run(3.0)
    (status,) = town.status()["ephemeralContainerStatuses"]
    assert list(status["state"]) == ["running"]
    assert (status["ready"], status["restartCount"], "started" in status) == (False, 0, False)
    town.run(6.0)
    (status,) = town.status()["ephemeralContainerStatuses"]
    assert status["state"]["terminated"]["exitCode"] == 0
    assert town.status()["phase"] == "Running"
    fields = {
        event["involvedObject"].get("fieldPath")
        for event in town.world.store.list("events", "default")
        if event["reason"] == "Started"
    }
    assert fields == {"spec.containers{c}", "spec.ephemeralContainers{look}"}


def test_a_pod_deleted_by_force_is_killed_all_the_same(town: Any) -> None:
    town.pod(f"{{containers: [{{name: c, image: '{WORKER}'}}]}}", run_s=3.0)
    internal_client.delete(town.world, Key("pods", "default", "app"), grace_s=0)
    assert town.world.store.get(Key("pods", "default", "app")) is None
    town.run(1.0)
    assert town.events("Killing") == [("Killing", "Stopping container c", 1)]
    assert [p.ref.pod for p in town.world.service(RUNTIME).running(town.world)].count("app") == 0


def test_a_status_that_somebody_forges_lasts_until_the_kubelets_next_turn(town: Any) -> None:
    town.pod(f"{{containers: [{{name: c, image: '{WORKER}'}}]}}", run_s=15.0)
    said = town.status()
    forged = {
        **said,
        "phase": "Succeeded",
        "podIP": "10.0.0.1",
        "conditions": [
            {**entry, "status": "False"} if entry["type"] == "Ready" else entry
            for entry in said["conditions"]
        ],
    }
    note = {"type": "example.com/Noted", "status": "True"}
    key = Key("pods", "default", "app")
    internal_client.update_status(
        town.world, key, {**forged, "conditions": [note, *forged["conditions"]]}
    )
    town.run(10.0)
    now = town.status()
    changed = [
        entry["lastTransitionTime"] for entry in now["conditions"] if entry["type"] == "Ready"
    ]
    for entry in said["conditions"]:
        if entry["type"] == "Ready":
            entry["lastTransitionTime"] = changed[0]
    assert now == {**said, "conditions": [note, *said["conditions"]]}
