"""What operations do otherwise while conditions hold: more work, failures of their own, other calls."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Call, Client, OnError, ServiceProgram, expand, is_on
from sregym_apps.simulation import WireProtocol

from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.opened import FAST_MS
from sregym_cluster_embedded.traffic.structure import CallRoute, CallSite, CallStep
from sregym_cluster_embedded.userland.flags import flag_values
from sregym_cluster_embedded.userland.request_attributes import filtering_ms
from sregym_cluster_embedded.userland.wiring import Target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import AnyCall, Operation, Variant

    from sregym_cluster_embedded.traffic.structure import Structure
    from sregym_cluster_embedded.userland.dependency_tracking import UntrackedReads
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# What a request does to itself is no call: it is neither counted nor traced as one.
_ITSELF = WireProtocol("itself", call_spans=False, discovery=True)

# What a command takes that is slow by itself hardly varies.
_EVEN = 0.01


class Present(NamedTuple):
    """An operation as it is at present.

    Attributes:
        facts: Settings, facts of the pod, and flags.
        variants: Those that are in effect.
        cpu_ms: CPU time per request.
        latency_ms: Other time of its own.
        jitter: Spread of its own time; what variants add to it is the same each time.
        leaves_bytes: Memory that each request takes and never gives back.
    """

    facts: Mapping[str, str]
    variants: tuple[Variant, ...]
    cpu_ms: float
    latency_ms: float
    jitter: float
    leaves_bytes: float

    def made(self, calls: tuple[AnyCall, ...]) -> tuple[AnyCall, ...]:
        """The calls that are made at present."""
        return tuple(call for call in calls if self._makes(call))

    def _makes(self, call: AnyCall) -> bool:
        if not isinstance(call, Call):
            return True
        wanted = call.when is None or is_on(expand(call.when, self.facts))
        return wanted and not (call.unless is not None and is_on(expand(call.unless, self.facts)))


def present(
    world: World,
    process: Process,
    model: Operation,
    look: UntrackedReads,
    asked: tuple[tuple[str, str], ...] = (),
) -> Present:
    """What holds of an operation of a process, as things stand, for requests of which this is so."""
    facts = process.facts()  # a dict of its own, put together anew for each operation
    facts.update(dict.fromkeys(model.heeds, ""))
    facts.update(asked)
    program = process.behaviour
    if isinstance(program, ServiceProgram) and program.flags:
        facts.update(look.at(flag_values, world, process.ref))
    held = tuple(one for one in model.variants if is_on(expand(one.when, facts)))
    cpu = sum(_number(expand(one.cpu_ms, facts)) for one in held)
    cpu += filtering_ms(model, facts)
    late = sum(_number(expand(one.latency_ms, facts)) for one in held)
    left = sum(_number(expand(one.leaves_kib, facts)) for one in held) * 1024
    uneven = model.cpu_ms + cpu + model.latency_ms
    jitter = model.jitter * uneven / (uneven + late)
    return Present(facts, held, model.cpu_ms + cpu, model.latency_ms + late, jitter, left)


def taken(call: Call, now: Mapping[str, str]) -> Time | None:
    """How long a command takes in its datastore besides what any does; None for no longer."""
    took_ms = _number(expand(call.takes_ms, now))
    return Time(took_ms, (_EVEN * took_ms) ** 2) if took_ms else None


def failures_as_calls(now: Present, made: Structure, sites: list[CallSite]) -> tuple[CallStep, ...]:
    """The failures of an operation by itself, as calls that a part of the requests makes without success."""
    steps: list[CallStep] = []
    for variant in now.variants:
        share = min(1.0, _number(expand(variant.fails, now.facts)))
        if not share:
            continue
        text = expand(variant.error, now.facts)
        target = Target(1.0, "server", None, "", {})
        route = CallRoute(made.routes, 1.0, target, -1, "server", text, FAST_MS)
        made.routes += 1
        reaction = OnError(log=variant.log)
        site = CallSite(
            len(made.sites), "", _itself(), "", "", reaction, 1.0, len(sites), (route,), 1000.0
        )
        made.sites.append(site)
        sites.append(site)
        steps.append(CallStep(site, share))
    return tuple(steps)


@lru_cache(maxsize=1)
def _itself() -> Client:
    client = Client(protocol="tcp", address="localhost:1")
    client._wire = _ITSELF
    return client


@lru_cache(maxsize=1024)
def _number(text: str) -> float:
    """A number that is not negative; `true` is 1, and what is none 0."""
    if text.strip().lower() == "true":
        return 1.0
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
