"""What a workload's pods do: derived from its template, the objects around it and the clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces.cluster import KubeObject

UNITS = {"": 1 / 1048576, "Ki": 1 / 1024, "Mi": 1.0, "Gi": 1024.0}
CRASH_EVERY_S = 10.0


@dataclass(frozen=True)
class Program:
    """What runs in a container of an image.

    Attributes:
        port: On which it listens.
        memory_mib: Resident memory; a smaller limit kills it every ten seconds.
        start_s: From start to ready.
        crash_after_s: Seconds of life after which it exits once, None for never.
    """

    port: int
    memory_mib: float = 32.0
    start_s: float = 3.0
    crash_after_s: float | None = None


@dataclass(frozen=True)
class Life:
    """State of one container at one moment: ready, or waiting or terminated for a reason."""

    ready: bool
    restarts: int = 0
    phase: str = "running"
    reason: str = ""


def mebibytes(quantity: str) -> float:
    """A memory quantity as the API writes it."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi)?", quantity)
    if match is None:
        raise ValueError(f"{quantity!r} is no memory quantity that this cluster knows")
    return float(match[1]) * UNITS[match[2] or ""]


def life_of(
    container: Mapping[str, Any],
    template: Mapping[str, Any],
    programs: Mapping[str, Program],
    config_maps: frozenset[str],
    age_s: float,
) -> Life:
    """State of a container of this template, `age_s` after its pod was made."""
    program = programs.get(container["image"])
    if program is None:
        return Life(False, 0, "waiting", "ImagePullBackOff")
    needed = {
        volume["configMap"]["name"]
        for volume in template["spec"].get("volumes", [])
        if "configMap" in volume
    }
    if needed - config_maps:
        return Life(False, 0, "waiting", "ContainerCreating")
    limit = ((container.get("resources") or {}).get("limits") or {}).get("memory", "")
    if limit and mebibytes(limit) < program.memory_mib:
        return Life(False, int(age_s // CRASH_EVERY_S), "waiting", "CrashLoopBackOff")
    if program.crash_after_s is not None and age_s >= program.crash_after_s:
        return Life(age_s - program.crash_after_s >= program.start_s, restarts=1)
    return Life(age_s >= program.start_s)


def pod_of(workload: KubeObject, index: int, lives: Mapping[str, Life]) -> KubeObject:
    """The pod object as the API shows it."""
    metadata = workload["metadata"]
    template = workload["spec"]["template"]
    statuses = []
    for name, life in lives.items():
        detail = {"reason": life.reason} if life.reason else {}
        statuses.append(
            {
                "name": name,
                "ready": life.ready,
                "restartCount": life.restarts,
                "state": {life.phase: detail},
            }
        )
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{metadata['name']}-{metadata['generation']}-{index}",
            "namespace": metadata["namespace"],
            "labels": dict(template["metadata"].get("labels", {})),
            "ownerReferences": [{"kind": workload["kind"], "name": metadata["name"]}],
        },
        "spec": template["spec"],
        "status": {"containerStatuses": statuses},
    }


def status_of(generation: int, desired: int, ready: bool) -> dict[str, int]:
    """Status of a Deployment all of whose pods are alike."""
    return {
        "observedGeneration": generation,
        "replicas": desired,
        "updatedReplicas": desired,
        "readyReplicas": desired if ready else 0,
    }
