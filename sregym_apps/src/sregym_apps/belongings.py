"""What belongs to a workload: containers, Services, configuration and claims.

Found as Kubernetes finds it: Services by their selectors, the rest by what the pods mount and read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.model import (
    ConfigUse,
    Container,
    ContainerKind,
    IngressUse,
    ObjectRef,
    Port,
    ServiceUse,
    VolumeUse,
    pod_spec,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_apps.manifests import KubeObject

_VOLUME_SOURCES = (
    ("configMap", "name", "ConfigMap"),
    ("secret", "secretName", "Secret"),
)
_PROJECTED = (("configMap", "name", "ConfigMap"), ("secret", "name", "Secret"))


class Index:
    """The objects that workloads refer to, by kind, namespace and name."""

    def __init__(self, objects: Iterable[KubeObject]) -> None:
        self._by_address: dict[tuple[str, str, str], KubeObject] = {}
        self.services: list[KubeObject] = []
        self.ingresses: list[KubeObject] = []
        for obj in objects:
            metadata = obj["metadata"]
            address = (obj["kind"], metadata.get("namespace", ""), metadata["name"])
            self._by_address[address] = obj
            if obj["kind"] == "Service":
                self.services.append(obj)
            if obj["kind"] == "Ingress":
                self.ingresses.append(obj)

    def find(self, kind: str, namespace: str, name: str) -> KubeObject | None:
        """An object by its address, or None."""
        return self._by_address.get((kind, namespace, name))


def containers(pod: KubeObject) -> Iterator[Container]:
    """The containers of a pod's specification, init containers first."""
    user = (pod.get("securityContext") or {}).get("runAsUser")
    for entry in pod.get("initContainers") or ():
        always = entry.get("restartPolicy") == "Always"
        yield _container(entry, ContainerKind.SIDECAR if always else ContainerKind.INIT, user)
    for entry in pod.get("containers") or ():
        yield _container(entry, ContainerKind.CONTAINER, user)


_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def _container(entry: KubeObject, kind: ContainerKind, user: int | None) -> Container:
    return Container(
        name=entry["name"],
        kind=kind,
        image=entry["image"],
        command=tuple(entry.get("command") or ()),
        memory_limit=str(((entry.get("resources") or {}).get("limits") or {}).get("memory", "")),
        env={one["name"]: one["value"] for one in entry.get("env") or () if "value" in one},
        ports=tuple(port["containerPort"] for port in entry.get("ports") or ()),
        probes=tuple(probe for probe in _PROBES if entry.get(probe)),
        user=(entry.get("securityContext") or {}).get("runAsUser", user),
    )


def services_for(
    labels: Mapping[str, str],
    pod: KubeObject,
    namespace: str,
    index: Index,
    made: Sequence[KubeObject],
) -> Iterator[ServiceUse]:
    """The Services that select pods with these labels, in the order of the manifests.

    Args:
        labels: Of the pods.
        pod: Their specification: it names the ports.
        namespace: Of the pods.
        index: The application's objects.
        made: Services that an operator makes; they come last.
    """
    for service in (*index.services, *made):
        selector = service["spec"].get("selector")
        same_namespace = service["metadata"].get("namespace", "") == namespace
        if selector and same_namespace and selector.items() <= labels.items():
            yield ServiceUse(
                ref=ObjectRef.of(service),
                selector=selector,
                ports=tuple(_ports(service, pod)),
                headless=service["spec"].get("clusterIP") == "None",
                made=any(service is one for one in made),
            )


def ingresses_for(
    services: Iterable[ServiceUse], namespace: str, index: Index
) -> Iterator[IngressUse]:
    """The Ingresses with rules that lead to these Services, in the order of the manifests."""
    names = {use.ref.name for use in services}
    for ingress in index.ingresses:
        if ingress["metadata"].get("namespace", "") != namespace:
            continue
        spec = ingress["spec"]
        led = [rule for rule in spec.get("rules") or () if names & set(_backends(rule))]
        if led:
            yield IngressUse(
                ref=ObjectRef.of(ingress),
                hosts=tuple(rule["host"] for rule in led if rule.get("host")),
                secrets=tuple(
                    entry["secretName"] for entry in spec.get("tls") or () if "secretName" in entry
                ),
            )


def _backends(rule: KubeObject) -> Iterator[str]:
    """Names of the Services that a rule leads to."""
    for entry in (rule.get("http") or {}).get("paths") or ():
        if service := entry["backend"].get("service"):
            yield service["name"]


def _ports(service: KubeObject, pod: KubeObject) -> Iterator[Port]:
    named = {
        port["name"]: port["containerPort"]
        for entry in (*(pod.get("initContainers") or ()), *(pod.get("containers") or ()))
        for port in entry.get("ports") or ()
        if "name" in port
    }
    for entry in service["spec"].get("ports") or ():
        target = entry.get("targetPort", entry["port"])
        number = named.get(target, entry["port"]) if isinstance(target, str) else target
        yield Port(
            name=entry.get("name", ""),
            port=entry["port"],
            target_port=target,
            container_port=number,
            protocol=entry.get("protocol", "TCP"),
        )


def config_uses(pod: KubeObject, first: str, namespace: str, index: Index) -> tuple[ConfigUse, ...]:
    """ConfigMaps and Secrets that a pod reads: from volumes, then `envFrom`, then `env`.

    Each source once for each way of use. Of several containers that mount it, the one named
    `first` defines at which path, else the first that does.
    """
    every = _with_first(pod, first)
    mounts = _mounts(every)
    found = []
    for volume in pod.get("volumes") or ():
        path = mounts.get(volume["name"], "")
        for kind, name, source in _volume_sources(volume):
            found.append(_use(kind, namespace, name, path, source, index))
    seen: dict[tuple[str, str], Any] = {}
    for container in every:
        for entry in container.get("envFrom") or ():
            for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                if field in entry:
                    seen.setdefault((kind, entry[field]["name"]), entry[field])
        for entry in container.get("env") or ():
            value_from = entry.get("valueFrom") or {}
            for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
                if field in value_from:
                    seen.setdefault((kind, value_from[field]["name"]), value_from[field])
    for (kind, name), source in seen.items():
        found.append(_use(kind, namespace, name, "", source, index))
    return tuple(found)


def _volume_sources(volume: KubeObject) -> Iterator[tuple[str, str, KubeObject]]:
    """Kind, name and what else is said of the sources of a volume."""
    for field, name, kind in _VOLUME_SOURCES:
        if field in volume:
            yield kind, volume[field][name], volume[field]
    for source in (volume.get("projected") or {}).get("sources") or ():
        for field, name, kind in _PROJECTED:
            if field in source:
                yield kind, source[field][name], source[field]


def _use(
    kind: str, namespace: str, name: str, path: str, source: KubeObject, index: Index
) -> ConfigUse:
    obj = index.find(kind, namespace, name) or {}
    content: dict[str, str] = {**(obj.get("data") or {}), **(obj.get("stringData") or {})}
    return ConfigUse(
        source=ObjectRef(api_version="v1", kind=kind, namespace=namespace, name=name),
        keys=tuple(content),
        path=path,
        entries={key: fields for key, text in content.items() if (fields := _json_fields(text))},
        switches=tuple(key for key, text in content.items() if text.strip() in ("true", "false")),
        required=not source.get("optional", False),
    )


def _json_fields(text: str) -> tuple[str, ...]:
    if not text.lstrip().startswith("{"):
        return ()
    try:
        content = json.loads(text)
    except ValueError:
        return ()
    return tuple(content)


def claims(workload: KubeObject, first: str) -> tuple[VolumeUse, ...]:
    """The claims that a workload's pods mount; those of a StatefulSet one for each replica."""
    pod = pod_spec(workload)
    mounts = _mounts(_with_first(pod, first))
    found = []
    for volume in pod.get("volumes") or ():
        if "persistentVolumeClaim" in volume:
            claim = volume["persistentVolumeClaim"]["claimName"]
            found.append(VolumeUse(claim=claim, path=mounts.get(volume["name"], "")))
    spec, name = workload["spec"], workload["metadata"]["name"]
    for template in spec.get("volumeClaimTemplates") or ():
        volume = template["metadata"]["name"]
        for ordinal in range(spec.get("replicas", 1)):
            claim = f"{volume}-{name}-{ordinal}"
            found.append(VolumeUse(claim=claim, path=mounts.get(volume, "")))
    return tuple(found)


def _with_first(pod: KubeObject, name: str) -> list[KubeObject]:
    """Containers of a pod, the one of this name first."""
    every = [*(pod.get("containers") or ()), *(pod.get("initContainers") or ())]
    return sorted(every, key=lambda entry: entry["name"] != name)


def _mounts(every: Sequence[KubeObject]) -> dict[str, str]:
    """Name of a volume -> where the first container that mounts it has it."""
    found: dict[str, str] = {}
    for container in every:
        own: dict[str, str] = {}
        for mount in container.get("volumeMounts") or ():
            own[mount["name"]] = mount["mountPath"]
        for name, path in own.items():
            found.setdefault(name, path)
    return found
