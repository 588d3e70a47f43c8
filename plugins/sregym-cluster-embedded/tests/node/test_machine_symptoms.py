"""What processes, pods and nodes show of machines that are not as they should be."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded import machines, syscalls
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.keys import HEARTBEATS, KUBELET_REACHABLE
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExecResult
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.node.bootstrap import NodeSpec
from sregym_cluster_embedded.node.kubelets import set_container_runtime, set_network_plugin
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.syscalls import Rule
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.world import World

SHELL = "registry.example/library/busybox:1.36"
WEB = "registry.example/shop/web:1.0"
NETWORK_DOWN = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized"
)


@pytest.fixture(scope="module")
def booted(recorded_images: Any) -> World:
    specs = [NodeSpec(name, disk_kib=20 * 2**20, images=(SHELL, WEB)) for name in ("a", "b")]
    world = build(Blueprint(models=recorded_images, seed=5, nodes=specs))
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    world.run_until(world.now + 1)
    start(world, "box", "b")
    world.run_until(world.now + 3)
    return world


@pytest.fixture
def world(booted: World) -> World:
    return booted.fork()


def start(world: World, name: str, node: str, image: str = SHELL) -> None:
    command = "" if image == WEB else "command: [sleep, '9000'], "
    text = f"""
    metadata: {{name: {name}, namespace: shop, labels: {{app: {name}}}}}
    spec:
      nodeName: {node}
      containers:
      - {{name: main, image: {image!r}, {command}volumeMounts: [{{name: d, mountPath: /data}}]}}
      volumes: [{{name: d, emptyDir: {{}}}}]
    """
    internal_client.create(world, "pods", yaml.safe_load(text))


def pod(world: World, name: str = "box") -> Object:
    found = world.store.get(Key("pods", "shop", name))
    assert found is not None
    return found


def sh(world: World, script: str) -> tuple[int, str, str]:
    ref = ContainerRef("shop", "box", pod(world)["metadata"]["uid"], "main", 0)
    done: ExecResult = world.service(RUNTIME).exec(world, ref, ("sh", "-c", script), "")
    return done.exit_code, done.stdout, done.stderr


def ready(world: World, node: str = "b") -> tuple[str, str, str]:
    obj = world.store.get(Key("nodes", "", node))
    assert obj is not None
    entry = next(e for e in obj["status"]["conditions"] if e["type"] == "Ready")
    return entry["status"], entry["reason"], entry["message"]


def events(world: World, reason: str, namespace: str = "shop") -> set[str]:
    listed = world.store.list("events", namespace)
    return {event["message"] for event in listed if event["reason"] == reason}


def test_date_shows_the_clock_of_the_node(world: World) -> None:
    before = int(sh(world, "date +%s")[1])
    machines.change(world, "b", clock_offset_s=-86_400.0)
    assert int(sh(world, "date +%s")[1]) == before - 86_400


def test_kernel_parameters_and_limits_show_in_containers(world: World) -> None:
    shown = "cat /proc/sys/vm/max_map_count /proc/sys/net/netfilter/nf_conntrack_count; ulimit -n"
    assert sh(world, shown) == (0, "262144\n300\n1048576\n", "")
    machines.set_sysctl(world, "b", "vm.max_map_count", "65530")
    machines.change(world, "b", other_connections=262_100, open_files=1024)
    assert sh(world, shown) == (0, "65530\n262100\n1024\n", "")
    limits = sh(world, "grep files /proc/self/limits")[1]
    assert limits.split() == ["Max", "open", "files", "1024", "1024", "files"]


def test_a_bad_block_fails_the_read_of_the_file_on_it(world: World) -> None:
    assert sh(world, "echo one > /data/one; echo two > /data/two; cat /data/one")[1] == "one\n"
    volume = f"pod/{pod(world)['metadata']['uid']}/d"
    machine = machines.machine(world, "b")
    assert machine is not None
    blocks = machines.blocks_of(machine.root, f"{volume}:one", 4)
    machines.change_root(world, "b", bad_blocks=(blocks,))
    failed = (1, "", "cat: can't open '/data/one': Input/output error\n")
    assert sh(world, "cat /data/one") == failed
    assert sh(world, "cat /data/two") == (0, "two\n", "")
    machines.change_root(world, "b", bad_blocks=())
    assert sh(world, "cat /data/one")[1] == "one\n"


def test_a_disk_that_others_filled_takes_nothing(world: World) -> None:
    machines.change_root(world, "b", other_bytes=20 * 2**30)
    code, out, err = sh(world, "echo much > /data/file")
    assert (code, out) == (1, "")
    assert err.endswith("No space left on device\n")
    machines.change_root(world, "b", other_bytes=2**30)
    assert sh(world, "echo much > /data/file && cat /data/file") == (0, "much\n", "")


def test_a_disk_that_is_mounted_read_only_takes_nothing(world: World) -> None:
    machines.change_root(world, "b", read_only=True)
    code, _, err = sh(world, "echo much > /data/file")
    assert code == 1
    assert err.endswith("Read-only file system\n")


def test_failing_calls_of_one_pod(world: World) -> None:
    sh(world, "echo one > /data/one")
    uid = pod(world)["metadata"]["uid"]
    syscalls.fail(world, "x", Rule("read", "EACCES", pod_uid=uid, path="/data/*"))
    code, out, err = sh(world, "cat /data/one")
    assert (code, out) == (1, "")
    assert err.endswith("Permission denied\n")
    syscalls.heal(world, "x")
    assert sh(world, "cat /data/one") == (0, "one\n", "")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("", "connected"),
        ("ECONNREFUSED", "refused"),
        ("ETIMEDOUT", "timeout"),
        ("ENETUNREACH", "unreachable"),
        ("EADDRNOTAVAIL", "no_port"),
    ],
)
def test_connecting_fails_where_the_call_does(world: World, error: str, outcome: str) -> None:
    start(world, "web", "a", WEB)
    world.run_until(world.now + 3)
    if error:
        syscalls.fail(world, "x", Rule("connect", error, node="b"))
    address = pod(world, "web")["status"]["podIP"]
    dialled = world.service(NETWORK).dial(world, pod(world), address, 8080)
    assert str(dialled.outcome) == outcome


def test_a_full_connection_table_drops_what_is_new(world: World) -> None:
    start(world, "web", "a", WEB)
    world.run_until(world.now + 3)
    address = pod(world, "web")["status"]["podIP"]
    net = world.service(NETWORK)
    machines.set_sysctl(world, "b", "net.netfilter.nf_conntrack_max", "100")
    assert str(net.dial(world, pod(world), address, 8080).outcome) == "timeout"
    machines.set_sysctl(world, "b", "net.netfilter.nf_conntrack_max", "262144")
    machines.change(world, "b", other_ports=30_000)
    assert str(net.dial(world, pod(world), address, 8080).outcome) == "no_port"


def test_without_its_network_plugin_a_node_is_not_ready_and_starts_no_pod(world: World) -> None:
    set_network_plugin(world, "b", False)
    world.run_until(world.now + 11)
    assert ready(world) == ("False", "KubeletNotReady", NETWORK_DOWN)
    start(world, "late", "b")
    world.run_until(world.now + 5)
    assert pod(world, "late")["status"]["phase"] == "Pending"
    assert events(world, "NetworkNotReady") == {f"network is not ready: {NETWORK_DOWN}"}
    world.run_until(world.now + 1)
    node = world.store.get(Key("nodes", "", "b"))
    assert node is not None
    assert [(taint["key"], taint["effect"]) for taint in node["spec"]["taints"]] == [
        ("node.kubernetes.io/not-ready", "NoSchedule"),
        ("node.kubernetes.io/not-ready", "NoExecute"),
    ]
    assert pod(world)["status"]["phase"] == "Running"
    set_network_plugin(world, "b", True)
    world.run_until(world.now + 20)
    assert ready(world) == ("True", "KubeletReady", "kubelet is posting ready status")
    assert pod(world, "late")["status"]["phase"] == "Running"


def test_without_its_container_runtime_a_kubelet_says_so(world: World) -> None:
    set_container_runtime(world, "b", False)
    world.run_until(world.now + 41)
    assert ready(world) == ("False", "KubeletNotReady", "container runtime is down")
    world.run_until(world.now + 160)
    assert ready(world)[2] == (
        "[container runtime is down, PLEG is not healthy: pleg was last seen active 3m3s ago; "
        "threshold is 3m0s]"
    )
    with pytest.raises(ApiError) as refused:
        world.service(KUBELET_REACHABLE)(world, pod(world), "exec")
    assert refused.value.status["message"] == (
        'Internal error occurred: rpc error: code = Unavailable desc = connection error: desc = "'
        "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: "
        'connection refused"'
    )
    lease = world.store.get(Key("leases.coordination.k8s.io", "kube-node-lease", "b"))
    renewed = world.service(HEARTBEATS)(world, "leases.coordination.k8s.io", lease)["spec"]
    assert renewed["renewTime"] >= world.micro_timestamp(world.now - 10)
    set_container_runtime(world, "b", True)
    world.run_until(world.now + 11)
    assert ready(world)[0] == "True"


def test_a_node_without_addresses_left_says_so(world: World) -> None:
    taken = world.table("network.addresses")
    for host in range(2, 255):
        taken.setdefault(f"10.244.1.{host}", Key("pods", "elsewhere", f"p{host}"))
    start(world, "late", "b")
    world.run_until(world.now + 3)
    (message,) = events(world, "FailedCreatePodSandBox")
    assert message.startswith(
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network "
        'for sandbox "'
    )
    assert message.endswith(
        '": plugin type="bridge" failed (add): failed to allocate for range 0: no IP addresses '
        "available in range set: 10.244.1.1-10.244.1.254"
    )
