"""Probes as derived deadlines: evaluated when their answer may have changed, not for ever.

A probe runs on a grid of its period. Once its verdict stands and can only be confirmed it sleeps,
until `touch` says that the process may answer differently now. A failing probe goes on (its events
are counted) until a real kubelet's event filter would have silenced it, then only every five
minutes.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.killing import stop_container
from sregym_cluster_embedded.kubelet.pacing import REPORT_S, schedule_sync
from sregym_cluster_embedded.kubelet.report import pod_of, record_pod_event
from sregym_cluster_embedded.kubelet.state import (
    EXITED,
    RUNNING,
    PodState,
    change,
    container_spec,
    save,
    state_of,
)
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ContainerRuntime, ProbeResult
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "kubelet.probe"
ENDED = "kubelet.probe.ended"
_TABLE: TableKey[tuple[str, str, str], Probe] = TableKey("kubelet.probes")
# The kinds of probes, and where they stand in a container.
FIELDS: Mapping[str, str] = MappingProxyType(
    {"startup": "startupProbe", "readiness": "readinessProbe", "liveness": "livenessProbe"}
)
# A source may write so many events about an object before it is limited to one in five minutes.
_EVENT_BURST = 25
_EVENT_REFILL_S = 300.0
# From the start of a container to the point from which its probes' periods count.
GRID_OFFSET_S = 0.1
_FIRST_S = 0.03
# The status write that says `Running` triggers a readiness probe that has not passed yet.
_TRIGGER_S = 0.025
# From a start to the status that shows it.
_SEEN_S = 0.06
_CLOSE_S = 1e-6


class Probe(NamedTuple):
    """One probe of one container.

    Attributes:
        origin: Virtual second from which its period counts; kept over restarts.
        ok: The last answer; None before the first of this life.
        streak: How many times in a row.
        ends: When the run that is under way ends; the next does not begin before.
        held: It has failed for good in this life: no probe runs until the next begins.
        at: When it was last run.
    """

    origin: float
    ok: bool | None = None
    streak: int = 0
    ends: float = 0.0
    held: bool = False
    at: float = 0.0


def begin(world: World, pod: Object, state: PodState, name: str) -> None:
    """A container has started: plan the first runs of its probes."""
    container = container_spec(pod["spec"], name)
    for kind, field in FIELDS.items():
        if field not in container:
            continue
        key = (state.uid, name, kind)
        known: Probe | None = world.table(_TABLE).get(key)
        if known is not None:
            # A run that was planned in the life before may come too early in this one.
            forget(world, HANDLER, key)
        origin = known.origin if known is not None else world.now + GRID_OFFSET_S
        world.table(_TABLE)[key] = Probe(origin)
        if kind == "startup" or "startupProbe" not in container:
            _plan_first(world, key, container[field], origin, world.now)


def touch(world: World, ref: ContainerRef) -> None:
    """The process in a container may answer its probes differently from now on."""
    state = state_of(world, ref.pod_uid)
    if state is None or ref.name not in state.containers:
        return
    pod = pod_of(world, state)
    container = state.containers[ref.name]
    if pod is None or container.phase != RUNNING:
        return
    spec = container_spec(pod["spec"], ref.name)
    for kind, field in FIELDS.items():
        if field not in spec or (kind == "startup") == container.started:
            continue
        key = (ref.pod_uid, ref.name, kind)
        probe: Probe | None = world.table(_TABLE).get(key)
        began = world.now if container.started_at is None else container.started_at
        early = world.now < began + spec[field].get("initialDelaySeconds", 0)
        # No probe runs before the initial delay is over, and then it is planned already.
        if probe is not None and not probe.held and not early:
            period = spec[field].get("periodSeconds", 10)
            enqueue(world, HANDLER, key, _until_grid(world.now, probe.origin, period))


def evaluate(world: World, key: tuple[str, str, str]) -> None:
    """Handler: run a probe now and draw the consequences."""
    mark_processing(world, HANDLER, key)
    uid, name, kind = key
    state = state_of(world, uid)
    probe: Probe | None = world.table(_TABLE).get(key)
    if state is None or probe is None or probe.held or not _probed(state, key):
        return
    pod = pod_of(world, state)
    container = state.containers[name]
    if pod is None:
        return
    if probe.ends > world.now + _CLOSE_S:
        enqueue(world, HANDLER, key, probe.ends - world.now)
        return
    spec = container_spec(pod["spec"], name)[FIELDS[kind]]
    runtime: ContainerRuntime = world.service(RUNTIME)
    result = runtime.probe(world, state.ref(name), spec)
    if result.took_s:
        world.table(_TABLE)[key] = probe._replace(ends=world.now + result.took_s)
        world.after(result.took_s, ENDED, key, container.attempt, result)
    else:
        _judge(world, pod, state, key, probe, result)


def ended(world: World, key: tuple[str, str, str], attempt: int, result: ProbeResult) -> None:
    """Handler: a probe that took its time has its answer."""
    uid, name, _ = key
    state = state_of(world, uid)
    probe: Probe | None = world.table(_TABLE).get(key)
    if state is None or probe is None or not _probed(state, key):
        return
    pod = pod_of(world, state)
    if pod is not None and state.containers[name].attempt == attempt:
        _judge(world, pod, state, key, probe, result)


def leave(world: World, pod: Object, state: PodState) -> None:
    """A pod is being deleted: its readiness is probed until the last of it is gone.

    A probe whose turn comes between the end of the process and that of the pod fails.
    """
    for name, container in state.containers.items():
        if container.phase == RUNNING and container.started:
            key = (state.uid, name, "readiness")
            probe: Probe | None = world.table(_TABLE).get(key)
            if probe is not None:
                period = container_spec(pod["spec"], name)["readinessProbe"].get(
                    "periodSeconds", 10
                )
                enqueue(world, HANDLER, key, _until_grid(world.now, probe.origin, period))


def _probed(state: PodState, key: tuple[str, str, str]) -> bool:
    """Whether a container is being probed now; for its readiness even while its pod goes."""
    container = state.containers[key[1]]
    if state.deadline is None:
        return container.phase == RUNNING
    return key[2] == "readiness" and container.phase in (RUNNING, EXITED) and not state.ended


def _judge(
    world: World,
    pod: Object,
    state: PodState,
    key: tuple[str, str, str],
    probe: Probe,
    result: ProbeResult,
) -> None:
    """Tell of an answer, act on it, and plan the next run."""
    _, name, kind = key
    spec = container_spec(pod["spec"], name)[FIELDS[kind]]
    turns = 1
    if probe.streak > _EVENT_BURST and (result.errored or probe.ok == result.ok):
        turns = max(round((world.now - probe.at) / spec.get("periodSeconds", 10)), 1)
    if result.errored:
        text = f"{kind.capitalize()} probe errored and resulted in unknown state: {result.message}"
        record_pod_event(world, pod, state, "Warning", "Unhealthy", text, name, turns)
        streak = probe.streak + 1
        world.table(_TABLE)[key] = probe._replace(streak=streak, at=world.now)
        rarely = streak > _EVENT_BURST
        _plan_next(world, key, spec, probe.origin, took_s=result.took_s, rarely=rarely)
        return
    first = probe.ok is None
    streak = probe.streak + 1 if probe.ok == result.ok else 1
    world.table(_TABLE)[key] = probe = Probe(probe.origin, result.ok, streak, at=world.now)
    if not result.ok:
        text = f"{kind.capitalize()} probe failed: {result.message}"
        record_pod_event(world, pod, state, "Warning", "Unhealthy", text, name, turns)
    if _conclude(world, pod, state, key, probe, spec):
        return
    period = spec.get("periodSeconds", 10)
    if first and not result.ok and kind == "readiness":
        enqueue(world, HANDLER, key, min(_TRIGGER_S, _until_grid(world.now, probe.origin, period)))
    elif not _settled(probe, spec):
        rarely = not result.ok and streak > _EVENT_BURST
        _plan_next(world, key, spec, probe.origin, took_s=result.took_s, rarely=rarely)


def _plan_next(
    world: World,
    key: tuple[str, str, str],
    spec: Object,
    origin: float,
    *,
    took_s: float,
    rarely: bool,
) -> None:
    """Plan the next run on the grid; `rarely` when a real kubelet would no longer tell of it.

    The turn that comes while a run takes its time is not lost: the next follows at once.
    """
    period = spec.get("periodSeconds", 10)
    skipped = 1
    if rarely:
        # A command that was run for the probe has asked for an earlier look.
        forget(world, HANDLER, key)
        skipped = max(1, math.ceil(_EVENT_REFILL_S / period))
    began = world.now - took_s
    due = began + _until_grid(began, origin, period) + (skipped - 1) * period
    enqueue(world, HANDLER, key, max(due - world.now, 0.0))


def drop(world: World, state: PodState) -> None:
    """Forget the probes of a pod."""
    for name in state.containers:
        for kind in FIELDS:
            world.table(_TABLE).pop((state.uid, name, kind), None)
            forget(world, HANDLER, (state.uid, name, kind))


def _conclude(
    world: World,
    pod: Object,
    state: PodState,
    key: tuple[str, str, str],
    probe: Probe,
    spec: Object,
) -> bool:
    """Act on a verdict that its threshold has made firm; True when the probe is over."""
    uid, name, kind = key
    container = state.containers[name]
    if probe.ok:
        if probe.streak < spec.get("successThreshold", 1):
            return False
        if kind == "startup":
            # A probe that runs a command asks for a further look by that.
            forget(world, HANDLER, key)
            change(world, uid, name, started=True)
            began = world.now if container.started_at is None else container.started_at
            _plan_others(world, pod, uid, name, began)
            schedule_sync(world, uid, REPORT_S)
            return True
        if kind == "readiness" and not container.ready:
            change(world, uid, name, ready=True)
            schedule_sync(world, uid, REPORT_S)
        return False
    if probe.streak < spec.get("failureThreshold", 3):
        return False
    if kind == "readiness":
        if container.ready:
            change(world, uid, name, ready=False)
            schedule_sync(world, uid, REPORT_S)
        return False
    grace = spec.get(
        "terminationGracePeriodSeconds", pod["spec"].get("terminationGracePeriodSeconds", 30)
    )
    world.table(_TABLE)[key] = probe._replace(held=True)
    save(world, state._replace(busy=True))
    message = f"Container {name} failed {kind} probe, will be restarted"
    stop_container(world, state, name, message, float(grace))
    return True


def _plan_others(world: World, pod: Object, uid: str, name: str, began: float) -> None:
    container = container_spec(pod["spec"], name)
    for kind in ("readiness", "liveness"):
        key = (uid, name, kind)
        probe: Probe | None = world.table(_TABLE).get(key)
        if FIELDS[kind] in container and probe is not None:
            _plan_first(world, key, container[FIELDS[kind]], probe.origin, began)


def _plan_first(
    world: World, key: tuple[str, str, str], spec: Object, origin: float, began: float
) -> None:
    """Plan the first run in this life of a container, which began to run at `began`."""
    initial = float(spec.get("initialDelaySeconds", 0))
    period = spec.get("periodSeconds", 10)
    if began + initial > world.now:
        behind = (began + initial - origin) / period
        delay_s = origin + math.ceil(behind - _CLOSE_S) * period - world.now
    elif key[2] == "readiness":
        delay_s = _FIRST_S
    else:
        delay_s = max(_until_grid(world.now, origin, period), 0.0)
        if delay_s < _SEEN_S:
            # The status does not show the new life yet: the prober lets this turn pass.
            delay_s += period
    enqueue(world, HANDLER, key, delay_s)


def _until_grid(now: float, origin: float, period: float) -> float:
    if now < origin:
        return origin - now
    periods = math.floor((now - origin) / period + _CLOSE_S) + 1
    return origin + periods * period - now


def _settled(probe: Probe, spec: Object) -> bool:
    """Whether another run could only confirm what is known already."""
    return bool(probe.ok) and probe.streak >= spec.get("successThreshold", 1)
