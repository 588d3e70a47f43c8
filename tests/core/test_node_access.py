"""Node settings, access to nodes, and their undo by the journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import MissingCapabilityError, NodeError, WorldError
from sregym_core.interfaces import CommandResult, NodeAccess, node_access, restore_settings
from sregym_core.model import Capability, NodeSetting
from sregym_kubernetes.node_settings import (
    AnyNodeSetting,
    Daemon,
    DiskFill,
    LinkState,
    Peer,
    Power,
    Sysctl,
    SystemCall,
    parse_setting,
)
from sregym_testing import MemoryCluster, MemoryNodes, WatchedCluster, worker_nodes

KUBELET = Daemon(node="worker-1", daemon="kubelet", state="stopped")
SLOW = LinkState(source=Peer(node="worker-1"), target=Peer(namespace="shop"), delay_ms=80)


@pytest.fixture
def cluster() -> MemoryCluster:
    return MemoryCluster(nodes=worker_nodes(2))


def all_kinds() -> tuple[type[NodeSetting], ...]:
    return get_args(get_args(AnyNodeSetting)[0])


def test_a_key_says_what_a_setting_is_about() -> None:
    call = SystemCall(node="n", namespace="shop", labels={"b": "2", "a": "1"}, call="read")
    assert [setting.key for setting in (KUBELET, SLOW, Power(node="n"), call)] == [
        "daemon worker-1 kubelet",
        "link node=worker-1 namespace=shop",
        "power n",
        "system-call n shop * a=1,b=2 * read *",
    ]


def test_keys_tell_ends_and_scopes_apart() -> None:
    everything = LinkState(target=Peer(node="n"))
    assert everything.key != everything.reverse().key
    inside = SystemCall(node="n", container="shop", call="read")
    assert inside.key != SystemCall(node="n", namespace="shop", call="read").key


def test_a_setting_survives_as_json() -> None:
    for setting in (KUBELET, SLOW, Sysctl(node="n", name="kernel.pid_max", value="9")):
        assert parse_setting(json.loads(json.dumps(setting.model_dump(mode="json")))) == setting


def test_each_setting_needs_a_capability_of_its_own() -> None:
    needed = [kind.capability for kind in all_kinds()]
    besides = (Capability.COMMANDS, Capability.RUNTIME_SYSCALLS, Capability.EVERY_SYSCALL)
    assert sorted([*needed, *besides]) == sorted(Capability)


def test_neutral_means_untouched() -> None:
    assert SLOW.neutral() == LinkState(source=SLOW.source, target=SLOW.target)
    assert (SLOW.is_neutral, SLOW.neutral().is_neutral) == (False, True)


def test_reading_what_was_applied(cluster: MemoryCluster) -> None:
    access = node_access(cluster)
    assert access.read(KUBELET) == Daemon(node="worker-1", daemon="kubelet")
    access.apply(KUBELET)
    assert access.read(KUBELET.neutral()) == KUBELET
    assert access.settings() == (KUBELET,)
    assert list(access.state()) == ["daemon worker-1 kubelet"]
    access.apply(KUBELET.neutral())
    assert access.settings() == ()


def test_forks_go_on_by_themselves(cluster: MemoryCluster) -> None:
    checkpoint = cluster.checkpoint()
    node_access(cluster).apply(KUBELET)
    fork = checkpoint.fork(None)  # type: ignore[arg-type] - memory clusters need no spec
    assert node_access(fork).settings() == ()


@pytest.mark.parametrize(
    ("access", "message"),
    [
        (
            None,
            "fault 'x' needs disk-fill, node-power, and this cluster gives no access to its nodes",
        ),
        (
            MemoryNodes(worker_nodes(1), lacks=[Capability.DISK_FILL]),
            "fault 'x' needs disk-fill, which the access to this cluster's nodes lacks",
        ),
    ],
)
def test_a_capability_that_is_missing(access: NodeAccess | None, message: str) -> None:
    class Restricted(MemoryCluster):
        @property
        def nodes(self) -> NodeAccess | None:  # type: ignore[override] - any access, for this test
            return access

    with pytest.raises(MissingCapabilityError) as caught:
        node_access(Restricted(), (Capability.POWER, Capability.DISK_FILL), "fault 'x'")
    assert str(caught.value) == message


def test_errors_of_a_memory_cluster(cluster: MemoryCluster) -> None:
    access = MemoryNodes(worker_nodes(2), lacks=[Capability.POWER])
    for said, call in (
        (
            "the cluster has no node 'worker-9'; it has: worker-1, worker-2",
            lambda: access.run("worker-9", ["ls"]),
        ),
        (
            "this cluster in memory was made without node-power",
            lambda: access.apply(Power(node="worker-1", on=False)),
        ),
        (
            "this access to nodes cannot tell on which blocks /data/a of pod shop/db-0 lies",
            lambda: NodeAccess.blocks_of(access, "shop", "db-0", "/data/a"),
        ),
    ):
        with pytest.raises(NodeError) as caught:
            call()
        assert str(caught.value) == said
    assert access.examine("worker-1", Capability.POWER) == (
        "node 'worker-1': this cluster in memory was made without node-power"
    )
    assert access.examine("worker-1", Capability.CLOCK) == ""
    assert access.run("worker-1", ["ls"]) == CommandResult(127, stderr="ls: command not found\n")


def test_the_journal_gives_back_what_was_read_first(cluster: MemoryCluster, tmp_path: Path) -> None:
    access = node_access(cluster)
    journal = UndoJournal(tmp_path / "journal.jsonl")
    for state in ("frozen", "stopped"):
        wanted = KUBELET.model_copy(update={"state": state})
        journal.node_setting(access.read(wanted))
        access.apply(wanted)
    # Another process knows no more than what is in the file.
    other = UndoJournal()
    lines = (tmp_path / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    other.entries.extend(json.loads(line) for line in lines)
    other.undo_nodes(cluster)
    other.undo_nodes(cluster)
    assert access.settings() == ()


def test_commands_on_hosts_undo_too(cluster: MemoryCluster) -> None:
    ran: list[object] = []

    def executor(node: str, argv: object, stdin: str) -> CommandResult:
        ran.append((node, argv, stdin))
        return (
            CommandResult(1, stderr="Unit not found.\n") if "b" in str(argv) else CommandResult(0)
        )

    access = cluster.nodes
    assert access is not None
    access.executor = executor
    journal = UndoJournal()
    journal.node_command("worker-2", ["start", "a"], "text")
    journal.undo_nodes(cluster)
    assert ran == [("worker-2", ("start", "a"), "text")]
    journal.node_command("worker-1", ["start", "b"])
    with pytest.raises(WorldError) as caught:
        journal.undo_nodes(cluster)
    assert str(caught.value) == (
        "undoing on node 'worker-1' failed: 'start b' ended with 1: Unit not found."
    )


def test_the_baseline_of_nodes_comes_back(cluster: MemoryCluster) -> None:
    access = node_access(cluster)
    access.apply(KUBELET)
    baseline = access.settings()
    access.apply(KUBELET.neutral())
    access.apply(DiskFill(node="worker-2", taken_bytes=5))
    restore_settings(access, baseline)
    assert access.settings() == baseline


def test_what_is_done_to_watched_nodes_counts(cluster: MemoryCluster) -> None:
    watched = WatchedCluster(cluster)
    access = node_access(watched)
    access.nodes()
    access.read(KUBELET)
    access.apply(KUBELET)
    access.run("worker-1", ["true"])
    assert (watched.reads, watched.writes) == (
        2,
        ["set daemon worker-1 kubelet", "run on worker-1"],
    )
    assert (access.settings(), access.examine("worker-1", Capability.CPU)) == ((KUBELET,), "")
    assert access.capabilities == frozenset(Capability)
