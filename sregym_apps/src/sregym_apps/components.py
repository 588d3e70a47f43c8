"""Components derived from manifests, completed by what manifests do not say.

A component is one workload and what belongs to it. Images, ports, ConfigMaps, volumes and limits
stand in the manifests and are read from there. Role, callers, operations and accounts do not; an
application writes them down in a `components.yaml`, see `sregym_apps.notes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_core.model import (
    WORKLOAD_KINDS,
    Component,
    Container,
    ContainerKind,
    ObjectRef,
    ServiceUse,
    pod_spec,
    pod_template,
)

from sregym_apps import belongings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_apps.manifests import KubeObject
    from sregym_apps.notes import ComponentNotes

_UNNOTED = "no notes on this workload"


def derive_components(
    objects: Iterable[KubeObject], notes: Mapping[str, ComponentNotes]
) -> tuple[Component, ...]:
    """One component for each workload of the manifests, sorted by name.

    Custom resources become components where notes say so. A workload without notes, notes without
    a workload, or a name that does not say which of several is meant is a `UsageError`.
    """
    everything = list(objects)
    found = {name: _workload(name, notes[name], everything) for name in sorted(notes)}
    known = [id(workload) for workload in found.values()]
    for obj in everything:
        if obj["kind"] in WORKLOAD_KINDS and id(obj) not in known:
            name = obj["metadata"]["name"]
            what = f"no notes on {obj['kind']}/{name}" if name in notes else _UNNOTED
            raise UsageError(
                f"component {name!r}: {what}; manifests and components.yaml must agree"
            )
    index = belongings.Index(everything)
    made = (_component(name, found[name], notes[name], index) for name in found)
    return tuple(part.model_copy(update={"calls": _called_by(part.name, notes)}) for part in made)


def _called_by(name: str, notes: Mapping[str, ComponentNotes]) -> tuple[str, ...]:
    return tuple(other for other in sorted(notes) if name in notes[other].callers)


def _workload(name: str, notes: ComponentNotes, objects: Sequence[KubeObject]) -> KubeObject:
    """The object that a component is."""
    kind, _, wanted = notes.workload.partition("/")
    found = [
        obj
        for obj in objects
        if obj["metadata"]["name"] == (wanted or name)
        and (obj["kind"] == kind if kind else obj["kind"] in WORKLOAD_KINDS)
    ]
    if not found:
        what = f"no {notes.workload}" if kind else "no workload of this name"
        raise UsageError(
            f"component {name!r}: {what} in the manifests; manifests and components.yaml must agree"
        )
    if len(found) > 1:
        several = " and ".join(f"{obj['kind']}/{obj['metadata']['name']}" for obj in found)
        raise UsageError(
            f"component {name!r}: {several} are there; say in components.yaml which is meant: "
            f"`workload: {found[0]['kind']}/{found[0]['metadata']['name']}`"
        )
    if found[0]["kind"] not in WORKLOAD_KINDS and not notes.makes:
        raise UsageError(
            f"component {name!r}: {notes.workload} is a custom resource; say in components.yaml "
            "under `makes` which workloads its operator makes of it"
        )
    return found[0]


def components_of_operators(
    objects: Iterable[KubeObject], notes: Mapping[str, ComponentNotes]
) -> list[KubeObject]:
    """What operators make of the custom resources among the components, in their namespaces."""
    everything = list(objects)
    return [
        one
        for name in sorted(notes)
        for one in _made(name, notes[name], _workload(name, notes[name], everything))
    ]


def _made(name: str, notes: ComponentNotes, owner: KubeObject) -> list[KubeObject]:
    namespace = owner["metadata"].get("namespace", "")
    found = []
    for number, obj in enumerate(notes.makes):
        metadata = obj.get("metadata") or {}
        if not (obj.get("apiVersion") and obj.get("kind") and metadata.get("name")):
            raise UsageError(
                f"component {name!r}, field 'makes.{number}': an object has apiVersion, kind and "
                "metadata.name"
            )
        found.append({**obj, "metadata": {"namespace": namespace, **metadata}})
    return found


def _component(
    name: str, workload: KubeObject, notes: ComponentNotes, index: belongings.Index
) -> Component:
    made = _made(name, notes, workload)
    runners = [obj for obj in made if obj["kind"] in WORKLOAD_KINDS]
    if workload["kind"] in WORKLOAD_KINDS:
        runners = [workload]
    elif not runners:
        raise UsageError(
            f"component {name!r}: none of the objects under `makes` is a workload; they are "
            f"{', '.join(WORKLOAD_KINDS)}"
        )
    runner = runners[0]
    namespace = workload["metadata"].get("namespace", "")
    labels = dict((pod_template(runner).get("metadata") or {}).get("labels") or {})
    pod = pod_spec(runner)
    services = tuple(
        belongings.services_for(
            labels, pod, namespace, index, [obj for obj in made if obj["kind"] == "Service"]
        )
    )
    service = _traffic_service(name, notes, services)
    every = tuple(belongings.containers(pod))
    container = _serving_container(name, notes, every, service)
    return Component(
        name=name,
        kind=notes.kind,
        namespace=namespace,
        workload=ObjectRef.of(workload),
        workloads=tuple(map(ObjectRef.of, runners)),
        containers=every,
        services=services,
        ingresses=tuple(belongings.ingresses_for(services, namespace, index)),
        container=container.name,
        image=container.image,
        command=container.command,
        replicas=(runner.get("spec") or {}).get("replicas", 1),
        memory_limit=container.memory_limit,
        pod_labels=labels,
        service=service.ref if service else None,
        selector=service.selector if service else {},
        ports=service.ports if service else (),
        config=belongings.config_uses(pod, container.name, namespace, index),
        env=container.env,
        volumes=belongings.claims(runner, container.name),
        accounts=notes.accounts,
        callers=notes.callers,
        operations=notes.operations,
        sessions=notes.sessions,
        builds=notes.builds,
        registered=notes.registered,
        tables=notes.tables,
        replica_set=notes.replica_set,
        settings=notes.settings,
    )


def _traffic_service(
    name: str, notes: ComponentNotes, services: Sequence[ServiceUse]
) -> ServiceUse | None:
    """The Service that carries a component's traffic."""
    if notes.service:
        for use in services:
            if use.ref.name == notes.service:
                return use
        there = ", ".join(use.ref.name for use in services) or "none"
        raise UsageError(
            f"component {name!r}: no Service {notes.service!r} selects its pods; these do: {there}"
        )
    ranked = sorted(services, key=lambda use: (use.ref.name != name, use.headless))
    return ranked[0] if ranked else None


def _serving_container(
    name: str, notes: ComponentNotes, every: Sequence[Container], service: ServiceUse | None
) -> Container:
    """The container that serves."""
    if notes.container:
        for container in every:
            if container.name == notes.container:
                return container
        there = ", ".join(container.name for container in every)
        raise UsageError(
            f"component {name!r}: its pods have no container {notes.container!r}; they have: {there}"
        )
    led_to = {port.container_port for port in service.ports} if service else set()
    lasting = [one for one in every if one.kind is ContainerKind.CONTAINER]
    return next((one for one in lasting if led_to.intersection(one.ports)), lasting[0])
