"""What happens to a process: it writes, opens ports, grows, ends."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_apps.model import AnyProgram, GrowStep, Line, Memory, ServiceProgram, expand

from sregym_cluster_embedded.clock.jitter import drift, level, place
from sregym_cluster_embedded.kubelet.keys import KUBELET
from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExitState, LogLine
from sregym_cluster_embedded.userland.formats import render
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME
from sregym_cluster_embedded.userland.process import (
    Process,
    change,
    detach_from_pod,
    process_of,
    processes,
)
from sregym_cluster_embedded.userland.wiring import dns_changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_cluster_embedded.world import World

_MIB = 1024 * 1024
PAGE_BYTES = 4096
# What a process holds is this much more or less than the service model says, and wanders within
# minutes: allocators, collectors, caches.
MEMORY_SPREAD, MEMORY_PERIOD_S = 0.05, 47.0
# The kubelet's word for the end of a process that needed more memory than it may have.
_OUT_OF_MEMORY = "OOMKilled"
_NOTHING: Mapping[str, str] = MappingProxyType({})

# Literal lines kept of one life; a log is rotated at about this size.
LINES_KEPT = 4000

# Of its memory at rest a process holds so much as soon as it runs, and so soon.
_LOADED_SHARE, _LOADED_S = 0.5, 0.01
# An OOM kill follows the moment at which load pushes the working set over the limit so much later.
_LOAD_TO_OOM_S = 2.0


def write_log(
    world: World,
    ref: ContainerRef,
    program: AnyProgram,
    lines: Iterable[Line],
    facts: Mapping[str, str] | None = None,
) -> None:
    """Let a process write lines now."""
    process = processes(world)[ref]
    known: Mapping[str, str] | None = None
    written: list[LogLine] = []
    for line in lines:
        if known is None and (line.fields or "${" in line.text):
            known = {**process.facts(), **(facts or {})}
        written.extend(render(world, program.log, line, known or _NOTHING, world.now))
    append(world, ref, written)


def append(world: World, ref: ContainerRef, lines: Iterable[LogLine]) -> None:
    """Add finished lines to what a process wrote."""
    kept = (*processes(world)[ref].lines, *lines)
    change(world, ref, lines=kept if len(kept) <= LINES_KEPT else kept[-LINES_KEPT:])


def open_port(world: World, ref: ContainerRef, port: int, listener: str) -> bool:
    """Let a process listen on a port; False when it has ended before it could."""
    if not take_memory(world, ref):
        return False
    process = processes(world)[ref]
    change(world, ref, ports=(*process.ports, (port, listener)))
    dns_changed(world, ref)
    touch_probes(world, ref)
    invalidate_traffic(world)
    return True


def take_memory(world: World, ref: ContainerRef) -> bool:
    """Let a process come to its full size, as it must before its first listener.

    Returns False when it has ended: its limit was less.
    """
    process = processes(world)[ref]
    program = process.behaviour
    if process.running and program is not None and not process.ports:
        limit = process.config.memory_limit_bytes
        if limit is not None and base_memory(process, program.memory) > limit:
            end(world, ref, 137, _OUT_OF_MEMORY)
    return processes(world)[ref].running


def touch_probes(world: World, ref: ContainerRef) -> None:
    """Tell the kubelet that a process may answer its probes differently from now on."""
    world.service(KUBELET).touch(world, ref)


def serve(world: World, ref: ContainerRef) -> None:
    """Mark the end of a process's start-up."""
    change(world, ref, served_at=world.now)
    touch_probes(world, ref)
    invalidate_traffic(world)


def invalidate_traffic(world: World) -> None:
    """Tell the traffic layer, if the cluster has one, that something it depends on has changed."""
    traffic = world.service_or_none(REQUEST_FLOW)
    if traffic is not None:
        traffic.changed(world)


def finish(world: World, ref: ContainerRef, *, out_of_memory: bool = False) -> Process | None:
    """Mark a process as ended; None when it had ended before."""
    process = process_of(world, ref)
    if process is None or not process.running:
        return None
    detach_from_pod(world, ref)
    ended = change(world, ref, ended_at=world.now, ports=(), out_of_memory=out_of_memory)
    dns_changed(world, ref)
    if ended.behaviour is not None:
        world.service(RUNTIME).kind_of(ended).ended(world, ended)
    invalidate_traffic(world)
    return ended


def end(world: World, ref: ContainerRef, code: int, reason: str = "", message: str = "") -> None:
    """Let a process end by itself, and tell the kubelet."""
    if finish(world, ref, out_of_memory=reason == _OUT_OF_MEMORY) is not None:
        word = reason or ("Completed" if code == 0 else "Error")
        world.service(KUBELET).container_exited(world, ref, ExitState(code, word, message))


def stop(world: World, ref: ContainerRef, *, stopped: bool) -> None:
    """Let a signal stop a main process, or let it go on."""
    process = process_of(world, ref)
    if process is None or not process.running or process.stopped == stopped:
        return
    change(world, ref, stopped=stopped)
    touch_probes(world, ref)
    invalidate_traffic(world)


def base_memory(process: Process, memory: Memory) -> float:
    """Bytes that the process holds once it has started, without load."""
    text = expand(memory.base_mib, process.facts())
    try:
        return float(text) * _MIB
    except ValueError:
        return 0.0


def loaded_share(program: AnyProgram) -> float:
    """Which part of its memory at rest a program holds as soon as it runs."""
    share = program.memory.loaded_share
    if share is not None:
        return share
    grows = isinstance(program, ServiceProgram) and any(
        isinstance(step, GrowStep) for step in program.startup
    )
    return 0.0 if grows else _LOADED_SHARE


def working_set(world: World, process: Process, memory: Memory) -> float:
    """Bytes that a process holds now."""
    age = world.now - process.started_at
    ramp = min(1.0, age / memory.ramp_s) if memory.ramp_s else 1.0
    loaded = 0.0 if process.behaviour is None else loaded_share(process.behaviour)
    reached = loaded + (1 - loaded) * ramp
    base = base_memory(process, memory) * (reached if process.running else 0.0)
    load = process.requests_per_s * memory.per_rps_kib * 1024 + _held(process)
    return base + load + memory.leak_mib_per_hour * _MIB * age / 3600 + _leaked(world, process)


def _held(process: Process) -> float:
    """Bytes that are taken at once: by requests in flight, by what the server keeps."""
    return process.held_bytes + process.stored_bytes


def _leaked(world: World, process: Process) -> float:
    """Bytes that requests have taken and never gave back."""
    since, before = process.leaked
    return before + process.leaks * (world.now - since)


def limited(
    world: World, ref: ContainerRef, memory_limit_bytes: int | None, cpu_limit_cores: float | None
) -> Process | None:
    """Give a process other limits; None when it does not run."""
    process = process_of(world, ref)
    if process is None or not process.running:
        return None
    config = replace(
        process.config, memory_limit_bytes=memory_limit_bytes, cpu_limit_cores=cpu_limit_cores
    )
    change(world, ref, config=config)
    invalidate_traffic(world)
    return process_of(world, ref)


def load_program(world: World, process: Process) -> None:
    """A process has just begun to run: what it holds at once may be too much already."""
    program = process.behaviour
    if program is not None and process.config.memory_limit_bytes is not None:
        held = loaded_share(program) * base_memory(process, program.memory)
        if held > process.config.memory_limit_bytes:
            world.after(_LOADED_S, "userland.oom", process.ref)


def plan_oom(world: World, process: Process, memory: Memory) -> None:
    """Plan the OOM kill that the limit and the present load make certain."""
    limit = process.config.memory_limit_bytes
    if limit is None:
        return
    base = base_memory(process, memory)
    load = process.requests_per_s * memory.per_rps_kib * 1024 + _held(process)
    if base > limit:
        loaded = 0.0 if process.behaviour is None else loaded_share(process.behaviour)
        left = max(limit / base - loaded, 0.0)
        at = process.started_at + (memory.ramp_s * left / (1 - loaded) if left else 0.0)
    elif base + load > limit:
        # What piles up does so before our eyes; load that comes at once still takes its time.
        at = world.now + (0.0 if _held(process) else _LOAD_TO_OOM_S)
    elif rate := memory.leak_mib_per_hour * _MIB / 3600 + process.leaks:
        since, before = process.leaked
        left = limit - base - load - before + process.leaks * since
        at = (left + memory.leak_mib_per_hour * _MIB / 3600 * process.started_at) / rate
    else:
        return
    world.after(max(at - world.now, 0.02), "userland.oom", process.ref)


def out_of_memory(world: World, ref: ContainerRef, memory: Memory) -> None:
    """Kill a process if its working set has reached the limit."""
    process = process_of(world, ref)
    if process is None or not process.running or process.config.memory_limit_bytes is None:
        return
    # A hair less than the limit: the event stands at the computed moment, up to rounding.
    if working_set(world, process, memory) >= process.config.memory_limit_bytes * 0.999:
        end(world, ref, 137, _OUT_OF_MEMORY)


def load_changed(
    world: World,
    ref: ContainerRef,
    requests_per_s: float,
    held_bytes: float,
    wait_s: float,
    leaks: float,
) -> None:
    """Let a process feel its load from now on: memory, and how long requests wait."""
    process = process_of(world, ref)
    program = None if process is None else process.behaviour
    if process is None or program is None:
        return
    before = (process.requests_per_s, process.held_bytes, process.leaks, process.wait_s)
    if before == (requests_per_s, held_bytes, leaks, wait_s):
        return
    leaked = (world.now, _leaked(world, process)) if process.running else process.leaked
    process = change(
        world, ref,
        requests_per_s=requests_per_s, held_bytes=held_bytes, wait_s=wait_s,
        leaks=leaks, leaked=leaked,
    )  # fmt: skip
    if before[:3] != (requests_per_s, held_bytes, leaks):
        plan_oom(world, process, program.memory)


def emptied(world: World, ref: ContainerRef) -> None:
    """Note that a server let all go that it kept: users of a cache find nothing at first."""
    change(world, ref, emptied_at=world.now)
    invalidate_traffic(world)


def store_bytes(world: World, ref: ContainerRef, stored_bytes: float) -> None:
    """Let what a server keeps in memory take so much of it from now on."""
    process = process_of(world, ref)
    program = None if process is None else process.behaviour
    if process is None or program is None or process.stored_bytes == stored_bytes:
        return
    process = change(world, ref, stored_bytes=stored_bytes)
    if process.running:
        plan_oom(world, process, program.memory)


def memory_bytes(world: World, ref: ContainerRef) -> int:
    """Working set of a container now, at most its limit."""
    process = process_of(world, ref)
    if process is None or process.behaviour is None or not process.running:
        return _MIB
    held = working_set(world, process, process.behaviour.memory)
    begin = place(ref.namespace, ref.pod, ref.name)
    wandering = drift(begin, world.now, MEMORY_PERIOD_S) + level(begin)
    return paged(held, wandering / 2, process.config.memory_limit_bytes)


def paged(held: float, wandering: float, limit: int | None) -> int:
    """Bytes in whole pages that a process is seen to hold, at most its limit.

    Args:
        held: By the service model.
        wandering: How far it is from there, from -1 to 1.
        limit: Of the container; near it there is no room for wandering.
    """
    room = MEMORY_SPREAD * held
    if limit is not None:
        room = max(0.0, min(room, (limit - held) / 2))
        held = min(held, float(limit))
    return int((held + room * wandering) // PAGE_BYTES) * PAGE_BYTES


def resized(
    world: World, ref: ContainerRef, memory_limit_bytes: int | None, cpu_limit_cores: float | None
) -> None:
    """Let other limits be in effect for a process that runs."""
    process = limited(world, ref, memory_limit_bytes, cpu_limit_cores)
    if process is not None and process.behaviour is not None:
        world.after(0.0, "userland.oom", ref)
        plan_oom(world, process, process.behaviour.memory)
