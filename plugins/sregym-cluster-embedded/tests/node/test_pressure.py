"""Nodes that run short, pods that write too much: conditions, taints, events and who has to go."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet import log_files
from sregym_cluster_embedded.kubelet.state import pod_states
from sregym_cluster_embedded.node.bootstrap import NodeSpec
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.world import World

SHELL = "registry.example/library/busybox:1.36"
MEM = "registry.example/shop/mem:1.0"


@pytest.fixture(scope="module")
def booted(recorded_images: Any) -> World:
    specs = [
        NodeSpec(name, cpu=2, memory_kib=4 * 2**20, disk_kib=20 * 2**20, images=(SHELL, MEM))
        for name in ("node1", "node2")
    ]
    world = build(Blueprint(models=recorded_images, seed=3, nodes=specs))
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    world.run_until(world.now + 1)
    return world


@pytest.fixture
def world(booted: World) -> World:
    return booted.fork()


def run(world: World, seconds: float) -> None:
    world.run_until(world.now + seconds)


def start(world: World, name: str, container: str, rest: str = "") -> None:
    text = f"""
    metadata: {{name: {name}, namespace: shop}}
    spec: {{nodeName: node2, terminationGracePeriodSeconds: 1, containers: [{container}]{rest}}}
    """
    internal_client.create(world, "pods", yaml.safe_load(text))


def status(world: World, name: str) -> Object:
    pod = world.store.get(Key("pods", "shop", name))
    assert pod is not None
    value: Object = pod["status"]
    return value


def node(world: World) -> Object:
    found = world.store.get(Key("nodes", "", "node2"))
    assert found is not None
    return found


def condition(world: World, type_: str) -> tuple[str, str, str]:
    entry = next(c for c in node(world)["status"]["conditions"] if c["type"] == type_)
    return entry["status"], entry["reason"], entry["message"]


def events(world: World, name: str, namespace: str = "shop") -> list[tuple[str, str]]:
    listed = sorted(
        world.store.list("events", namespace),
        key=lambda event: int(event["metadata"]["resourceVersion"]),
    )
    return [(e["reason"], e["message"]) for e in listed if e["involvedObject"]["name"] == name]


def memory(name: str, mib: int, request: str = "") -> str:
    wanted = f", resources: {{requests: {{memory: {request}}}}}" if request else ""
    return f"{{name: {name}, image: {MEM!r}, env: [{{name: MIB, value: '{mib}'}}]{wanted}}}"


def shell(script: str, rest: str = "") -> str:
    return f"{{name: main, image: {SHELL!r}, command: [sh, -c, {script!r}]{rest}}}"


FILL = "dd if=/dev/zero of={} bs=1M count=40; sleep 3600"


def test_an_empty_dir_over_its_limit_ends_the_pod(world: World) -> None:
    mount = ", volumeMounts: [{name: spool, mountPath: /spool}]"
    volumes = ", volumes: [{name: spool, emptyDir: {sizeLimit: 10Mi}}]"
    start(world, "spool", shell(FILL.format("/spool/f"), mount), volumes)
    run(world, 15)
    found = status(world, "spool")
    assert (found["phase"], found["reason"], found["message"]) == (
        "Failed",
        "Evicted",
        'Usage of EmptyDir volume "spool" exceeds the limit "10Mi". ',
    )
    assert found["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 137
    assert [reason for reason, _ in events(world, "spool")][-2:] == ["Evicted", "Killing"]


@pytest.mark.parametrize(
    ("containers", "message"),
    [
        (
            shell(FILL.format("/tmp/f"), ", resources: {limits: {ephemeral-storage: 10Mi}}"),
            "Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ",
        ),
        (
            shell(FILL.format("/tmp/f"), ", resources: {limits: {ephemeral-storage: 10Mi}}")
            + f", {{name: other, image: {SHELL!r}, command: [sleep, '900'], "
            "resources: {limits: {ephemeral-storage: 1Gi}}}",
            'Container main exceeded its local ephemeral storage limit "10Mi". ',
        ),
    ],
)
def test_too_much_written_ends_the_pod(world: World, containers: str, message: str) -> None:
    start(world, "logger", containers)
    run(world, 15)
    assert (status(world, "logger")["phase"], status(world, "logger")["message"]) == (
        "Failed",
        message,
    )


# 20 lines of 541 bytes a second: 1 MiB after 97 seconds.
TALK = "while true; do for i in 1 2 3 4 5; do printf '%0500d\\n%0500d\\n%0500d\\n%0500d\\n' 1 2 3 4; done; sleep 1; done"


def test_what_a_container_logs_counts(world: World) -> None:
    start(world, "logger", shell(TALK, ", resources: {limits: {ephemeral-storage: 1Mi}}"))
    start(world, "free", shell(TALK))
    run(world, 90)
    assert status(world, "logger")["phase"] == "Running"
    run(world, 25)
    assert (status(world, "logger")["phase"], status(world, "logger")["message"]) == (
        "Failed",
        "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
    )
    assert status(world, "free")["phase"] == "Running"
    assert world.table("kubelet.log_files") == {}


def test_log_files_are_closed_at_ten_mebibytes(world: World) -> None:
    start(world, "logger", shell("sleep 3600"))
    run(world, 5)
    (state,) = [entry for entry in pod_states(world).values() if entry.key.name == "logger"]
    taken = []
    for written_mib in (9, 11, 25, 95):
        world.table("kubelet.log_files")[state.ref("main")] = (world.now, written_mib << 20)
        log_files.tally(world, state)
        taken.append(log_files.log_bytes(world, state, "main") / 2**20)
    # One closed file as it is, up to three compressed ones, and the present one.
    assert taken == [9, 11, 16, 18]


def test_within_its_limit_a_pod_stays(world: World) -> None:
    limit = ", resources: {limits: {ephemeral-storage: 100Mi}}"
    start(world, "logger", shell(FILL.format("/tmp/f"), limit))
    run(world, 60)
    assert status(world, "logger")["phase"] == "Running"


def test_short_memory_ends_the_pod_that_is_furthest_over_its_request(world: World) -> None:
    start(world, "modest", memory("m", 600, "700Mi"))
    start(world, "greedy", memory("m", 900, "100Mi"))
    start(world, "small", memory("m", 200))
    run(world, 30)
    machines.change(world, "node2", other_memory_kib=4 * 2**20 - 1750 * 1024)
    run(world, 11)
    assert condition(world, "MemoryPressure") == (
        "True",
        "KubeletHasInsufficientMemory",
        "kubelet has insufficient memory available",
    )
    found = status(world, "greedy")
    assert (found["phase"], found["reason"]) == ("Failed", "Evicted")
    head = "The node was low on resource: memory. Threshold quantity: 100Mi, available: "
    tail = ", request is 100Mi, has larger consumption of memory. "
    assert found["message"].startswith(head)
    assert found["message"].endswith(tail)
    target = found["conditions"][0]
    assert (target["type"], target["reason"], target["message"]) == (
        "DisruptionTarget",
        "TerminationByKubelet",
        found["message"],
    )
    assert status(world, "modest")["phase"] == status(world, "small")["phase"] == "Running"
    assert [
        taint["key"] for taint in node(world)["spec"]["taints"] if taint["effect"] == "NoSchedule"
    ] == ["node.kubernetes.io/memory-pressure"]
    said = events(world, "node2", "default")
    assert ("EvictionThresholdMet", "Attempting to reclaim memory") in said
    text = "Node node2 status is now: NodeHasInsufficientMemory"
    assert ("NodeHasInsufficientMemory", text) in said


def test_pressure_ends_some_minutes_after_its_cause(world: World) -> None:
    machines.change(world, "node2", other_memory_kib=4 * 2**20)
    run(world, 11)
    machines.change(world, "node2", other_memory_kib=2**20)
    run(world, 200)
    assert condition(world, "MemoryPressure")[0] == "True"
    run(world, 130)
    assert condition(world, "MemoryPressure")[:2] == ("False", "KubeletHasSufficientMemory")
    assert "taints" not in node(world)["spec"]


def test_a_full_disk_loses_unused_images_and_then_pods(world: World) -> None:
    start(world, "writer", shell("dd if=/dev/zero of=/tmp/f bs=1M count=400; sleep 3600"))
    run(world, 5)
    machines.change_root(world, "node2", other_bytes=int(19.2 * 2**30))
    run(world, 11)
    assert condition(world, "DiskPressure")[:2] == ("True", "KubeletHasDiskPressure")
    names = {name for entry in node(world)["status"]["images"] for name in entry["names"]}
    assert MEM not in names
    assert SHELL in names
    found = status(world, "writer")
    assert found["reason"] == "Evicted"
    head = "The node was low on resource: ephemeral-storage. Threshold quantity: 2097152Ki, "
    assert found["message"].startswith(head + "available: ")
    said = dict(events(world, "node2", "default"))
    assert said["EvictionThresholdMet"] == "Attempting to reclaim ephemeral-storage"
    assert said["FreeDiskSpaceFailed"].startswith(
        "Failed to garbage collect required amount of images. Attempted to free "
    )


def test_a_node_lists_the_images_that_were_pulled_to_it(world: World) -> None:
    image = "registry.example/shop/web:1.0"
    start(world, "web", f"{{name: web, image: {image!r}}}")
    run(world, 5)
    names = {name for entry in node(world)["status"]["images"] for name in entry["names"]}
    assert image not in names
    run(world, 10)
    sizes = [entry["sizeBytes"] for entry in node(world)["status"]["images"]]
    names = {name for entry in node(world)["status"]["images"] for name in entry["names"]}
    assert image in names
    assert sizes == sorted(sizes, reverse=True)


def test_no_process_ids_left_is_a_condition(world: World) -> None:
    machines.set_sysctl(world, "node2", "kernel.pid_max", "100")
    run(world, 11)
    assert condition(world, "PIDPressure") == (
        "True",
        "KubeletHasInsufficientPID",
        "kubelet has insufficient PID available",
    )


def test_a_pod_ends_at_its_deadline(world: World) -> None:
    start(world, "brief", shell("sleep 3600"), ", activeDeadlineSeconds: 5")
    run(world, 12)
    found = status(world, "brief")
    text = "Pod was active on the node longer than the specified deadline"
    assert (found["phase"], found["reason"], found["message"]) == (
        "Failed",
        "DeadlineExceeded",
        text,
    )
    assert ("DeadlineExceeded", text) in events(world, "brief")


def test_an_untouched_cluster_has_nothing_to_look_at(world: World) -> None:
    assert "node.pressure" not in {event.handler for event in world.clock.pending()}


def test_what_a_machine_does_not_have_cannot_be_changed(world: World) -> None:
    calls: list[tuple[Any, str]] = [
        (lambda: machines.change(world, "node9"), "the cluster has no machine 'node9'"),
        (
            lambda: machines.set_sysctl(world, "node1", "net.nowhere", "1"),
            "the kernel of node 'node1' has no parameter 'net.nowhere'",
        ),
    ]
    for call, message in calls:
        with pytest.raises(LookupError) as refused:
            call()
        assert str(refused.value) == message
