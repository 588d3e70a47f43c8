"""A cluster with real nodes: the way of a user, from a kubeconfig to a store in a container of containerd.

    tox -e kernels -- tests/kernels/test_cluster.py -m thorough

Its control plane is in memory, its nodes guests with user-mode Linux and a kubelet of some lines: on
one a store from Debian on a volume, on the other who uses it. An episode goes in wall-clock time,
so all of it is asked for by name.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from real.lab import Lab
from real.stores import wait_for
from sregym_cluster_kubernetes.provider import Kubeconfig
from sregym_core.interfaces import Cluster, ClusterSpec
from sregym_core.model import Capability, NodeSetting, ObjectRef
from sregym_kubernetes.node_settings import DiskBadBlocks, DiskCorruption, DiskDelay, SystemCall

pytestmark = pytest.mark.thorough
NOTES = Path(__file__).parent / "notes"
PROBLEMS = ("write_error_notes", "bad_sectors_notes", "late_packets_notes")
# A node that is emulated on a busy machine takes its time.
READY_S = 300.0


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("lab")) as made:
        yield made


@pytest.fixture(scope="module")
def cluster(lab: Lab) -> Iterator[Cluster]:
    made = Kubeconfig().provision(ClusterSpec(options=lab.options))
    yield made
    made.close()


@pytest.fixture(scope="module")
def notes(lab: Lab, cluster: Cluster) -> Iterator[str]:
    """The application's store and who writes to it; gives the store's pod."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(NOTES))
        from notes_app.application import Notes

        application = Notes()
        application.deploy(cluster)
        try:
            assert wait_for(lambda: not application.ready(cluster), READY_S), lab.kubelet.failed
            (pod,) = cluster.list("v1", "Pod", "notes")
            yield str(pod["metadata"]["name"])
        finally:
            for namespace in application.namespaces:
                cluster.delete(ObjectRef(api_version="v1", kind="Namespace", name=namespace))
            assert wait_for(lambda: not cluster.list("v1", "Pod", "notes"), READY_S)
        assert wait_for(lambda: left(lab) == NOTHING, READY_S), left(lab)


NOTHING = {"containers": "", "groups": "", "held": ""}


def left(lab: Lab) -> dict[str, str]:
    """What pods and changes may leave on the node."""
    looks = {
        "containers": "ctr -n k8s.io containers list -q",
        "groups": "ls -d /sys/fs/cgroup/kubepods/*/ /sys/fs/cgroup/batch-*/ 2>/dev/null || true",
        "held": "ls /run/nodectl/held 2>/dev/null || true",
    }
    return {
        name: "".join(one.said("sh", "-c", look).strip() for one in lab.kubelets.values())
        for name, look in looks.items()
    }


def asked(lab: Lab, *words: str) -> str:
    """What the store answers, asked on its node."""
    script = (
        f"/usr/bin/redis-cli -h $(awk '/ store /{{print $1}}' /etc/hosts) {' '.join(words)} 2>&1"
    )
    return lab.kubelet.said("sh", "-c", f"{script} || true").strip()


def standing(cluster: Cluster) -> tuple[NodeSetting, ...]:
    """What the agent has set; what else a machine differs in is its own."""
    assert cluster.nodes is not None
    kinds = (SystemCall, DiskBadBlocks, DiskCorruption, DiskDelay)
    return tuple(one for one in cluster.nodes.settings() if isinstance(one, kinds))


def test_calls_of_a_container(lab: Lab, cluster: Cluster, notes: str) -> None:
    """Its own words are in the log that the API gives; afterwards it works."""
    access, node = cluster.nodes, lab.kubelet.node
    assert access is not None
    assert access.examine(node, Capability.SYSCALLS) == ""
    assert asked(lab, "set", "a", "1") == "OK"
    wanted = SystemCall(
        node=node, namespace="notes", labels={"app": "store"}, call="write", error="ENOSPC"
    )
    access.apply(wanted)
    assert wanted in standing(cluster)
    (repair,) = access.repairs(wanted)
    assert repair == ("timeout", "330", "sh", "-c", "until pkill -x strace; do sleep 0.2; done")

    def log() -> str:
        return cluster.logs("notes", notes) + cluster.logs("notes", notes, previous=True)

    asked(lab, "set", "a", "2")
    assert wait_for(
        lambda: "Error writing to the AOF file: No space left on device" in log(), READY_S
    )
    access.apply(wanted.neutral())
    assert standing(cluster) == ()
    assert wait_for(lambda: asked(lab, "set", "a", "3") == "OK", READY_S)


@pytest.mark.parametrize("kind", [DiskBadBlocks, DiskCorruption])
def test_blocks_below_a_volume(
    kind: type[DiskBadBlocks] | type[DiskCorruption], lab: Lab, cluster: Cluster, notes: str
) -> None:
    """The repair that an engineer types at the node makes them whole, and no byte is lost."""
    access = cluster.nodes
    assert access is not None
    assert wait_for(lambda: asked(lab, "ping") == "PONG", READY_S)
    asked(lab, "set", "big", "x" * 20000)
    path = "/data/appendonlydir/appendonly.aof.1.incr.aof"
    found = access.blocks_of("notes", notes, path)
    (first, last), *_ = found.blocks
    assert (found.node, found.disk) == (lab.kubelet.node, "vol-data")
    name = f"/var/lib/kubelet/volumes/notes-store{path.removeprefix('/data')}"
    end = min(last, first + 1)
    whole = lab.kubelet.said("sh", "-c", f"dd if={name} bs=4096 count=2 2>/dev/null | md5sum")
    wanted = kind(node=found.node, disk=found.disk, blocks=((first, end),))
    access.apply(wanted)
    assert standing(cluster) == (wanted,)
    broken = lab.kubelet.said("sh", "-c", f"dd if={name} bs=4096 count=2 2>&1 | md5sum")
    assert broken != whole
    for argv in access.repairs(wanted):
        assert access.run(found.node, argv).ok
    assert standing(cluster) == ()
    assert (
        lab.kubelet.said("sh", "-c", f"dd if={name} bs=4096 count=2 2>/dev/null | md5sum") == whole
    )
    assert lab.kubelet.said("dmsetup", "table", "vol-data").count("linear") == 2


def test_a_slow_disk_of_the_kubelet(lab: Lab, cluster: Cluster, notes: str) -> None:
    access = cluster.nodes
    assert access is not None
    wanted = DiskDelay(node=lab.kubelet.node, delay_ms=100)
    access.apply(wanted)
    assert standing(cluster) == (wanted,)
    access.apply(wanted.neutral())
    assert standing(cluster) == ()


def test_through_pods_that_are_gone_after_each_command(
    lab: Lab, cluster: Cluster, notes: str
) -> None:
    """A privileged pod of the node's runtime leads to its host; what it began there outlives it."""
    options = {"kubeconfig": str(lab.kubeconfig), "nodes": "pod"}
    through, node = Kubeconfig().provision(ClusterSpec(options=options)), lab.kubelet.node
    try:
        access = through.nodes
        assert access is not None
        script = "printf '%s|' \"$@\"; cat; echo oh >&2; exit 3"
        done = access.run(node, ("sh", "-c", script, "x", "a b", "$HOME", "it's", "*"), "in\nput")
        assert (done.exit_code, done.stdout, done.stderr) == (3, "a b|$HOME|it's|*|in\nput", "oh\n")
        assert access.run(node, ("hostname",)).stdout == f"{node}\n"
        wanted = SystemCall(
            node=node, namespace="notes", labels={"app": "store"}, call="clone", error="EAGAIN"
        )
        access.apply(wanted)
        assert access.read(wanted) == wanted
        assert wait_for(lambda: asked(lab, "bgsave") == "ERR", READY_S), asked(lab, "bgsave")
        # A pod for each renewal would be seen.
        held = json.loads(lab.kubelet.said("sh", "-c", "cat /run/nodectl/held/*.json"))
        now = float(lab.kubelet.said("cat", "/proc/uptime").split()[0])
        assert 3 * 3600 < held["until"] - now <= 4 * 3600
        access.apply(wanted.neutral())
        assert wait_for(lambda: asked(lab, "bgsave") == "Background saving started", READY_S)
        on_node = [one["spec"].get("nodeName") for one in through.list("v1", "Pod", "kube-system")]
        assert node not in on_node
    finally:
        through.close()


@pytest.fixture
def sregym(lab: Lab, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The command, with the notes among its applications; gives what it printed as JSON."""

    def run(*words: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "sregym_core", *words, "--cluster", lab.choice, "--json"],
            env={**os.environ, "PYTHONPATH": str(NOTES), "HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout, done.stderr
        return dict(json.loads(done.stdout))

    return run


def test_an_expert_repairs_the_node(lab: Lab, sregym: Callable[..., dict[str, Any]]) -> None:
    played = sregym("run", *PROBLEMS, "--agent", "expert", "--out", "played", "--keep")
    found = [(one["recovered"], one["outcome"], one["reason"]) for one in played["episodes"]]
    assert found == [(True, "pass", "diagnosis and mitigation passed")] * len(PROBLEMS)
    assert left(lab)["held"] == ""


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_is_proved(problem: str, sregym: Callable[..., dict[str, Any]]) -> None:
    """Half an hour: each part of the proof is an episode in wall-clock time."""
    content = sregym("verify", problem)
    failed = [check for check in content["problems"][0]["checks"] if not check["ok"]]
    assert failed == []
