"""An EndpointSlice written by hand, whose address no pod has any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import Check, Component, ComponentPart, ObjectRef
from sregym_injectors.added_object import AddedObjectFault
from sregym_injectors.component_fault import by_service, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of
from sregym_injectors.pods import not_terminating, pods_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.service_fault import service_of
from sregym_injectors.service_state import service_defects
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster, Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_SERVICE = "kubernetes.io/service-name"
_MANAGER = "endpointslice.kubernetes.io/managed-by"
_API = "discovery.k8s.io/v1"


class EndpointsStale(AddedObjectFault):
    """Adds endpoints to the component's Service at which nothing listens."""

    name: ClassVar[str] = "endpoints-stale"
    title: ClassVar[str] = "Service has an endpoint that no pod has"
    layer: ClassVar[str] = "network"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.SERVICE,)
    mechanism: ClassVar[str] = "stale-endpoints"
    phrases: ClassVar[tuple[str, ...]] = (
        "stale endpoint",
        "stale EndpointSlice",
        "manually created EndpointSlice",
        "endpoint address that no pod has",
        "endpoint points to a pod that does not exist",
        "dead endpoint behind the service",
        "orphaned EndpointSlice",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("part of the requests fail", "connections time out")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            address: Of the endpoints; no pod may have it.
            instead: Whether the Service loses its selector, so that there are no others. None:
                unless the component is a plain service, since clients of stores and registries
                keep to the endpoints that answer.
        """

        address: str = "10.244.250.17"
        instead: bool | None = None

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or by_service(component):
            return reason
        if not component.selector:
            return "its Service has no selector"
        return "" if component.ports else "its Service has no ports"

    @override
    def added(self, context: FaultContext) -> KubeObject:
        service = service_of(context)
        return {
            "apiVersion": _API,
            "kind": "EndpointSlice",
            "metadata": {
                "name": f"{service.name}-static",
                "namespace": service.namespace,
                "labels": {_SERVICE: service.name},
            },
            "addressType": "IPv4",
            "endpoints": [
                {"addresses": [context.parameters.address], "conditions": {"ready": True}}
            ],
            "ports": [
                {"name": port.name, "port": port.container_port, "protocol": port.protocol}
                for port in context.component.ports
            ],
        }

    @override
    def inject(self, context: FaultContext) -> None:
        service, cluster = service_of(context), context.cluster
        edits = Edits(context)
        edits.create(self.added(context))
        if _instead(context):
            edits.patch(service, {"spec": {"selector": None}}, "merge")
            edits.pause()
            # Without a selector no controller follows the pods, and none makes them anew.
            for entry in _slices(cluster, service):
                if _MANAGER in (entry["metadata"].get("labels") or {}):
                    edits.end(entry)
        restart_rollout(edits, self.restarted(context))

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        delete, *rest = super().reference_fix(context)
        if not _instead(context):
            return (delete, *rest)
        right = manifest_of(context.application, service_of(context))["spec"]["selector"]
        back = commands.patch(service_of(context), {"spec": {"selector": right}}, "merge")
        return (back, delete, *rest)

    @override
    def describe(self, context: FaultContext) -> str:
        said = f"address {context.parameters.address}, which no pod has"
        return f"only {said}; the Service has no selector" if _instead(context) else said

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        return clients_of(context, otherwise=True)

    @override
    def present(self, context: FaultContext) -> Check:
        service, cluster = service_of(context), context.cluster
        found = service_defects(context)
        addresses = [
            pod.get("status", {}).get("podIP", "")
            for ref in context.component.workloads
            if (workload := cluster.get(ref)) is not None
            for pod in not_terminating(pods_of(cluster, workload))
        ]
        for entry in _slices(cluster, service):
            labels: dict[str, Any] = entry["metadata"].get("labels") or {}
            if _MANAGER in labels:
                continue  # a controller follows the pods
            strange = [
                address
                for endpoint in entry.get("endpoints") or ()
                for address in endpoint["addresses"]
                if address not in addresses
            ]
            if strange:
                name = entry["metadata"]["name"]
                found.append(
                    f"EndpointSlice {name} leads to {', '.join(strange)}, which no pod has"
                )
        return defect_check("the Service leads to addresses of the component's pods alone", found)


def _instead(context: FaultContext) -> bool:
    wanted: bool | None = context.parameters.instead
    return context.component.kind != "service" if wanted is None else wanted


def _slices(cluster: Cluster, service: ObjectRef) -> list[KubeObject]:
    selector = f"{_SERVICE}={service.name}"
    return list(cluster.list(_API, "EndpointSlice", service.namespace, selector))
