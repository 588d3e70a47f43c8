"""Probing clients like those of a load generator, in a namespace of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Prober
from sregym_core.model import ObjectRef

from sregym_apps.copying import copied
from sregym_apps.workload import parse_rounds, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_core.interfaces import Cluster, Traffic
    from sregym_core.interfaces.cluster import KubeObject

NAME = "client"
# What pods of a template refer to by name, and where: (field of the volume, name in it, kind).
_VOLUMES = (("configMap", "name", "ConfigMap"), ("secret", "secretName", "Secret"))
_VARIABLES = (("configMapRef", "ConfigMap"), ("secretRef", "Secret"))
_VALUES = (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret"))
# Where a pod of the namespace would have to be, and as whom it would act: does not matter here.
_LEFT_OUT = (
    "affinity", "nodeName", "nodeSelector", "priority", "priorityClassName", "schedulerName",
    "serviceAccount", "serviceAccountName", "topologySpreadConstraints", "imagePullSecrets",
)  # fmt: skip


def prober_of(
    generator: KubeObject,
    objects: Mapping[str, KubeObject],
    namespace: str,
    namespaces: Sequence[str],
    round_s: float,
) -> Prober:
    """A pod that runs what a load generator's pods run, with copies of what that reads.

    It finds the names that the generator finds, and goes wherever there is a node.

    Args:
        generator: The Deployment, with the rate that the clients are to have.
        objects: Where its ConfigMaps and Secrets are looked up.
        namespace: Of the clients.
        namespaces: Of the application.
        round_s: Length of the rounds in its log.
    """
    place = generator["metadata"]["namespace"]
    spec = copied(generator["spec"]["template"]["spec"])
    for field in _LEFT_OUT:
        spec.pop(field, None)
    known = [place, *(name for name in namespaces if name != place)]
    searches = [f"{name}.svc.cluster.local" for name in known]
    spec["dnsConfig"] = {"searches": searches[:5]}
    spec["tolerations"] = [{"operator": "Exists"}]
    spec["restartPolicy"] = "Always"
    copies = [
        _moved(obj, namespace)
        for kind, name in dict.fromkeys(_needed(spec))
        if (obj := _found(objects, kind, place, name)) is not None
    ]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME, "namespace": namespace},
        "spec": spec,
    }
    return Prober(
        objects=(*copies, pod),
        pod=ObjectRef.of(pod),
        read=partial(_read, ObjectRef.of(pod), round_s),
        warm_up_s=round_s,
    )


def _read(pod: ObjectRef, round_s: float, cluster: Cluster, seconds: float) -> Traffic:
    began = cluster.clock.now()
    lines = parse_rounds(cluster.logs(pod.namespace, pod.name, since_s=seconds))
    now = cluster.clock.now()
    return summarise(lines, now, seconds + now - began, round_s)


def _needed(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(kind, name) of what a pod reads."""
    for volume in spec.get("volumes") or ():
        for field, key, kind in _VOLUMES:
            if field in volume:
                yield kind, volume[field][key]
        for source in (volume.get("projected") or {}).get("sources") or ():
            for field, _, kind in _VOLUMES:
                if field in source:
                    yield kind, source[field]["name"]
    for container in (*spec.get("initContainers", ()), *spec["containers"]):
        for source in container.get("envFrom") or ():
            for field, kind in _VARIABLES:
                if field in source:
                    yield kind, source[field]["name"]
        for entry in container.get("env") or ():
            for field, kind in _VALUES:
                if field in (entry.get("valueFrom") or {}):
                    yield kind, entry["valueFrom"][field]["name"]


def _found(
    objects: Mapping[str, KubeObject], kind: str, namespace: str, name: str
) -> KubeObject | None:
    ref = ObjectRef(api_version="v1", kind=kind, namespace=namespace, name=name)
    return objects.get(str(ref))


def _moved(obj: KubeObject, namespace: str) -> KubeObject:
    kept = {field: value for field, value in obj.items() if field not in ("metadata", "status")}
    return {**kept, "metadata": {"name": obj["metadata"]["name"], "namespace": namespace}}
