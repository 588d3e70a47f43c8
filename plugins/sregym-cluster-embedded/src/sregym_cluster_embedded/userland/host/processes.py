"""All processes of a node: the kernel's, those of its services, the shims and what runs in containers."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.kubelet.state import RUNNING
from sregym_cluster_embedded.userland.files.container import Container
from sregym_cluster_embedded.userland.files.tasks import Task, tasks_of_process
from sregym_cluster_embedded.userland.host import contention
from sregym_cluster_embedded.userland.host.node import Host
from sregym_cluster_embedded.userland.host.redacted import visible_pods
from sregym_cluster_embedded.userland.host.units import (
    ACTIVE,
    CONTAINERD,
    KUBELET,
    main_pid,
    status,
    units,
)
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubelet.state import ContainerState, PodState
    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.world import World

_THREADS = (
    (2, "kthreadd"), (3, "rcu_gp"), (4, "rcu_par_gp"), (6, "kworker/0:0H-events_highpri"),
    (10, "mm_percpu_wq"), (13, "ksoftirqd/0"), (14, "rcu_preempt"), (15, "migration/0"),
    (17, "cpuhp/0"), (30, "kdevtmpfs"), (33, "kauditd"), (34, "khungtaskd"), (35, "oom_reaper"),
    (37, "writeback"), (38, "kcompactd0"), (60, "kswapd0"), (71, "kworker/0:1H-kblockd"),
    (120, "jbd2/vda1-8"), (121, "ext4-rsv-conver"),
)  # fmt: skip
# Resident sets in KiB, of services that are worth it; and the users of those that are not root's.
_MEMORY = {
    KUBELET: 98_000, CONTAINERD: 71_000, "kube-proxy.service": 52_000, "chrony.service": 3_400,
    "ssh.service": 9_100, "cron.service": 2_700, "dbus.service": 4_900,
    "systemd-journald.service": 31_000, "systemd-logind.service": 7_900,
    "systemd-udevd.service": 6_700, "smartmontools.service": 6_100,
}  # fmt: skip
_USERS = {"chrony.service": 102, "dbus.service": 100}
_SHIM_KIB, _PAUSE_KIB, _INIT_KIB = 14_600, 700, 12_400
# Each pod has so many numbers for itself.
_SLOT, _SLOTS, _FIRST_POD_PID = 120, 30_000, 70_000


def tasks_of_node(world: World, node: str) -> list[Task]:
    """All processes of a node, by number."""
    host = Host(world, node)
    began = host.began - world.epoch
    files: Files = world.service(RUNTIME).host_files(world, node)
    init = Task(
        1, 0, "systemd", ("/sbin/init",), "S", _INIT_KIB, (), began, 0, None, "", "/init.scope"
    )
    found = [init]
    found += [
        Task(pid, 0 if pid == 2 else 2, name, (), "I", 0, (), began, 0) for pid, name in _THREADS
    ]
    found += _services(world, node, files, began)
    found += _logins(node, began)
    found += contention.tasks(world, node)
    for state in visible_pods(world, node):
        found += _of_pod(world, state)
    return sorted(found, key=lambda task: task.pid)


def shim_pid(node: str, pod_uid: str) -> int:
    """The number of the process that looks after the containers of a pod."""
    digest = blake2b(f"{node} {pod_uid}".encode(), digest_size=8).digest()
    return _FIRST_POD_PID + int.from_bytes(digest, "big") % _SLOTS * _SLOT


def container_pid(node: str, pod_uid: str, order: int, attempt: int) -> int:
    """The number of the main process of a container, by its place in the pod and its life."""
    return shim_pid(node, pod_uid) + 24 + (16 * order + 3 * attempt) % (_SLOT - 40)


def _services(world: World, node: str, files: Files, began: float) -> Iterator[Task]:
    for unit in units(files):
        known = status(world, node, unit.name)
        if known.state != ACTIVE or not unit.stays or not unit.command:
            continue
        frozen = unit.name == KUBELET and unresponsive.absent(world, node) == unresponsive.FROZEN
        argv = arguments(files, unit.settings, unit.command)
        name = argv[0].rpartition("/")[2]
        since = began if known.since is None else known.since
        yield Task(
            main_pid(world, node, unit.name), 1, name, argv, "T" if frozen else "S",
            _MEMORY.get(unit.name, 4_000), (), since, _USERS.get(unit.name, 0), None, unit.name,
            f"/system.slice/{unit.name}",
        )  # fmt: skip


def arguments(
    files: Files, settings: tuple[tuple[str, str, str], ...], command: tuple[str, ...]
) -> tuple[str, ...]:
    """A command line of a service with its variables filled in."""
    values: dict[str, str] = {}
    for _, key, value in settings:
        lines = [value.strip('"')] if key == "Environment" else []
        if key == "EnvironmentFile":
            lines = (files.read(value.lstrip("-")) or "").splitlines()
        for line in lines:
            name, equals, text = line.partition("=")
            if equals and not name.startswith("#"):
                values[name] = text.strip('"')
    words: list[str] = []
    for word in command:
        words += values.get(word[1:], "").split() if word.startswith("$") else [word]
    return tuple(words)


def _logins(node: str, began: float) -> Iterator[Task]:
    digest = int.from_bytes(blake2b(node.encode(), digest_size=2).digest(), "big") % 50
    argv = ("/sbin/agetty", "-o", "-p -- \\u", "--noclear", "-", "linux")
    yield Task(
        640 + digest, 1, "agetty", argv, "S", 1_080, (), began, 0, None, "",
        "/system.slice/system-getty.slice/getty@tty1.service",
    )  # fmt: skip


def _of_pod(world: World, state: PodState) -> Iterator[Task]:
    running = [entry for entry in state.containers.values() if entry.phase == RUNNING]
    if not running:
        return
    node, shim = state.node, shim_pid(state.node, state.uid)
    group = pod_group(state.uid)
    began = min(entry.started_at or world.now for entry in running)
    argv = (
        "/usr/bin/containerd-shim-runc-v2", "-namespace", "k8s.io", "-id", sandbox_id(state),
        "-address", "/run/containerd/containerd.sock",
    )  # fmt: skip
    runtime = f"/system.slice/{CONTAINERD}"
    yield Task(shim, 1, "containerd-shim", argv, "S", _SHIM_KIB, (), began, 0, None, "", runtime)
    yield Task(
        shim + 12, shim, "pause", ("/pause",), "S", _PAUSE_KIB, (), began, 65535, None, "", group
    )
    for order, entry in enumerate(state.containers.values()):
        if entry.phase == RUNNING:
            yield from _of_container(world, state, entry, order, shim, group, node)


def _of_container(
    world: World,
    state: PodState,
    entry: ContainerState,
    order: int,
    shim: int,
    group: str,
    node: str,
) -> Iterator[Task]:
    process = process_of(world, state.ref(entry.name))
    if process is None or not process.running:
        return
    runtime = world.service(RUNTIME)
    container = Container(world, process.config, runtime.known(process))
    first = container_pid(node, state.uid, order, entry.attempt)
    place = f"{group}/cri-containerd-{entry.container_id}.scope"
    for task in tasks_of_process(container, process, first):
        main = task.pid == first
        yield task._replace(
            parent=shim if main else task.parent,
            uid=container.credentials.uid,
            process=process,
            control_group=place,
        )


def pod_group(pod_uid: str) -> str:
    """The control group of a pod."""
    return f"/kubepods.slice/kubepods-pod{pod_uid.replace('-', '_')}.slice"


def sandbox_id(state: PodState) -> str:
    """The id of a pod's sandbox."""
    return blake2b(f"sandbox {state.uid}".encode(), digest_size=32).hexdigest()
