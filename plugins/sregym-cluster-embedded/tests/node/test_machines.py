"""Machines behind nodes: clocks, tables of the kernel, system calls that fail."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded import machines, syscalls
from sregym_cluster_embedded.api.keys import HEARTBEATS
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.syscalls import Caller, Rule

CALLER = Caller("node2", "uid-1", "web")


def test_a_node_has_a_machine_with_the_values_of_its_kind(shop: Any) -> None:
    found = machines.machine(shop.world, "node2")
    assert found is not None
    assert (found.number, found.memory_kib, found.clock_offset_s, found.powered) == (
        1,
        24_684_096,
        0.0,
        True,
    )
    assert (found.root.name, found.root.size_bytes) == ("root", 264_212_084 * 1024)
    assert (found.connection_limit, found.ephemeral_ports) == (262_144, 28_232)
    assert found.sysctl("kernel.hostname") == "node2"
    assert found.sysctl("vm.max_map_count") == "262144"
    assert found.sysctl("no.such") is None
    assert machines.machine(shop.world, "node9") is None


def test_a_clock_that_is_wrong_shows_in_what_its_node_writes(shop: Any) -> None:
    world = shop.world
    machines.change(world, "node2", clock_offset_s=3600.0)
    assert machines.clock(world, "node2") == world.epoch + world.now + 3600.0
    assert machines.clock(world, "node1") == world.epoch + world.now
    lease = world.store.get(Key("leases.coordination.k8s.io", "kube-node-lease", "node2"))
    renewed = world.service(HEARTBEATS)(world, "leases.coordination.k8s.io", lease)["spec"]
    earliest = world.micro_timestamp(world.now + 3600.0 - 10.0)
    assert earliest <= renewed["renewTime"] <= world.micro_timestamp(world.now + 3600.0)
    shop.run(120)
    ready = world.store.get(Key("nodes", "", "node2"))["status"]["conditions"][-1]
    assert (ready["type"], ready["status"]) == ("Ready", "True")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, ""),
        ({"other_connections": 262_144}, "ETIMEDOUT"),
        ({"other_ports": 28_232}, "EADDRNOTAVAIL"),
        ({"sysctls": (("net.netfilter.nf_conntrack_max", "200"),)}, "ETIMEDOUT"),
        ({"sysctls": (("net.ipv4.ip_local_port_range", "40000 40009"),)}, "EADDRNOTAVAIL"),
    ],
)
def test_full_tables_let_no_connection_begin(shop: Any, fields: Any, error: str) -> None:
    machines.change(shop.world, "node2", **fields)
    assert machines.connection_refused_by_kernel(shop.world, "node2") == error
    assert machines.connection_refused_by_kernel(shop.world, "node1") == ""


def test_connections_of_processes_count(shop: Any) -> None:
    assert machines.connection_refused_by_kernel(shop.world, "node2", 28_000) == ""
    assert machines.connection_refused_by_kernel(shop.world, "node2", 28_212) == "EADDRNOTAVAIL"


def test_a_call_fails_where_its_rule_says(shop: Any) -> None:
    world = shop.world
    assert syscalls.failure(world, CALLER, "read", "/data/x") == ""
    syscalls.fail(world, "bad", Rule("read", "EIO", pod_uid="uid-1", path="/data/*"))
    assert syscalls.failure(world, CALLER, "read", "/data/x") == "EIO"
    assert syscalls.failure(world, CALLER, "read", "/etc/hosts") == ""
    assert syscalls.failure(world, CALLER, "write", "/data/x") == ""
    assert syscalls.failure(world, CALLER._replace(pod_uid="uid-2"), "read", "/data/x") == ""
    assert syscalls.strerror("EIO") == "Input/output error"
    syscalls.heal(world, "bad")
    syscalls.heal(world, "bad")
    assert syscalls.failure(world, CALLER, "read", "/data/x") == ""


def test_a_part_of_the_calls_fails_alike_in_a_fork(shop: Any) -> None:
    syscalls.fail(shop.world, "flaky", Rule("connect", "ETIMEDOUT", node="node2", share=0.5))
    twin = shop.world.fork()
    ours = [syscalls.failure(shop.world, CALLER, "connect") for _ in range(40)]
    theirs = [syscalls.failure(twin, CALLER, "connect") for _ in range(40)]
    assert ours == theirs
    assert 8 < ours.count("ETIMEDOUT") < 32
    assert set(ours) == {"", "ETIMEDOUT"}


def test_calls_can_be_slow(shop: Any) -> None:
    syscalls.fail(shop.world, "slow", Rule("fsync", "", node="node2", delay_s=0.2))
    assert syscalls.failure(shop.world, CALLER, "fsync") == ""
    assert syscalls.delay_s(shop.world, CALLER, "fsync") == 0.2
    assert syscalls.delay_s(shop.world, CALLER._replace(node="node1"), "fsync") == 0.0


def test_an_error_that_does_not_exist_is_refused(shop: Any) -> None:
    with pytest.raises(ValueError, match="no error number") as refused:
        syscalls.fail(shop.world, "bad", Rule("read", "EWHAT"))
    assert str(refused.value) == "system call rule 'bad': there is no error number 'EWHAT'"
