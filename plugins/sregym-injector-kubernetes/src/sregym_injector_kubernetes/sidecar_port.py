"""A second container of a pod listens on the port that the component's own needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import ContainerKind
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_pod,
)
from typing_extensions import override

from sregym_injector_kubernetes.probes import open_ports

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component


class SidecarPort(PodTemplateFault):
    """Adds a container that takes the component's port: they share one network."""

    name: ClassVar[str] = "sidecar-port"
    title: ClassVar[str] = "Sidecar listens on the port of the application"
    mechanism: ClassVar[str] = "sidecar-port-conflict"
    phrases: ClassVar[tuple[str, ...]] = (
        "sidecar port conflict",
        "port conflict between containers",
        "port conflict in the pod",
        "two containers of the pod listen on the same port",
        "sidecar takes the port of the application",
        "port is taken by a sidecar",
        "bind: address already in use",
        "address already in use",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("CrashLoopBackOff", "pods are not ready")
    expected: ClassVar[str] = "no other container of the pod on the component's port"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            port: 0: the one of the Service, else the first of the container.
            container: Name of the added container.
            image: Its image, which has BusyBox' `httpd`.
        """

        port: int = Field(default=0, ge=0, le=65535)
        container: str = "metrics-proxy"
        image: str = "busybox:1.36"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        if component.own_container.kind is not ContainerKind.CONTAINER:
            return "an init container has ended before others listen"
        return "" if open_ports(component) else "it has no port that another could take"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given, port = context.parameters, self._port(context)
        entry = {
            "name": given.container,
            "image": given.image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["httpd", "-f", "-p", str(port)],
        }
        what, after = "containers", f"{given.container} listens on port {port}"
        return TemplateChange(what, after, pod={"containers": [entry]})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        port, right = self._port(context), right_pod(context)["containers"]
        own = {entry["name"] for entry in right}
        return [
            f"has a container {entry['name']} that listens on port {port}"
            for entry in live.spec.get("containers") or ()
            if entry["name"] not in own and _listens(entry, port)
        ]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"{context.parameters.container} listens on port {self._port(context)}",)

    def _port(self, context: FaultContext) -> int:
        return context.parameters.port or open_ports(context.component)[0]


def _listens(container: dict[str, object], port: int) -> bool:
    """Whether a container says that it listens on a port: by its ports, command or arguments."""
    words = [*_texts(container.get("command")), *_texts(container.get("args"))]
    declared = container.get("ports")
    ports = declared if isinstance(declared, list) else []
    said = any(str(port) in word.replace(":", " ").replace("=", " ").split() for word in words)
    return said or any(one.get("containerPort") == port for one in ports)


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
