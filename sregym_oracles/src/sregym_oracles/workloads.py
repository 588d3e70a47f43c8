"""Checks of workloads against the baseline: present, ready, and watched as before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_core.model import (
    BATCH_KINDS,
    ROLLING_KINDS,
    WORKLOAD_KINDS,
    ObjectRef,
    containers_of,
)

from sregym_oracles.checks import check_from_findings
from sregym_oracles.objects import declared_objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Check

    from sregym_oracles.snapshot import Snapshot

_SIZED = ("Deployment", "StatefulSet")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
# Why a container waits that is about to start.
_BEGINNING = ("ContainerCreating", "PodInitializing")
HANDLERS = ("exec", "grpc", "httpGet", "tcpSocket")
# A probe that may fail for longer than this before anything happens keeps nothing.
PATIENCE_S = 3600
# An amount of which something is left: `0`, `0m` and `0Mi` are none.
_NOT_ZERO = re.compile(r"^\D*[0.]*[1-9]")


def _workloads(objects: Mapping[str, KubeObject]) -> list[KubeObject]:
    return [obj for obj in declared_objects(objects) if obj["kind"] in WORKLOAD_KINDS]


def _existing(
    snapshot: Snapshot, objects: Mapping[str, KubeObject]
) -> Iterator[tuple[ObjectRef, KubeObject, KubeObject]]:
    """Workloads of the baseline that are still there: address, as it was, as it is."""
    for before in _workloads(objects):
        now = snapshot.same(before)
        if now is not None:
            yield ObjectRef.of(before), before, now


def _desired(workload: KubeObject) -> int:
    replicas = workload["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def _may_vanish(obj: KubeObject) -> bool:
    """Whether it is deleted by itself some time after its end."""
    return obj["kind"] == "Job" and "ttlSecondsAfterFinished" in obj["spec"]


def _suspended(workload: KubeObject) -> bool:
    return bool(workload["spec"].get("suspend"))


def objects_present(
    snapshot: Snapshot, objects: Mapping[str, KubeObject], name: str = "workloads-present"
) -> Check:
    """Every declared object of the baseline exists, workloads with at least their replicas."""
    declared = declared_objects(objects)

    def find() -> list[str]:
        wrong = []
        for before in declared:
            now = snapshot.same(before)
            if now is None and _may_vanish(before):
                continue
            if now is None:
                wrong.append(f"{ObjectRef.of(before)} does not exist")
            elif "deletionTimestamp" in now["metadata"]:
                wrong.append(f"{ObjectRef.of(before)} is being deleted")
            elif before["kind"] in _SIZED and _desired(now) < _desired(before):
                sizes = f"{_desired(now)} replicas, not {_desired(before)}"
                wrong.append(f"{ObjectRef.of(before)} wants {sizes}")
            elif before["kind"] in BATCH_KINDS and _suspended(now) and not _suspended(before):
                wrong.append(f"{ObjectRef.of(before)} is suspended")
        return wrong

    count = len(declared)
    expected = f"the {count} objects of the baseline, workloads with at least their replicas"
    return check_from_findings(name, expected, find, good=f"all {count}")


def workloads_ready(
    snapshot: Snapshot,
    objects: Mapping[str, KubeObject],
    name: str = "workloads-ready",
    made: Sequence[ObjectRef] = (),
) -> Check:
    """Every workload of the baseline is rolled out and no container of it waits or crashes.

    A workload that does not exist is left to `objects_present`.

    Args:
        snapshot: The cluster.
        objects: The baseline.
        name: Of the check.
        made: Workloads that operators make of custom resources: no baseline has them.
    """

    def find() -> list[str]:
        wrong = []
        there = [(ref, now) for ref, _, now in _existing(snapshot, objects)]
        for ref in made:
            if (now := snapshot.at(ref)) is None:
                wrong.append(f"{ref} does not exist")
            else:
                there.append((ref, now))
        for ref, now in there:
            reasons = [*_container_troubles(snapshot, now), *_status_troubles(now)]
            wrong += [f"{ref} {reasons[0]}"] if reasons else []
        return wrong

    count = len(_workloads(objects)) + len(made)
    return check_from_findings(
        name, f"{count} workloads rolled out and ready", find, good=f"all {count}"
    )


def _status_troubles(workload: KubeObject) -> list[str]:
    status: Mapping[str, Any] = workload.get("status") or {}
    if workload["kind"] not in ROLLING_KINDS:
        return _unrolled_troubles(workload, status)
    observed = int(status.get("observedGeneration", 0))
    generation = int(workload["metadata"].get("generation", 0))
    if observed < generation:
        return [f"is at generation {generation} but its controller has only seen {observed}"]
    if workload["kind"] == "DaemonSet":
        desired = int(status.get("desiredNumberScheduled", 0))
        counts = ("updatedNumberScheduled", "numberReady")
    else:
        desired = _desired(workload)
        counts = ("updatedReplicas", "readyReplicas")
    got = {field: int(status.get(field) or 0) for field in counts}
    troubles = [f"has {field} {have} of {desired}" for field, have in got.items() if have < desired]
    total = int(status.get("replicas") or 0)
    if not troubles and workload["kind"] != "DaemonSet" and total > desired:
        troubles.append(f"still has {total - desired} replicas of an earlier template")
    return troubles


def _unrolled_troubles(workload: KubeObject, status: Mapping[str, Any]) -> list[str]:
    """Troubles of a Job, CronJob or Pod."""
    holds = {c["type"] for c in status.get("conditions") or () if c["status"] == "True"}
    if workload["kind"] == "Pod":
        return [] if "Ready" in holds or status.get("phase") == "Succeeded" else ["is not ready"]
    if workload["kind"] == "Job" and "Failed" in holds:
        return ["has failed"]
    return []


def _container_troubles(snapshot: Snapshot, workload: KubeObject) -> list[str]:
    troubles = []
    batch = workload["kind"] in BATCH_KINDS
    for pod in snapshot.pods(workload):
        if "deletionTimestamp" in pod["metadata"]:
            continue
        found = pod.get("status") or {}
        # What ran to its end, well or not, is counted by its Job; what has just begun waits.
        if batch and found.get("phase") in ("Succeeded", "Failed"):
            continue
        for status in found.get("containerStatuses") or []:
            state: Mapping[str, Any] = status.get("state") or {}
            for phase in ("waiting", "terminated"):
                if phase in state:
                    reason = (state[phase] or {}).get("reason") or phase
                    if batch and (phase == "terminated" or reason in _BEGINNING):
                        continue
                    troubles.append(
                        f"has container {status['name']} of pod {pod['metadata']['name']} in {reason}"
                    )
    return troubles


def restarts(snapshot: Snapshot, objects: Mapping[str, KubeObject]) -> dict[str, int]:
    """Restart counts of all containers of the baseline's workloads, by `namespace/pod/container`."""
    counts = {}
    for _, _, now in _existing(snapshot, objects):
        for pod in snapshot.pods(now):
            metadata = pod["metadata"]
            for status in (pod.get("status") or {}).get("containerStatuses") or []:
                key = f"{metadata.get('namespace', '')}/{metadata['name']}/{status['name']}"
                counts[key] = int(status.get("restartCount", 0))
    return counts


def probes_unchanged(
    snapshot: Snapshot, objects: Mapping[str, KubeObject], name: str = "probes-kept"
) -> Check:
    """Probes and resource requests of the baseline's workloads were not taken away.

    Timings, ports and paths of probes may change, and requests may be of any size: what counts is
    that the container is still watched in the same way, that this has an effect within
    `PATIENCE_S`, and that it still has requests.
    """

    def find() -> list[str]:
        wrong = []
        for ref, before, now in _existing(snapshot, objects):
            current = {c["name"]: c for c in containers_of(now)}
            for container in containers_of(before):
                losses = _losses(container, current.get(container["name"]))
                wrong += [f"container {container['name']} of {ref} {loss}" for loss in losses]
        return wrong

    return check_from_findings(name, "the probes and resource requests of the baseline", find)


def _losses(before: Mapping[str, Any], now: Mapping[str, Any] | None) -> list[str]:
    if now is None:
        return ["does not exist"]
    losses = []
    for probe in PROBES:
        if not before.get(probe):
            continue
        old, new = _handler(before[probe]), _handler(now.get(probe) or {})
        waits = _patience_s(now.get(probe) or {})
        if not new:
            losses.append(f"has no {probe}")
        elif old != new:
            losses.append(f"has another {probe}: {new}, not {old}")
        elif waits > PATIENCE_S >= _patience_s(before[probe]):
            losses.append(f"has a {probe} without effect for {waits} s")
    requests = ((now.get("resources") or {}).get("requests")) or {}
    wanted = ((before.get("resources") or {}).get("requests")) or {}
    asked = {resource for resource, amount in requests.items() if _NOT_ZERO.search(str(amount))}
    losses += [f"requests no {resource}" for resource in sorted(wanted) if resource not in asked]
    return losses


def _patience_s(probe: Mapping[str, Any]) -> int:
    """Seconds of failures until a probe has an effect."""
    return int(probe.get("periodSeconds") or 10) * int(probe.get("failureThreshold") or 3)


def _handler(probe: Mapping[str, Any]) -> str:
    """How a probe asks; with the command, since `true` would be a way to switch it off."""
    for handler in HANDLERS:
        if handler in probe:
            command = (probe[handler] or {}).get("command") or []
            return " ".join((handler, *command))
    return ""
