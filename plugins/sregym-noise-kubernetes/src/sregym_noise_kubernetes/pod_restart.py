"""A pod of a healthy service goes away now and then, and its controller makes a new one."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Noise, NoiseContext
from sregym_core.model import ROLLING_KINDS, Component, ObjectRef
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces.cluster import KubeObject

FIRST_S = (60.0, 180.0)
PERIOD_S = 300.0
JITTER_S = 60.0
# Pods of stores, caches and registries lose what they keep in memory, and their clients may have
# to be restarted: that would not heal by itself.
DISTURBED_KIND = "service"


class PodRestart(Noise):
    """Deletes one pod of one ready service, first after one to three minutes."""

    name: ClassVar[str] = "pod-restart"

    @override
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return next(at_s for at_s in _schedule(context.seed) if at_s > elapsed_s)

    @override
    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        candidates = _candidates(context)
        if not candidates:
            return "pod-restart: no service is ready, nothing is disturbed"
        turn = sum(1 for _ in _moments_until(context.seed, elapsed_s))
        component, pods = candidates[_pick(context.seed, f"service {turn}", len(candidates))]
        pod = pods[_pick(context.seed, f"pod {turn}", len(pods))]
        ref = ObjectRef(
            api_version="v1",
            kind="Pod",
            namespace=component.namespace,
            name=pod["metadata"]["name"],
        )
        context.cluster.delete(ref)
        return f"pod-restart: deleted {ref} of component {component.name}"

    @override
    def settle(self, context: NoiseContext) -> None:
        """Nothing to end: the pod's controller replaces it at once, and oracles wait for ready."""


def _schedule(seed: int) -> Iterator[float]:
    """Moments of all disturbances, rising: the period is longer than twice the jitter."""
    first_s = FIRST_S[0] + _draw(seed, "first") * (FIRST_S[1] - FIRST_S[0])
    for turn in count():
        jitter_s = (2.0 * _draw(seed, f"jitter {turn}") - 1.0) * JITTER_S if turn else 0.0
        yield first_s + turn * PERIOD_S + jitter_s


def _moments_until(seed: int, elapsed_s: float) -> Iterator[float]:
    for at_s in _schedule(seed):
        if at_s > elapsed_s:
            return
        yield at_s


def _draw(seed: int, purpose: str) -> float:
    """A number from 0 to 1 that depends on seed and purpose alone."""
    digest = hashlib.blake2b(f"pod-restart {seed} {purpose}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2.0**64


def _pick(seed: int, purpose: str, size: int) -> int:
    return min(int(_draw(seed, purpose) * size), size - 1)


def _candidates(context: NoiseContext) -> list[tuple[Component, list[KubeObject]]]:
    """Services that may be disturbed and are ready, with their ready pods."""
    found = []
    for component in context.application.components():
        if component.kind != DISTURBED_KIND or component.name in context.spared:
            continue
        if component.workload.kind not in ROLLING_KINDS:
            continue
        workload = context.cluster.get(component.workload)
        if workload is None:
            continue
        pods = _ready_pods(context, workload)
        if pods and len(pods) >= workload["spec"].get("replicas", 1):
            found.append((component, pods))
    return found


def _ready_pods(context: NoiseContext, workload: KubeObject) -> list[KubeObject]:
    labels = workload["spec"]["selector"].get("matchLabels") or {}
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    pods = context.cluster.list("v1", "Pod", workload["metadata"]["namespace"], selector)
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"] and _is_ready(pod)]


def _is_ready(pod: KubeObject) -> bool:
    conditions = pod.get("status", {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
