"""Pods that wait for something that never comes, with nothing wrong in the component's container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_pod,
)
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component, ComponentPart


class ReadinessGate(PodTemplateFault):
    """Adds a readiness gate whose condition nobody sets."""

    name: ClassVar[str] = "readiness-gate"
    title: ClassVar[str] = "Readiness gate whose condition nobody sets"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "readiness-gate-unmet"
    phrases: ClassVar[tuple[str, ...]] = (
        "readiness gate is never met",
        "readiness gate whose condition nobody sets",
        "readinessGates condition is missing",
        "pod waits for a readiness gate",
        "external readiness gate stuck",
        "ReadinessGatesNotReady",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods are not ready", "no ready endpoints")
    expected: ClassVar[str] = "no readiness gate but those of the manifest"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            condition: Type of the condition.
        """

        condition: str = Field(default="example.com/load-balancer-attached", min_length=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        if not component.service:
            return "no Service leads to it, so nobody asks if it is ready"
        found = "its callers find its addresses in a registry, which does not ask if it is ready"
        return found if component.registered else ""

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        condition = context.parameters.condition
        gates = [*_gates(right_pod(context)), condition]
        pod = {"readinessGates": [{"conditionType": gate} for gate in gates]}
        return TemplateChange("readinessGates", condition, pod=pod)

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        right = _gates(right_pod(context))
        return [f"has the readiness gate {gate}" for gate in _gates(live.spec) if gate not in right]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"condition {context.parameters.condition}",)


class SidecarStuck(PodTemplateFault):
    """Adds a native sidecar that never gets started: what comes after it does not begin."""

    name: ClassVar[str] = "sidecar-stuck"
    title: ClassVar[str] = "Native sidecar never starts"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "sidecar-startup-probe-wrong"
    phrases: ClassVar[tuple[str, ...]] = (
        "wrong startup probe of a sidecar",
        "sidecar startup probe is wrong",
        "startup probe of the sidecar is misconfigured",
        "misconfigured startup probe",
        "startup probe looks at a wrong port",
        "failing startup probe of a sidecar",
        "native sidecar never starts",
        "sidecar blocks the start of the pod",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods stay in Init:0/1", "pods do not start")
    expected: ClassVar[str] = "sidecars that start"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            container: Name of the sidecar.
            image: Its image, which has `sleep`.
            port: Port of its startup probe, at which no process listens.
        """

        container: str = "config-agent"
        image: str = "busybox:1.36"
        port: int = Field(default=15020, ge=1, le=65535)

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        entry = {
            "name": given.container,
            "image": given.image,
            "imagePullPolicy": "IfNotPresent",
            "restartPolicy": "Always",
            "command": ["sleep", "infinity"],
            "startupProbe": {
                "tcpSocket": {"port": given.port},
                "periodSeconds": 5,
                "failureThreshold": 60,
            },
        }
        after = f"{given.container}, whose startupProbe looks at port {given.port}"
        return TemplateChange("initContainers", after, pod={"initContainers": [entry]})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        port = context.parameters.port
        return [
            f"has a sidecar {entry['name']} whose startupProbe looks at port {port}"
            for entry in live.spec.get("initContainers") or ()
            if ((entry.get("startupProbe") or {}).get("tcpSocket") or {}).get("port") == port
        ]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"sidecar {context.parameters.container}",)


def _gates(spec: dict[str, Any]) -> list[str]:
    return [str(gate["conditionType"]) for gate in spec.get("readinessGates") or ()]
