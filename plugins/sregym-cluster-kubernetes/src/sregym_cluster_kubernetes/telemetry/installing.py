"""A small set of services of observability: its manifests, putting them up, taking them away."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.errors import UsageError, WorldError
from sregym_core.model import ObjectRef
from sregym_kubernetes.pod_trouble import pod_trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

NAMESPACE = "observability"
READY_S = 600.0
GONE_S = 300.0
TOLD_S = 10.0
_POLL_S = 2.0
_PLACEHOLDER = "NAMESPACE"


def manifests(namespace: str = NAMESPACE) -> list[KubeObject]:
    """All objects of the set, in the order of creation.

    Prometheus with its rules and exporters, Alertmanager, Loki with an agent that reads the logs of
    all pods, and Jaeger.
    """
    folder = files("sregym_cluster_kubernetes") / "telemetry"
    objects: list[KubeObject] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "prometheus-rules", "namespace": namespace},
            "data": {
                file.name: file.read_text(encoding="utf-8")
                for file in sorted((folder / "rules").iterdir(), key=lambda one: one.name)
            },
        },
    ]
    for file in sorted((folder / "manifests").iterdir(), key=lambda one: one.name):
        text = file.read_text(encoding="utf-8").replace(_PLACEHOLDER, namespace)
        objects += [obj for obj in yaml.safe_load_all(text) if obj is not None]
    return objects


def install(cluster: Cluster, namespace: str, tell: Callable[[str], object]) -> None:
    """Create the set and wait until it is ready; `tell` is told what is waited for.

    Raises:
        UsageError: The namespace exists already.
        WorldError: It does not get ready, and why.
        ClusterError: The API server refuses an object.
    """
    place = _namespace(namespace)
    if cluster.get(place) is not None:
        raise UsageError(
            f"telemetry cannot be installed: the cluster has namespace {namespace!r} already; give "
            "another --namespace, or remove what is there: sregym telemetry remove"
        )
    for obj in manifests(namespace):
        ref = ObjectRef.of(obj)
        if cluster.get(ref) is None:  # what stands outside the namespace may be left of before
            cluster.create(obj)
    told_at: float | None = None

    def ready() -> bool:
        nonlocal told_at
        waiting = not_ready(cluster, namespace)
        now = cluster.clock.now()
        if waiting and (told_at is None or now - told_at >= TOLD_S):
            told_at = now
            tell(f"waiting for {'; '.join(waiting)}")
        return not waiting

    if not cluster.clock.wait_until(ready, READY_S, _POLL_S):
        waiting = "; ".join(not_ready(cluster, namespace))
        raise WorldError(f"telemetry in {namespace!r} was not ready after {READY_S:g} s: {waiting}")


def not_ready(cluster: Cluster, namespace: str) -> list[str]:
    """Pods of the set that are not ready and why, and Deployments without pods."""
    pods = cluster.list("v1", "Pod", namespace)
    found = [str(trouble) for pod in pods if (trouble := pod_trouble(pod)) is not None]
    if found:
        return found
    return [
        f"Deployment {obj['metadata']['name']}"
        for obj in cluster.list("apps/v1", "Deployment", namespace)
        if (obj.get("status") or {}).get("readyReplicas", 0) < obj["spec"].get("replicas", 1)
    ]


def remove(cluster: Cluster, namespace: str) -> None:
    """Delete the set and wait until its namespace is gone.

    Raises:
        UsageError: It is not there, or the namespace holds something else.
        WorldError: The namespace does not go.
    """
    objects = manifests(namespace)
    names = {obj["metadata"]["name"] for obj in objects if obj["kind"] == "Deployment"}
    standing = {obj["metadata"]["name"] for obj in cluster.list("apps/v1", "Deployment", namespace)}
    if not names & standing:
        raise UsageError(
            f"telemetry is not installed in namespace {namespace!r}; say with --namespace where it is"
        )
    if standing - names:
        others = ", ".join(sorted(standing - names))
        raise UsageError(
            f"telemetry in namespace {namespace!r} is not removed: the namespace holds {others} "
            "besides; delete those, or the set by hand: sregym telemetry show | kubectl delete -f -"
        )
    for obj in reversed(objects):
        if not obj["metadata"].get("namespace"):
            cluster.delete(ObjectRef.of(obj))
    place = _namespace(namespace)
    if not cluster.clock.wait_until(lambda: cluster.get(place) is None, GONE_S, _POLL_S):
        raise WorldError(
            f"namespace {namespace!r} was deleted, but did not go within {GONE_S:g} s; look at its "
            "finalizers"
        )


def as_yaml(objects: list[KubeObject]) -> str:
    """The set as one YAML stream for kubectl."""

    class Dumper(yaml.SafeDumper):
        """Writes texts of several lines as blocks."""

    def text(dumper: yaml.SafeDumper, value: str) -> Any:
        style = "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return yaml.dump_all(objects, Dumper=Dumper, sort_keys=False)


def _namespace(name: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Namespace", namespace="", name=name)
