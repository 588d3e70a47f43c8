"""Components derived from manifests, completed by what manifests do not say.

A workload's image, ports, ConfigMaps, volumes and limits stand in its manifests and are read from
there. Its role, who calls it, which operations pass through it and which accounts it serves do not;
an application writes that down in a `components.yaml`, one paragraph per workload.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import TypeAdapter, ValidationError
from sregym_core.errors import UsageError
from sregym_core.model import Account, Component, ConfigUse, ObjectRef, Port, VolumeUse
from sregym_core.model.base import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable

    from sregym_apps.manifests import KubeObject

WORKLOAD_KINDS = ("Deployment", "StatefulSet", "DaemonSet")


class ComponentNotes(Value):
    """What people know of a component that its manifests do not say.

    Attributes:
        kind: `service`, `datastore`, `cache`, `registry`, `tracing`, `load` ...
        callers: Names of the components that call it, in order.
        operations: User-visible operations whose requests pass through it.
        accounts: Database accounts it serves.
    """

    kind: str = "service"
    callers: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    accounts: tuple[Account, ...] = ()


def load_notes(file: Traversable) -> dict[str, ComponentNotes]:
    """Read a `components.yaml`: name of the workload -> notes."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    try:
        return TypeAdapter(dict[str, ComponentNotes]).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{file.name!r}, field {field!r}: {first['msg']}") from error


def derive_components(
    objects: Iterable[KubeObject], notes: Mapping[str, ComponentNotes]
) -> tuple[Component, ...]:
    """One component for each workload of the manifests, sorted by name.

    A workload without notes, or notes without a workload, is a `UsageError`.
    """
    everything = list(objects)
    workloads = {
        obj["metadata"]["name"]: obj for obj in everything if obj["kind"] in WORKLOAD_KINDS
    }
    for name in sorted(workloads.keys() ^ notes.keys()):
        side = (
            "no workload of this name in the manifests"
            if name in notes
            else "no notes on this workload"
        )
        raise UsageError(f"component {name!r}: {side}; manifests and components.yaml must agree")
    index = _Index(everything)
    return tuple(_component(workloads[name], notes[name], index) for name in sorted(workloads))


class _Index:
    """The objects that workloads refer to, by kind, namespace and name."""

    def __init__(self, objects: Iterable[KubeObject]) -> None:
        self._by_address: dict[tuple[str, str, str], KubeObject] = {}
        self.services: list[KubeObject] = []
        for obj in objects:
            metadata = obj["metadata"]
            address = (obj["kind"], metadata.get("namespace", ""), metadata["name"])
            self._by_address[address] = obj
            if obj["kind"] == "Service":
                self.services.append(obj)

    def find(self, kind: str, namespace: str, name: str) -> KubeObject | None:
        return self._by_address.get((kind, namespace, name))


def _component(workload: KubeObject, notes: ComponentNotes, index: _Index) -> Component:
    metadata, template = workload["metadata"], workload["spec"]["template"]
    namespace = metadata.get("namespace", "")
    labels: dict[str, str] = template["metadata"].get("labels", {})
    pod: KubeObject = template["spec"]
    container: KubeObject = pod["containers"][0]
    service = _service_for(labels, namespace, index)
    return Component(
        name=metadata["name"],
        kind=notes.kind,
        namespace=namespace,
        workload=ObjectRef.of(workload),
        container=container["name"],
        image=container["image"],
        command=tuple(container.get("command", ())),
        replicas=workload["spec"].get("replicas", 1),
        memory_limit=container.get("resources", {}).get("limits", {}).get("memory", ""),
        pod_labels=labels,
        service=ObjectRef.of(service) if service else None,
        selector=service["spec"]["selector"] if service else {},
        ports=tuple(_ports(service, container)) if service else (),
        config=tuple(_config(pod, container, namespace, index)),
        env={
            entry["name"]: entry["value"] for entry in container.get("env", ()) if "value" in entry
        },
        volumes=tuple(_claims(pod, container)),
        accounts=notes.accounts,
        callers=notes.callers,
        operations=notes.operations,
    )


def _service_for(labels: Mapping[str, str], namespace: str, index: _Index) -> KubeObject | None:
    for service in index.services:
        selector = service["spec"].get("selector")
        same_namespace = service["metadata"].get("namespace", "") == namespace
        if selector and same_namespace and selector.items() <= labels.items():
            return service
    return None


def _ports(service: KubeObject, container: KubeObject) -> Iterator[Port]:
    by_name = {
        port["name"]: port["containerPort"] for port in container.get("ports", ()) if "name" in port
    }
    for entry in service["spec"]["ports"]:
        target = entry.get("targetPort", entry["port"])
        yield Port(
            name=entry.get("name", ""),
            port=entry["port"],
            target_port=target,
            container_port=by_name[target] if isinstance(target, str) else target,
            protocol=entry.get("protocol", "TCP"),
        )


def _config(
    pod: KubeObject, container: KubeObject, namespace: str, index: _Index
) -> Iterator[ConfigUse]:
    """Uses in volumes first, then in `envFrom`, then in `env`; each source once per way of use."""
    mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts", ())}
    for volume in pod.get("volumes", ()):
        path = mounts.get(volume["name"], "")
        if "configMap" in volume:
            source = volume["configMap"]
            yield _use("ConfigMap", namespace, source["name"], path, source, index)
        elif "secret" in volume:
            source = volume["secret"]
            yield _use("Secret", namespace, source["secretName"], path, source, index)
    seen: dict[tuple[str, str], Any] = {}
    for entry in container.get("envFrom", ()):
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in entry:
                seen.setdefault((kind, entry[field]["name"]), entry[field])
    for entry in container.get("env", ()):
        value_from = entry.get("valueFrom", {})
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            if field in value_from:
                seen.setdefault((kind, value_from[field]["name"]), value_from[field])
    for (kind, name), source in seen.items():
        yield _use(kind, namespace, name, "", source, index)


def _use(
    kind: str, namespace: str, name: str, path: str, source: KubeObject, index: _Index
) -> ConfigUse:
    obj = index.find(kind, namespace, name) or {}
    content: dict[str, str] = {**obj.get("data", {}), **obj.get("stringData", {})}
    return ConfigUse(
        source=ObjectRef(api_version="v1", kind=kind, namespace=namespace, name=name),
        keys=tuple(content),
        path=path,
        entries={key: fields for key, text in content.items() if (fields := _json_fields(text))},
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


def _claims(pod: KubeObject, container: KubeObject) -> Iterator[VolumeUse]:
    mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts", ())}
    for volume in pod.get("volumes", ()):
        if "persistentVolumeClaim" in volume:
            claim = volume["persistentVolumeClaim"]["claimName"]
            yield VolumeUse(claim=claim, path=mounts.get(volume["name"], ""))
