"""Services that led to pods and lead to none any more: their next caller gets no response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import ROLLING_KINDS, Severity, pod_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sregym_core.interfaces.cluster import KubeObject

    from sregym_oracles import Found

CUT_OFF = "service-cut-off"


def cut_off(
    found: Iterable[Found], before: Mapping[str, KubeObject], now: Mapping[str, KubeObject]
) -> Iterator[Found]:
    """Side effects, with changes after which a Service leads to no pod as harm.

    That no user of the moment asks it makes it no better: a name that was right is wrong now.

    Args:
        found: Side effects of the agent.
        before: All objects of the healthy system, by `str(ObjectRef)`.
        now: The same as they are now.
    """
    for one in found:
        where = one.difference.where
        changed = one.effect.kind == "service-changed" and where in before and where in now
        if changed and _leads(before[where], before) and not _leads(now[where], now):
            update = {"kind": CUT_OFF, "severity": Severity.FAIL, "what": f"{one.effect.what}, to no pod"}  # fmt: skip
            one = one._replace(effect=one.effect.model_copy(update=update))
        yield one


def _leads(service: KubeObject, objects: Mapping[str, KubeObject]) -> bool:
    """Whether a Service selects the pods of some workload."""
    spec, namespace = service["spec"], service["metadata"].get("namespace")
    wanted = spec.get("selector") or {}
    if spec.get("type") == "ExternalName" or not wanted:
        return False
    return any(
        wanted.items() <= ((pod_template(obj).get("metadata") or {}).get("labels") or {}).items()
        for obj in objects.values()
        if obj["kind"] in ROLLING_KINDS and obj["metadata"].get("namespace") == namespace
    )
