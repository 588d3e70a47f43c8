"""The access to nodes of real clusters, with this machine as the node and a store as a pod's process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from real.needing import needs
from real.stores import Redis, wait_for
from sregym_cluster_kubernetes.nodes.access import HostNodes
from sregym_cluster_kubernetes.nodes.transports import Here
from sregym_core.cli.entry import run
from sregym_core.errors import NodeError
from sregym_core.interfaces import NodeAccess, restore_settings
from sregym_core.model import Capability
from sregym_kubernetes.node_settings import CpuUse, LinkState, Peer, SystemCall
from sregym_testing import MemoryCluster, worker_nodes

UID = "01234567-89ab-cdef-0123-0123456789ab"
N = "worker-1"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "db-0", "namespace": "shop", "uid": UID, "labels": {"app": "db"}},
    "spec": {"nodeName": N, "containers": [{"name": "db", "image": "redis:7"}]},
    "status": {"phase": "Running"},
}


class Cluster(MemoryCluster):
    """With one pod, whose UID is known."""

    def list(self, api_version, kind, namespace="", label_selector=""):
        if kind == "Pod":
            return [POD]
        return super().list(api_version, kind, namespace, label_selector)


@pytest.fixture
def access() -> Iterator[NodeAccess]:
    needs("strace")
    made = HostNodes(Cluster(nodes=worker_nodes(1)), Here())
    baseline = made.settings()
    yield made
    restore_settings(made, baseline)
    assert made.settings() == baseline


@pytest.fixture
def pod(redis: Redis) -> Iterator[Redis]:
    """A store in the control group of that pod."""
    tops = (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup"))
    top = next((path for path in tops if (path / "cgroup.procs").exists()), None)
    if top is None:
        pytest.skip("needs control groups")
    group = top / "kubepods" / f"pod{UID}"
    try:
        group.mkdir(parents=True, exist_ok=True)
        (group / "cgroup.procs").write_text(str(redis.pid))
    except OSError as error:
        pytest.skip(f"control groups cannot be made here: {error}")
    yield redis
    (top / "cgroup.procs").write_text(str(redis.pid))
    assert wait_for(lambda: not (group / "cgroup.procs").read_text())
    group.rmdir()
    group.parent.rmdir()


def test_calls_of_a_pod(access: NodeAccess, pod: Redis) -> None:
    wanted = SystemCall(
        node=N, namespace="shop", labels={"app": "db"}, call="clone", error="EAGAIN"
    )
    assert access.examine(N, Capability.EVERY_SYSCALL) == ""
    before = access.read(wanted)
    assert before.is_neutral
    access.apply(wanted)
    assert access.read(wanted) == wanted
    assert wanted in access.settings()
    assert pod.ask("bgsave") == "ERR"
    access.apply(before)
    assert access.read(wanted) == before
    assert pod.ask("bgsave") == "Background saving started"


def test_a_neighbour_by_the_agent(access: NodeAccess) -> None:
    wanted = CpuUse(node=N, cores=0.25)
    access.apply(wanted)
    assert access.read(wanted) == wanted
    assert "xz" in access.run(N, ("ps", "-eo", "comm")).stdout.split()
    assert access.run(N, ("pkill", "-x", "xz")).ok
    assert wait_for(lambda: access.read(wanted).is_neutral)


def test_what_is_not_begun(access: NodeAccess) -> None:
    for setting, message in (
        (
            SystemCall(node=N, call="read", error="EIO"),
            "calls of all processes of node 'worker-1' cannot be made to fail, the agent's own among "
            "them; name the pods that are meant",
        ),
        (
            SystemCall(node=N, namespace="shop", pod="web-0", call="read", error="EIO"),
            "no pod that 'system-call worker-1 shop web-0 * * read *' is about runs on node "
            "'worker-1'; target one that does",
        ),
    ):
        with pytest.raises(NodeError) as caught:
            access.apply(setting)
        assert str(caught.value) == message
    link = LinkState(source=Peer(node=N), target=Peer(namespace="shop"), loss=0.5)
    with pytest.raises(NodeError) as caught:
        access.apply(link)
    assert str(caught.value) == (
        "only packets from a node to everybody, or from everybody to a node, can be set on this "
        "cluster, not 'link node=worker-1 namespace=shop'"
    )
    with pytest.raises(NodeError) as caught:
        access.apply(LinkState(source=Peer(node=N), blocked="drop"))
    assert str(caught.value) == (
        "packets cannot be blocked on this cluster ('link node=worker-1 *'); loss=1 loses all"
    )


def test_doctor_tries_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    needs("strace")
    run(["doctor", "--node", "--json"])
    found = json.loads(capsys.readouterr().out)
    ways = {row["fault"]: row["back_ends"] for row in found["faults"]}
    # No security module is asked on the way of it; what overrides calls, few kernels allow.
    assert [one["name"] for one in ways["khaos-fsync-error"]] == ["kprobe", "strace"]
    assert ways["khaos-fsync-error"][-1] == {"name": "strace", "works": True, "why_not": ""}
    read = [one["name"] for one in ways["khaos-read-error"]]
    assert read == ["fmod_ret", "lsm_cgroup", "kprobe", "strace"]
    assert ways["khaos-gettimeofday-fail"] == [
        {
            "name": "strace",
            "works": False,
            "why_not": "gettimeofday is answered in user space (vDSO), where no tracer sees it; no "
            "back end can",
        }
    ]
    assert ways["khaos-memleak-munmap"] == [
        {"name": "none", "works": False, "why_not": "no back end here is for process-troubles"}
    ]
    assert [one["name"] for one in ways["bad-sectors"]] == ["dm-dust", "dm-error", "fuse-disk"]
