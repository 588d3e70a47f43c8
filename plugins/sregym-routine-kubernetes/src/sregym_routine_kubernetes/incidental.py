"""Incidental Warnings of the kubelet, which come in every cluster and mean little.

Without them the oldest Warning of the last hour would be that of a fault or of who suffers from it. They
are about any part alike, also about one that is or will be broken.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Actor, ClusterError
from sregym_core.model import ROLLING_KINDS, ObjectRef

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_core.interfaces import Application, Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

    from sregym_routine_kubernetes.moments import Moment

# How many there are before a fault and after it.
WARNINGS, WARNINGS_AFTER = (4, 8), (3, 6)
# How many of ten Warnings tell of what has come since some day in the life of the pod; after a fault
# they are fewer, or the latest new ones would mostly be those of the fault.
OFTEN, SELDOM = 5, 2
# API servers keep events for an hour; earlier ones are gone.
KEPT_S = 3000.0
_VERSION = "v1.34.1 (linux/amd64) kubernetes/93248f9"


def warnings(
    cluster: Cluster,
    application: Application,
    span: float,
    count: tuple[int, int],
    seed: str,
    often: int = OFTEN,
) -> Iterator[Moment]:
    """Warnings within a time; yields when and how.

    Args:
        cluster: Where.
        application: The application whose parts they are about.
        span: Seconds.
        count: Bounds of how many there are.
        seed: From which all of it derives.
        often: How many of ten have come for long.
    """
    chance = Random(f"incidental signs, {seed}")  # noqa: S311 - a game, no secret
    parts = listed(application)
    for part in chance.choices(parts, k=chance.randint(*count)) if parts else ():
        moment = round(chance.uniform(max(0.0, span - KEPT_S), span), 3)
        draw = Random(chance.random())  # noqa: S311
        yield moment, partial(_warn, cluster, part, draw, often=often)


def leave_traces(cluster: Cluster, application: Application, seed: str) -> None:
    """Leave the Warnings that are still there of the last hour.

    What happened before a fault is the same for all problems of an application with a seed, and so is
    what stands out in it. This is another for each of them.

    Args:
        cluster: Where, on virtual time.
        application: The application whose parts it is about.
        seed: From which all of it derives.
    """
    chance = Random(f"left behind, {seed}")  # noqa: S311 - a game, no secret
    parts = listed(application)
    for part in chance.choices(parts, k=chance.randint(*WARNINGS)) if parts else ():
        _warn(cluster, part, chance, round(chance.uniform(5.0, KEPT_S), 3))


def listed(application: Application) -> list[Component]:
    """The parts that a list of the application's workloads shows."""
    return [part for part in application.components() if part.workload.kind in ROLLING_KINDS]


def _pod(cluster: Cluster, part: Component, chance: Random) -> KubeObject | None:
    """A pod of a part that runs on a node."""
    labels = ",".join(f"{key}={value}" for key, value in sorted(part.pod_labels.items()))
    pods = [pod for pod in cluster.list("v1", "Pod", part.namespace, labels) if _runs(pod)]
    return chance.choice(sorted(pods, key=lambda pod: pod["metadata"]["name"])) if pods else None


def _runs(pod: KubeObject) -> bool:
    return (pod.get("status") or {}).get("phase") == "Running" and "nodeName" in pod["spec"]


def _warn(
    cluster: Cluster, part: Component, chance: Random, ago_s: float = 0.0, often: int = OFTEN
) -> None:
    """Let the kubelet tell of something about a pod that is over when it tells, or told so long ago."""
    pod = _pod(cluster, part, chance)
    if pod is None:
        return
    reason, message, field = _told(pod, part, chance)
    node, metadata = pod["spec"]["nodeName"], pod["metadata"]
    last = cluster.clock.now() - ago_s
    made = datetime.fromisoformat(metadata["creationTimestamp"]).timestamp()
    again = chance.randrange(10) < often
    # A pod that is an hour old was not complained of a week ago.
    first = chance.uniform(made, last) if again and made < last else last
    about = {"kind": "Pod", "apiVersion": "v1", "uid": metadata.get("uid", "")}
    about |= {"namespace": part.namespace, "name": metadata["name"], **field}
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{metadata['name']}.{chance.randrange(16**14, 16**15):016x}",
            "namespace": part.namespace,
        },
        "involvedObject": about,
        "reason": reason,
        "message": message,
        "type": "Warning",
        "source": {"component": "kubelet", "host": node},
        "reportingComponent": "kubelet",
        "reportingInstance": node,
        "firstTimestamp": _stamp(first),
        "lastTimestamp": _stamp(last),
        "count": chance.randint(2, 9) if again else 1,
    }
    kubelet = Actor("kubelet", f"kubelet/{_VERSION}", f"system:node:{node}")
    try:
        cluster.create(event, kubelet)
    except ClusterError:
        return  # its namespace takes no more of them
    if ago_s:
        cluster.backdate(ObjectRef.of(event), cluster.clock.now() - last)


def _told(pod: KubeObject, part: Component, chance: Random) -> tuple[str, str, dict[str, Any]]:
    """Reason, message, and the field that it is about."""
    container = next(c for c in pod["spec"]["containers"] if c["name"] == part.container)
    field = {"fieldPath": f"spec.containers{{{part.container}}}"}
    probes = [name for name in ("readinessProbe", "livenessProbe") if container.get(name)]
    if probes and chance.random() < 0.6:
        name = chance.choice(probes)
        word = name.removesuffix("Probe").capitalize()
        why = late(container, name, pod["status"].get("podIP", ""))
        return "Unhealthy", f"{word} probe failed: {why}", field
    volumes = [v["name"] for v in pod["spec"].get("volumes") or () if "projected" in v]
    volume = volumes[0] if volumes else "kube-api-access"
    why = "failed to sync configmap cache: timed out waiting for the condition"
    return "FailedMount", f'MountVolume.SetUp failed for volume "{volume}" : {why}', {}


def _stamp(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def late(container: Mapping[str, Any], name: str, ip: str) -> str:
    """What the kubelet says of a probe of a container that got no answer in time."""
    probe = container[name]
    seconds = probe.get("timeoutSeconds", 1)
    if "httpGet" in probe:
        how = probe["httpGet"]
        place = f"{how.get('scheme', 'HTTP').lower()}://{ip}:{_port(container, how['port'])}"
        why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        return f'Get "{place}{how.get("path", "/")}": {why}'
    if "tcpSocket" in probe:
        return f"dial tcp {ip}:{_port(container, probe['tcpSocket']['port'])}: i/o timeout"
    if "grpc" in probe:
        place = f"{ip}:{probe['grpc']['port']}"
        return f'timeout: failed to connect service "{place}" within {seconds}s: context deadline exceeded'
    return f"command timed out after {seconds}s"


def _port(container: Mapping[str, Any], port: int | str) -> int | str:
    """The number of a port that a probe may name: the kubelet's messages have numbers."""
    ports = container.get("ports") or ()
    named: dict[int | str, int] = {
        one["name"]: one["containerPort"] for one in ports if "name" in one
    }
    return named.get(port, port)
