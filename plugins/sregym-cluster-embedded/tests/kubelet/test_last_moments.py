"""The last moments of pods: short graces, deadlines, restarts that are given up; readiness gates."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME

WEB = "registry.example/shop/web:1.0"
BUSYBOX = "registry.example/library/busybox:1.36"
FLAKY = "registry.example/shop/flaky:1.0"
LATE = "Pod was active on the node longer than the specified deadline"
APP = Key("pods", "default", "app")


def watch(town: Any, seconds: float, *fields: str) -> list[tuple[str, ...]]:
    """The different (phase, state and reason, Ready) that a watcher sees, in order."""
    seen: list[tuple[str, ...]] = []
    for _ in range(int(seconds * 20)):
        town.run(0.05)
        if town.world.store.get(APP) is None:
            break
        status = town.status()
        ready = next(entry for entry in status["conditions"] if entry["type"] == "Ready")
        ((state, detail),) = status["containerStatuses"][0]["state"].items()
        step = (status["phase"], state, detail.get("reason", ""), ready["status"])
        step += (ready.get("reason", ""), *(status.get(field, "") for field in fields))
        if not seen or seen[-1] != step:
            seen.append(step)
    return seen


def test_a_container_has_two_seconds_after_a_hook_that_took_all_its_grace(town: Any) -> None:
    town.pod(
        f"{{terminationGracePeriodSeconds: 4, containers: [{{name: c, image: '{WEB}', "
        "lifecycle: {preStop: {exec: {command: [sleep, '20']}}}}]}",
        run_s=3.0,
    )
    internal_client.delete(town.world, APP)
    assert watch(town, 8.0)[-1] == ("Succeeded", "terminated", "Completed", "False", "PodCompleted")


def test_an_evicted_container_may_end_by_itself(town: Any) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WEB}', volumeMounts: [{{name: v, mountPath: /v}}]}}], "
        "volumes: [{name: v, emptyDir: {sizeLimit: 1Mi}}]}",
        run_s=3.0,
    )
    uid = town.world.store.get(APP)["metadata"]["uid"]
    runtime = town.world.service(RUNTIME)
    state = town.world.table("kubelet.pods")[uid]
    fill = ("sh", "-c", "dd if=/dev/zero of=/v/f bs=1M count=3")
    runtime.exec(town.world, state.ref("c"), fill, "")
    town.run(15.0)
    status = town.status()
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (status["phase"], status["reason"]) == ("Failed", "Evicted")
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")


def test_a_pod_past_its_deadline_is_unready_before_it_has_failed(town: Any) -> None:
    town.pod(
        "{activeDeadlineSeconds: 5, terminationGracePeriodSeconds: 3, "
        f"containers: [{{name: c, image: '{BUSYBOX}', command: [sleep, '90']}}]}}",
        run_s=2.0,
    )
    assert watch(town, 10.0, "reason", "message") == [
        ("Running", "running", "", "True", "", "", ""),
        ("Running", "running", "", "False", "PodFailed", "", ""),
        ("Failed", "terminated", "Error", "False", "PodFailed", "DeadlineExceeded", LATE),
    ]
    assert town.events("DeadlineExceeded") == [("DeadlineExceeded", LATE, 4)]


def test_a_deleted_pod_waits_for_no_restart(town: Any) -> None:
    town.pod(
        f"{{terminationGracePeriodSeconds: 3, containers: [{{name: c, image: '{FLAKY}', "
        "command: [/nope]}]}",
        run_s=5.0,
    )
    assert town.state()["waiting"]["reason"] == "RunContainerError"
    internal_client.delete(town.world, APP)
    unready = ("False", "ContainersNotReady")
    assert watch(town, 5.0) == [
        ("Running", "terminated", "StartError", *unready),
        ("Failed", "terminated", "StartError", "False", "PodFailed"),
    ]


def test_a_readiness_gate_counts_as_soon_as_its_condition_is_written(town: Any) -> None:
    town.pod(
        "{readinessGates: [{conditionType: example.com/ok}], "
        f"containers: [{{name: c, image: '{WEB}'}}]}}",
        run_s=3.0,
    )
    missing = 'corresponding condition of pod readiness gate "example.com/ok" does not exist.'
    refused = 'the status of pod readiness gate "example.com/ok" is not "True", but False'
    for answer, wanted in (
        (None, ("False", "ReadinessGatesNotReady", missing)),
        ("True", ("True", None, None)),
        ("False", ("False", "ReadinessGatesNotReady", refused)),
    ):
        if answer is not None:
            status = town.status()
            others = [e for e in status["conditions"] if e["type"] != "example.com/ok"]
            given = {"type": "example.com/ok", "status": answer}
            internal_client.update_status(
                town.world, APP, {**status, "conditions": [given, *others]}
            )
            town.run(0.5)
        ready = next(entry for entry in town.status()["conditions"] if entry["type"] == "Ready")
        assert (ready["status"], ready.get("reason"), ready.get("message")) == wanted


def test_readiness_is_probed_until_the_last_of_a_pod_is_gone(town: Any) -> None:
    probe = "readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}"
    refused = 'Readiness probe failed: Get "http://{}:8080/healthz": dial tcp {}:8080: connect: '
    seen = []
    for number in range(8):
        name = f"p{number}"
        town.pod(f"{{containers: [{{name: c, image: '{WEB}', {probe}}}]}}", name, run_s=0.37)
    town.run(5.0)
    address = {name: town.status(name)["podIP"] for name in (f"p{n}" for n in range(8))}
    before = sum(count for _, _, count in town.events("Unhealthy"))
    for name, ip in address.items():
        internal_client.delete(town.world, Key("pods", "default", name))
        town.run(3.0)
        text = refused.format(ip, ip) + "connection refused"
        now = sum(count for _, _, count in town.events("Unhealthy"))
        seen.append(now - before)
        before = now
        assert {m for _, m, _ in town.events("Unhealthy")} <= {
            refused.format(a, a) + "connection refused" for a in address.values()
        }, text
    # Whether its turn comes between the end of the process and that of the pod is chance.
    assert set(seen) == {0, 1}


def test_a_command_cannot_probe_a_container_that_has_ended(town: Any) -> None:
    town.pod(
        f"{{terminationGracePeriodSeconds: 9, containers: [{{name: c, image: '{WEB}', "
        "readinessProbe: {exec: {command: ['true']}, periodSeconds: 1}}, "
        f"{{name: slow, image: '{BUSYBOX}', command: [sleep, '90']}}]}}",
        run_s=4.0,
    )
    internal_client.delete(town.world, APP)
    town.run(5.0)
    text = (
        "Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc = "
        "failed to exec in container: container is in CONTAINER_EXITED state"
    )
    ((_, message, count),) = town.events("Unhealthy")
    assert (message, count > 2) == (text, True)


def test_a_running_pod_may_be_given_a_deadline(town: Any) -> None:
    town.pod(f"{{containers: [{{name: c, image: '{WEB}'}}]}}", run_s=3.0)
    pod = town.world.store.get(APP)
    spec = {**pod["spec"], "activeDeadlineSeconds": 10}
    internal_client.update(town.world, "pods", {**pod, "spec": spec})
    town.run(4.0)
    assert town.status()["phase"] == "Running"
    town.run(6.0)
    assert (town.status()["phase"], town.status()["reason"]) == ("Failed", "DeadlineExceeded")
