"""What the application's own manifests say: the truth that reference fixes bring back."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.model import WORKLOAD_KINDS, containers_of

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef


def manifest_of(application: Application, ref: ObjectRef) -> KubeObject:
    """The manifest of an object; raises `WorldError` when the application has none."""
    manifest = application.manifest(ref)
    if manifest is not None:
        return manifest
    raise WorldError(
        f"application {application.name!r} has no manifest of {ref}, but one of its components "
        "names it; its components() and manifests() disagree"
    )


def main_container(context: FaultContext) -> dict[str, Any]:
    """The component's container as the manifest of its workload describes it.

    Empty for a custom resource, whose manifest speaks of no containers.
    """
    component = context.component
    workload = manifest_of(context.application, component.workload)
    if workload["kind"] not in WORKLOAD_KINDS:
        return {}
    for container in containers_of(workload):
        if container["name"] == component.container:
            found: dict[str, Any] = container
            return found
    raise WorldError(
        f"the manifest of {component.workload} has no container {component.container!r}, but "
        f"component {component.name!r} names it; components() and manifests() of application "
        f"{context.application.name!r} disagree"
    )


def secret_data(secret: KubeObject) -> dict[str, str]:
    """What a Secret holds as the API server keeps it, in base64, with what `stringData` adds."""
    plain = {
        key: b64encode(str(value).encode()).decode()
        for key, value in (secret.get("stringData") or {}).items()
    }
    return {**(secret.get("data") or {}), **plain}


def container_ports(workload: KubeObject) -> dict[int, str]:
    """Numbers of all ports that a workload's containers declare, with their names or ``."""
    return {
        port["containerPort"]: port.get("name", "")
        for container in containers_of(workload)
        for port in container.get("ports") or []
    }


def declared_ports(context: FaultContext) -> dict[int, str]:
    """Ports that the component's containers declare by the manifests, with their names or ``."""
    component = context.component
    if component.workload.kind in WORKLOAD_KINDS:
        return container_ports(manifest_of(context.application, component.workload))
    return {number: "" for container in component.containers for number in container.ports}


def probed_port(container: dict[str, Any]) -> int | str | None:
    """The port that a container's readiness probe looks at: where its users come in."""
    probe = container.get("readinessProbe") or {}
    for action in ("tcpSocket", "httpGet", "grpc"):
        if action in probe:
            port: int | str = probe[action]["port"]
            return port
    return None
