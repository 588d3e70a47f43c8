"""Kernel programs and containers of containerd, in a machine that QEMU makes: pods meet faults, and others do not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real.images import IMAGES, packed
from real.machine import Machine, image, root
from real.stores import wait_for
from sregym_nodes.remote import NodeAgent

PROGRAMS = tuple(
    f"/usr/{name}"
    for name in ("bin/containerd", "bin/ctr", "bin/containerd-shim-runc-v2", "sbin/runc")
)
CONFIG = b"""version = 2
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.overlayfs"]
"""
START = """
containerd -c /media/containerd.toml > /tmp/containerd.log 2>&1 < /dev/null &
for i in $(seq 600); do ctr version > /dev/null 2>&1 && break; sleep 0.2; done
ctr -n k8s.io images import --snapshotter native /media/redis.tar
"""
# The files of this machine are in memory, from where no root can be changed.
RUN = (
    "ctr -n k8s.io run -d --null-io --no-pivot --snapshotter native --net-host --cgroup /kubepods/pod{uid}/{name} "
    "redis:7.0 {name} redis-server --port {port} --bind 127.0.0.1 --dir /data --save ''"
)
UIDS = ("01234567-89ab-cdef-0123-456789abcdef", "76543210-89ab-cdef-0123-456789abcdef")
READY_S = 120.0


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    files = {"media/redis.tar": packed(IMAGES["redis"]), "media/containerd.toml": CONFIG}
    # Containers that share the machine's network are given these.
    files |= {"etc/hosts": b"127.0.0.1 localhost\n", "etc/resolv.conf": b""}
    archive = root(tmp_path_factory.mktemp("root") / "root.cpio", PROGRAMS, files)
    with Machine(image("6.1", tmp_path_factory.mktemp("image")), archive, "1536M") as started:
        started.said("sh", "-ec", START)
        yield started


def started(machine: Machine, uid: str, name: str, port: int) -> None:
    """A container of a pod."""
    machine.said("sh", "-ec", RUN.format(uid=uid, name=name, port=port))
    assert wait_for(lambda: asked(machine, port, "ping") == "PONG", READY_S)


def ended(machine: Machine, name: str) -> None:
    machine.run(("ctr", "-n", "k8s.io", "tasks", "kill", "--signal", "SIGKILL", name))
    gone = ("ctr", "-n", "k8s.io", "tasks", "delete", name)
    assert wait_for(lambda: machine.run(gone).exit_code == 0, READY_S)
    machine.said("ctr", "-n", "k8s.io", "containers", "delete", name)


def asked(machine: Machine, port: int, *words: str) -> str:
    return machine.run(("redis-cli", "-p", str(port), *words)).stdout.strip()


def entered(machine: Machine, name: str, number: int) -> str:
    """The group of what is started in a container by another process there; empty where none is."""
    head = ("ctr", "-n", "k8s.io", "tasks", "exec", "--exec-id", f"look-{number}", name)
    return machine.run((*head, "sh", "-c", "cat /proc/self/cgroup | cat")).stdout.strip()


def test_containers_of_a_pod(machine: Machine) -> None:
    """Those that are there, what is started in them, and those that come later; not a neighbour's."""
    pod, other = UIDS
    agent: NodeAgent = machine.agent()
    scope = {"scope": {"pods": [pod]}}
    fork = {"key": "fork", "kind": "calls", "call": "fork", "error": "EAGAIN", **scope}
    opened = {"key": "open", "kind": "calls", "call": "openat", "error": "EIO", **scope}
    running = {}
    try:
        for name, uid, port in (("c1", pod, 7001), ("c9", other, 7009)):
            started(machine, uid, name, port)
            running[name] = port
        applied = agent.apply(fork)
        assert (applied.backend, applied.refused) == ("fmod_ret", {})
        assert applied.effect["seen"] == "fork fails with EAGAIN there, and not elsewhere"
        seen = [asked(machine, port, "bgsave") for port in running.values()]
        assert seen == ["ERR", "Background saving started"]
        assert [entered(machine, name, 1) for name in running] == [
            "",
            f"0::/kubepods/pod{other}/c9",
        ]
        agent.undo()
        # The runtime, which is in the group before the container's program is, opens other files.
        agent.apply({**opened, "path": "/data/"})
        assert [asked(machine, port, "save") for port in running.values()] == ["ERR", "OK"]
        ended(machine, "c1")
        del running["c1"]
        started(machine, pod, "c2", 7002)
        running["c2"] = 7002
        assert asked(machine, 7002, "save") == "ERR"
        assert agent.undo() == ("open",)
        assert asked(machine, 7002, "save") == "OK"
    finally:
        agent.undo()
        for name in running:
            ended(machine, name)
    assert machine.said("ls", "/sys/fs/bpf") == ""
    assert machine.said("sh", "-c", "ls -d /sys/fs/cgroup/batch-* 2>/dev/null || true") == ""
