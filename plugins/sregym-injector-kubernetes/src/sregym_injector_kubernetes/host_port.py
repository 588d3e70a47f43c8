"""Pods need a host port that another process has taken on every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import ContainerKind
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from typing_extensions import override

from sregym_injector_kubernetes.placement import UNSCHEDULABLE
from sregym_injector_kubernetes.probes import open_ports

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component


class HostPort(PodTemplateFault):
    """Asks for the host port of a daemon that runs on every node."""

    name: ClassVar[str] = "host-port"
    title: ClassVar[str] = "Host port is taken on every node"
    mechanism: ClassVar[str] = "host-port-conflict"
    phrases: ClassVar[tuple[str, ...]] = (
        "host port conflict",
        "hostPort is taken on every node",
        "hostPort conflict with a DaemonSet",
        "host port is already in use",
        "port conflict on the nodes",
        "didn't have free ports for the requested pod ports",
    )
    symptoms: ClassVar[tuple[str, ...]] = (*UNSCHEDULABLE, "no endpoints")
    expected: ClassVar[str] = "no host port that a daemon has"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            port: Of the nodes.
            daemon: Name of the DaemonSet that has it: it is deployed first, and is in order.
            image: Of the daemon, which has BusyBox' `httpd`.
        """

        port: int = Field(default=9100, ge=1, le=65535)
        daemon: str = "node-metrics"
        image: str = "busybox:1.36"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        if component.own_container.kind is not ContainerKind.CONTAINER:
            return "an init container has ended before anybody dials it"
        return "" if open_ports(component) else "it has no port that a node could have"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, given = context.component, context.parameters
        entry = {
            "containerPort": open_ports(component)[0],
            "hostPort": given.port,
            "protocol": "TCP",
        }
        return TemplateChange(
            f"containers[name={component.container}].ports[containerPort={entry['containerPort']}].hostPort",
            str(given.port),
            container={"ports": [entry]},
            objects=(_daemon(context),),
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        namespace, given = context.component.namespace, context.parameters
        daemons = live.cluster.list("apps/v1", "DaemonSet", namespace)
        taken = {
            port.get("hostPort"): daemon["metadata"]["name"]
            for daemon in daemons
            for entry in daemon["spec"]["template"]["spec"]["containers"]
            for port in entry.get("ports") or ()
        }
        if given.daemon not in {daemon["metadata"]["name"] for daemon in daemons}:
            # To remove the daemon is no repair, although there was no conflict without it.
            wanted = any(
                port.get("hostPort") == given.port for port in live.container.get("ports") or ()
            )
            return (
                [f"has the host port {given.port} of {given.daemon}, which is gone"]
                if wanted
                else []
            )
        return [
            f"wants the host port {port['hostPort']}, which DaemonSet {taken[port['hostPort']]} has"
            for port in live.container.get("ports") or ()
            if port.get("hostPort") and port["hostPort"] in taken
        ]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        given = context.parameters
        return (f"hostPort {given.port}", f"conflict with DaemonSet {given.daemon}")


def _daemon(context: FaultContext) -> KubeObject:
    given, labels = context.parameters, {"app": context.parameters.daemon}
    entry = {
        "name": "metrics",
        "image": given.image,
        "command": ["httpd", "-f", "-p", str(given.port)],
        "ports": [{"containerPort": given.port, "hostPort": given.port, "protocol": "TCP"}],
    }
    template = {"metadata": {"labels": labels}, "spec": {"containers": [entry]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "name": given.daemon,
            "namespace": context.component.namespace,
            "labels": labels,
        },
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
