"""What opening connections meets on the machine of the caller: ports that run out, failing calls."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_cluster_embedded.machines import SYSCTLS, machine
from sregym_cluster_embedded.network.paths import outcome_of
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.syscalls import Caller, failure, risk, strerror
from sregym_cluster_embedded.userland.process import listener_at, process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.wiring import Target
    from sregym_cluster_embedded.world import World

_RANGE, _REUSE = "net.ipv4.ip_local_port_range", "net.ipv4.tcp_tw_reuse"
# A connection that its caller has closed keeps its port so long (TCP_TIMEWAIT_LEN), or, where
# such ports are used again, until the clock of its time stamps has moved on.
_TIME_WAIT_S, _REUSED_S = 60.0, 1.0


def port_range(world: World, ref: ContainerRef) -> tuple[int, int]:
    """The first and the last port that connections of a process begin at; its pod may say so."""
    return _bounds(_sysctl(world, ref, _RANGE) or SYSCTLS[_RANGE])


@lru_cache(maxsize=64)
def _bounds(text: str) -> tuple[int, int]:
    low, high = text.split()
    return int(low), int(high)


def opened_per_s(world: World, ref: ContainerRef) -> float:
    """How many connections a second a process can open to one address, and close again."""
    low, high = port_range(world, ref)
    process = process_of(world, ref)
    place = None if process is None else machine(world, process.config.node)
    others = 0 if place is None or _own(world, ref, _RANGE) is not None else place.other_ports
    held_s = _REUSED_S if _sysctl(world, ref, _REUSE) == "1" else _TIME_WAIT_S
    return max(0, high - low + 1 - others) / held_s


def most_at_once(world: World, ref: ContainerRef) -> int:
    """How many connections a process can hold to one address at a time."""
    low, high = port_range(world, ref)
    return max(0, high - low + 1)


def failing_connects(world: World, ref: ContainerRef) -> tuple[str, float]:
    """How connecting fails for a process whose system call does, and for which part of the calls."""
    process = process_of(world, ref)
    if process is None:
        return "", 0.0
    error, share = risk(world, caller_of(process), "connect")
    return (outcome_of(error).value, share) if error and share > 0 else ("", 0.0)


def attempted(world: World, process: Process, target: Target) -> Target:
    """What one attempt to connect to an end comes to, for which the system call may fail."""
    error = "" if target.kind else failure(world, caller_of(process), "connect")
    return replace(target, kind=outcome_of(error).value) if error else target


def bind_failure(world: World, process: Process) -> str:
    """The name of the error with which opening a port ends for a process; empty when it does not."""
    return failure(world, caller_of(process), "bind")


def listen_failure(world: World, process: Process, port: int) -> str:
    """Why a process cannot listen on a port, as the kernel words it; empty when it can."""
    if listener_at(world, process.ref.pod_uid, port) is not None:
        return strerror("EADDRINUSE")
    name = bind_failure(world, process)
    return strerror(name) if name else ""


def caller_of(process: Process) -> Caller:
    """Who makes system calls for a process."""
    ref = process.config.ref
    return Caller(process.config.node, ref.pod_uid, ref.name)


def _own(world: World, ref: ContainerRef, name: str) -> str | None:
    """What a pod sets a kernel parameter to for itself."""
    pod = world.store.get(Key("pods", ref.namespace, ref.pod))
    context = {} if pod is None else pod["spec"].get("securityContext") or {}
    for entry in context.get("sysctls") or ():
        if entry["name"] == name:
            return str(entry["value"])
    return None


def _sysctl(world: World, ref: ContainerRef, name: str) -> str | None:
    own = _own(world, ref, name)
    if own is not None:
        return own
    process = process_of(world, ref)
    place = None if process is None else machine(world, process.config.node)
    return SYSCTLS.get(name) if place is None else place.sysctl(name)
