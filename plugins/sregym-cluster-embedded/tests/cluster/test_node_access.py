"""Access to nodes: each setting is read, applied and undone exactly, and symptoms follow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.cluster import EmbeddedCluster
from sregym_cluster_embedded.network.links import PathEnd, path_between
from sregym_core.errors import NodeError
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, NodeAccess, restore_settings
from sregym_core.model import Capability, Node, NodeSetting, ObjectRef
from sregym_kubernetes.node_settings import (
    CpuUse,
    Daemon,
    DiskBadBlocks,
    DiskCorruption,
    DiskDelay,
    DiskErrors,
    DiskFill,
    DiskReadOnly,
    DiskUse,
    KernelTable,
    LinkState,
    MemoryUse,
    NetworkUse,
    NodeClock,
    Peer,
    Power,
    ProcessLimit,
    ProcessStop,
    ProcessTrouble,
    RegistryAccess,
    Sysctl,
    SystemCall,
)

SPEC = ClusterSpec(seed=7)
N = "node3"
PODS = Peer(namespace="kube-system", labels={"k8s-app": "kube-dns"})
SETTINGS = (
    Power(node=N, on=False),
    *(Daemon(node=N, daemon="kubelet", state=state) for state in ("stopped", "frozen")),
    Daemon(node=N, daemon="container-runtime", state="stopped"),
    Daemon(node=N, daemon="network-plugin", state="stopped"),
    Daemon(node=N, daemon="kube-proxy", state="stopped"),
    Daemon(node=N, daemon="kube-proxy", delay_s=30),
    LinkState(source=PODS, target=Peer(node=N), delay_ms=50, jitter_ms=5, loss=0.1, rate_mbit=9),
    LinkState(source=Peer(namespace="shop"), target=Peer(cidr="10.0.0.0/8"), blocked="reject"),
    LinkState(source=Peer(namespace="shop", pod="web-0"), blocked="drop"),
    DiskFill(node=N, taken_bytes=10**10),
    DiskReadOnly(node=N, read_only=True),
    DiskBadBlocks(node=N, blocks=((7, 9), (20, 20))),
    DiskCorruption(node=N, blocks=((30, 33),)),
    DiskDelay(node=N, delay_ms=40),
    DiskErrors(node=N, share=0.2),
    DiskUse(node=N, queued=30, displaced=0.5),
    NetworkUse(node=N, mbit=4000),
    NodeClock(node=N, offset_s=-90),
    Sysctl(node=N, name="kernel.pid_max", value="100"),
    *(KernelTable(node=N, table=name, taken=9) for name in ("conntrack", "processes", "ports")),
    MemoryUse(node=N, taken_bytes=2**30),
    ProcessLimit(node=N, limit=64),
    SystemCall(node=N, call="read", path="/data/*", error="EIO", share=0.5),
    SystemCall(node=N, call="pread64", error="EIO"),
    SystemCall(namespace="shop", labels={"app": "web"}, call="fsync", delay_ms=20),
    *(
        RegistryAccess(host="docker.io", failure=failure)
        for failure in ("timeout", "refused", "no-such-host", "certificate")
    ),
)


@pytest.fixture(scope="module")
def fresh() -> Iterator[Checkpoint]:
    # Put together without a seed, a world has nodes of known names.
    cluster = EmbeddedCluster(build(Blueprint()), SPEC)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint
    cluster.close()


@pytest.fixture
def cluster(fresh: Checkpoint) -> Iterator[Cluster]:
    fork = fresh.fork(SPEC)
    yield fork
    fork.close()


@pytest.fixture
def access(cluster: Cluster) -> NodeAccess:
    assert cluster.nodes is not None
    return cluster.nodes


def test_nodes_have_names_roles_and_zones(cluster: Cluster, access: NodeAccess) -> None:
    zone = {"metadata": {"labels": {"topology.kubernetes.io/zone": "west"}}}
    cluster.patch(ObjectRef(api_version="v1", kind="Node", name="node2"), zone, "merge")
    assert access.nodes() == (
        Node(name="node1", role="worker"),
        Node(name="node2", role="worker", zone="west"),
        Node(name="node3", role="worker"),
    )


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_setting_is_read_applied_and_undone(access: NodeAccess, setting: NodeSetting) -> None:
    assert access.settings() == ()
    before = access.read(setting)
    assert before.is_neutral
    for _ in range(2):
        access.apply(setting)
    assert access.read(setting.neutral()) == setting
    assert access.settings() == (setting,)
    for _ in range(2):
        access.apply(before)
    assert access.settings() == ()


def test_all_that_is_set_goes_back_to_a_baseline(access: NodeAccess) -> None:
    for setting in SETTINGS:
        if not isinstance(setting, Daemon | Power):
            access.apply(setting)
    assert access.settings() != ()
    restore_settings(access, ())
    assert access.settings() == ()


def test_what_is_changed_on_a_host_shows_in_the_baseline(access: NodeAccess) -> None:
    done = access.run(N, ["sysctl", "-w", "kernel.pid_max=77"])
    assert (done.exit_code, done.stdout) == (0, "kernel.pid_max = 77\n")
    assert access.settings() == (Sysctl(node=N, name="kernel.pid_max", value="77"),)
    access.run(N, ["systemctl", "stop", "kubelet"])
    assert access.read(Daemon(node=N, daemon="kubelet")).state == "stopped"
    assert access.run(N, ["no-such-command"]).exit_code == 127


def test_symptoms_follow(cluster: Cluster, access: NodeAccess) -> None:
    def ready(node: str) -> str:
        obj = cluster.get(ObjectRef(api_version="v1", kind="Node", name=node))
        assert obj is not None
        return next(c["status"] for c in obj["status"]["conditions"] if c["type"] == "Ready")

    access.apply(Daemon(node=N, daemon="kubelet", state="stopped"))
    assert cluster.clock.wait_until(lambda: ready(N) == "Unknown", 120.0)
    access.apply(Daemon(node=N, daemon="kubelet"))
    assert cluster.clock.wait_until(lambda: ready(N) == "True", 120.0)


def test_calls_succeed_again_when_the_tracer_ends(access: NodeAccess) -> None:
    rule = SystemCall(node=N, call="fdatasync", error="EIO")
    access.apply(rule)
    assert "/usr/local/lib/trace/syscalls.bt" in access.run(N, ("ps", "-ef")).stdout
    assert "bpftrace" not in access.run("node2", ("ps", "-ef")).stdout
    assert access.run(N, ("pkill", "-x", "bpftrace")).ok
    assert access.read(rule).is_neutral
    assert "bpftrace" not in access.run(N, ("ps", "-ef")).stdout


def test_a_process_that_is_stopped_answers_nobody(cluster: Cluster, access: NodeAccess) -> None:
    (pod, *_) = cluster.list("v1", "Pod", "kube-system", "k8s-app=kube-dns")
    node = pod["spec"]["nodeName"]
    wanted = ProcessStop(
        node=node, namespace="kube-system", pod=pod["metadata"]["name"], container="coredns"
    )
    access.apply(wanted.model_copy(update={"stopped": True}))
    (found,) = access.settings()
    assert found == wanted.model_copy(update={"stopped": True})
    assert access.run(node, ("ps", "-C", "coredns", "-o", "stat=")).stdout.split() == ["Ts"]
    pid = access.run(node, ("pgrep", "-x", "coredns")).stdout.split()[0]
    assert access.run(node, ("kill", "-CONT", pid)).ok
    assert access.settings() == ()
    assert access.run(node, ("kill", "-STOP", pid)).ok
    assert access.read(wanted).stopped
    # Its liveness probe is not answered, and the kubelet kills it: it does not hear SIGTERM.
    assert cluster.clock.wait_until(lambda: not access.read(wanted).stopped, 300.0)


def test_a_link_meets_pods_by_their_labels(cluster: EmbeddedCluster, access: NodeAccess) -> None:
    (pod, *_) = cluster.list("v1", "Pod", "kube-system", "k8s-app=kube-dns")
    metadata, address = pod["metadata"], pod["status"]["podIP"]
    here = PathEnd(metadata["uid"], "kube-system", pod["spec"]["nodeName"], address)
    there, stranger = PathEnd(node=N), PathEnd("other", "kube-system", "node1", "10.0.0.1")

    def lost(source: PathEnd) -> float:
        with cluster.live.open() as world:
            return path_between(world, source, there).loss

    access.apply(LinkState(source=PODS, target=Peer(node=N), loss=0.25))
    assert (lost(here), lost(stranger)) == (0.25, 0.0)
    access.apply(LinkState(source=PODS, target=Peer(node=N)))
    assert lost(here) == 0.0


def test_links_of_pods_by_their_labels_are_seen_and_taken_away_on_their_node(
    cluster: Cluster, access: NodeAccess
) -> None:
    (pod, *_) = cluster.list("v1", "Pod", "kube-system", "k8s-app=kube-dns")
    node, address = pod["spec"]["nodeName"], pod["status"]["podIP"]
    slow = LinkState(target=PODS, delay_ms=50)
    access.apply(slow)
    devices = "tc qdisc show | awk '/netem.*delay 50ms/ {print $5}'"
    (device,) = access.run(node, ("sh", "-c", devices)).stdout.split()
    assert access.run(node, ("tc", "qdisc", "del", "dev", device, "root")).ok
    assert access.read(slow).is_neutral
    cut = LinkState(target=PODS, blocked="drop")
    access.apply(cut)
    assert f"-A FORWARD -d {address}/32 -j DROP" in access.run(node, ("iptables", "-S")).stdout
    assert access.run(node, ("iptables", "-F", "FORWARD")).ok
    assert access.read(cut).is_neutral


def test_what_a_card_cannot_carry_is_lost_between_nodes(
    cluster: EmbeddedCluster, access: NodeAccess
) -> None:
    def lost(one: str, other: str) -> float:
        with cluster.live.open() as world:
            return path_between(world, PathEnd("a", node=one), PathEnd("b", node=other)).loss

    access.apply(NetworkUse(node=N, mbit=4000))
    assert (lost(N, "node1"), lost("node1", N), lost(N, N), lost("node1", "node2")) == (
        *(0.75, 0.75),
        *(0.0, 0.0),
    )
    assert access.run(N, ("pkill", "-x", "iperf3")).ok
    assert lost(N, "node1") == 0.0


def test_where_a_file_of_a_container_lies(cluster: Cluster, access: NodeAccess) -> None:
    (pod, *_) = cluster.list("v1", "Pod", "kube-system", "k8s-app=kube-dns")
    name = pod["metadata"]["name"]
    found = access.blocks_of("kube-system", name, "/etc/coredns/Corefile")
    ((first, last),) = found.blocks
    assert (found.node, found.disk, last - first) == (pod["spec"]["nodeName"], "root", 0)
    for path, container, whose in (
        ("/nowhere", "", "has a file /nowhere"),
        ("", "coredns", "has a file of what its main process keeps"),
    ):
        with pytest.raises(NodeError) as caught:
            access.blocks_of("kube-system", name, path, container)
        own = f", container {container!r}" if container else ""
        assert str(caught.value) == f"no container that runs of pod kube-system/{name}{own} {whose}"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (Power(node="moon"), "the cluster has no machine 'moon'; it has: node1, node2, node3"),
        (
            ProcessTrouble(node=N, namespace="shop", trouble="leak"),
            "process-troubles is not simulated ('process-trouble node3 shop * leak')",
        ),
        (CpuUse(node=N, cores=900), "node 'node3' has 8 processors, 900 cannot be busy"),
        (DiskFill(node=N, disk="b"), "node 'node3' has no disk 'b'; it has: root"),
        (Sysctl(node=N, name="a.b"), "the kernel of node 'node3' has no parameter 'a.b'"),
        (
            KernelTable(node=N, table="inotify"),
            "the table 'inotify' of kernels is not simulated; there are: conntrack, processes, ports",
        ),
        (
            ProcessLimit(node=N, resource="nproc"),
            "the limit 'nproc' of processes is not simulated; there is: nofile",
        ),
        (
            RegistryAccess(node=N, host="docker.io"),
            "registry 'docker.io' is reached alike from all nodes; leave out node 'node3'",
        ),
        (
            Daemon(node=N, daemon="kube-proxy", state="frozen"),
            "on node 'node3' the kube-proxy cannot be frozen, only stopped",
        ),
        (
            SystemCall(node=N, call="mlock", error="ENOMEM"),
            "the system call 'mlock' is not simulated; there are: open, read, write, fsync, connect, "
            "bind, sendmmsg, mmap, mprotect, clone, clock_gettime, openat, pread64, readv, pwrite64, "
            "writev, fdatasync, socket, clone3, fork, vfork, gettimeofday",
        ),
        (
            SystemCall(node=N, call="read", error="EWHAT"),
            "system call rule 'set on nodes: system-call node3 * * * * read *': there is no error "
            "number 'EWHAT'",
        ),
        (
            NodeClock(node=N, drift_ppm=100),
            "'clock node3' could not be set: drift_ppm is 0.0 and not 100.0",
        ),
    ],
    ids=lambda value: value.key if isinstance(value, NodeSetting) else "",
)
def test_what_cannot_be(access: NodeAccess, setting: NodeSetting, message: str) -> None:
    with pytest.raises(NodeError) as caught:
        access.apply(setting)
    assert str(caught.value) == message


def test_what_a_node_allows(access: NodeAccess) -> None:
    assert access.examine(N, Capability.SYSCTLS) == ""
    assert access.examine(N, Capability.PROCESS_TROUBLES) == (
        "node 'node3': process-troubles is not simulated"
    )
    access.apply(Power(node=N, on=False))
    assert access.examine(N, Capability.POWER) == ""
    assert access.examine(N, Capability.SYSCTLS) == "node 'node3' is off; switch it on first"
    with pytest.raises(NodeError) as caught:
        access.run(N, ["true"])
    assert str(caught.value) == "nothing runs on machine 'node3': it is off"
