"""Two configurations of a service stand behind its Service: what is left of a canary, and the service itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import Check, FailureMode, ObjectRef, pod_spec
from sregym_injectors.added_object import AddedObjectFault
from sregym_injectors.component_fault import by_service, not_custom, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import container_of
from typing_extensions import override

from sregym_injector_kubernetes.variables import located, mistyped_address, value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component


class RolloutSkew(AddedObjectFault):
    """Leaves the Deployment of a canary behind, which has another address of what the service calls."""

    name: ClassVar[str] = "rollout-skew"
    title: ClassVar[str] = "Two configurations of a service stand behind its Service"
    layer: ClassVar[str] = "kubernetes"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    mechanism: ClassVar[str] = "leftover-canary-deployment"
    phrases: ClassVar[tuple[str, ...]] = (
        "leftover canary",
        "canary Deployment left behind",
        "canary deployment behind the same Service",
        "two versions behind one Service",
        "two configurations behind one Service",
        "two Deployments behind one Service",
        "second Deployment takes part of the requests",
        "half-finished rollout",
        "incomplete rollout",
        "version skew",
        "configuration skew",
        "some pods have another configuration",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("a part of the requests fails", "intermittent errors")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            variable: The variable that differs; empty: the first that says where something is.
            value: What it is there; empty: another port, or the host mistyped.
            replicas: Pods of the canary.
            suffix: Behind the name of the component.
        """

        variable: str = ""
        value: str = ""
        replicas: int = Field(default=1, ge=1)
        suffix: str = Field(default="canary", pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component) or by_service(component):
            return reason
        if component.workload.kind != "Deployment" or component.kind != "service":
            return "it is no service of a Deployment, beside which another could stand"
        return "" if located(component) else "no variable of it says where something is"

    @override
    def added(self, context: FaultContext) -> KubeObject:
        component, given = context.component, context.parameters
        manifest = manifest_of(context.application, component.workload)
        template = manifest["spec"]["template"]
        track = {"track": given.suffix}
        own = {**(template["metadata"].get("labels") or {}), **track}
        name, spec = _variable(context), pod_spec(manifest)
        entry = {"name": name, "value": _value(context)}
        containers = [
            {
                **container,
                "env": [
                    entry if one["name"] == name else one for one in container.get("env") or ()
                ],
            }
            if container["name"] == component.container
            else container
            for container in spec["containers"]
        ]
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": f"{component.workload.name}-{given.suffix}",
                "namespace": component.namespace,
                "labels": {**(manifest["metadata"].get("labels") or {}), **track},
            },
            "spec": {
                "replicas": given.replicas,
                "selector": {"matchLabels": own},
                "template": {
                    "metadata": {"labels": own},
                    "spec": {**spec, "containers": containers},
                },
            },
        }

    @override
    def describe(self, context: FaultContext) -> str:
        return f"has {_variable(context)} {_value(context)}"

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        return clients_of(context)

    @override
    def present(self, context: FaultContext) -> Check:
        expected = "all pods behind the Service have the address of the manifest"
        return defect_check(expected, _others(context))


def _others(context: FaultContext) -> list[str]:
    """Deployments besides the component's own whose pods its Service selects, with the wrong value."""
    component, cluster = context.component, context.cluster
    wanted, found = component.selector, []
    for other in cluster.list("apps/v1", "Deployment", component.namespace):
        labels: dict[str, Any] = other["spec"]["template"]["metadata"].get("labels") or {}
        ref = ObjectRef.of({"apiVersion": "apps/v1", "kind": "Deployment", **other})
        if ref == component.workload or int(other["spec"].get("replicas", 1)) == 0:
            continue
        container = container_of(other, component.container)
        if container is None or any(labels.get(key) != value for key, value in wanted.items()):
            continue
        name = _variable(context)
        value = value_of(cluster, container, component.namespace, name)
        if value == _value(context):
            found.append(f"{ref} stands behind the Service, too, and has {name} {value!r}")
    return found


def _variable(context: FaultContext) -> str:
    return context.parameters.variable or located(context.component)[0]


def _value(context: FaultContext) -> str:
    return context.parameters.value or mistyped_address(context.component.env[_variable(context)])
