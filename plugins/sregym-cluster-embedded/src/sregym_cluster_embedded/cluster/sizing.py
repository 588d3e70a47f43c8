"""How many workers a cluster has: the usual three, or as many as its applications need."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from sregym_core.model import pod_spec

from sregym_cluster_embedded.api.pod_requests import requests_of
from sregym_cluster_embedded.node.bootstrap import NodeSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_core.interfaces import Application

    from sregym_cluster_embedded.store import Object

USUAL = 3
# A pod network gives each node a part of its own; there are no more of them.
MOST = 200
# Of what the smallest worker has, applications are to use so much: new pods stand beside old ones
# while they are rolled out, and others run there, too.
_FULL = 0.6
_PODS, _CPU, _MEMORY = "pods", "cpu", "memory"


def workers_for(applications: Iterable[Application]) -> int:
    """How many workers of the usual size these applications need, by their manifests."""
    needs = [_needs(obj) for application in applications for obj in application.manifests()]
    node = NodeSpec()
    has = {_PODS: node.pods, _CPU: node.cpu * 1000, _MEMORY: node.memory_kib * 1024}
    wanted = [
        ceil(sum(need.get(what, 0) for need in needs) / (amount * _FULL))
        for what, amount in has.items()
    ]
    return min(MOST, max(USUAL, *wanted))


def _needs(obj: Object) -> dict[str, int]:
    """Pods, milli-processors and bytes; nothing where the API will refuse the object anyway."""
    try:
        spec = pod_spec(obj)
        if not spec.get("containers"):
            return {}
        replicas = int(obj["spec"].get("replicas", 1))
        asked = requests_of(spec)
        each = {_PODS: 1, _CPU: asked.get(_CPU, 0), _MEMORY: asked.get(_MEMORY, 0)}
        return {what: amount * replicas for what, amount in each.items()}
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return {}


def unique(names: Sequence[str]) -> list[str]:
    """The same names, each once: a second one of the same goes on with a number."""
    found: list[str] = []
    for name in names:
        number, whole = 2, name
        while whole in found:
            whole, number = f"{name}{number}", number + 1
        found.append(whole)
    return found
