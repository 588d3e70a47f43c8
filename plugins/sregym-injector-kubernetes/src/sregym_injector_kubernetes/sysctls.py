"""A kernel parameter that a pod sets for itself, too small for what its processes do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import ComponentPart, FailureMode
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange, right_pod
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_RANGE = "net.ipv4.ip_local_port_range"


class PodSysctl(PodTemplateFault):
    """Leaves a pod too few local ports for the connections that its processes open."""

    name: ClassVar[str] = "pod-sysctl"
    title: ClassVar[str] = "Pod has too few local ports"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    mechanism: ClassVar[str] = "local-port-range-too-small"
    phrases: ClassVar[tuple[str, ...]] = (
        "local port range too small",
        "ephemeral port range is too small",
        "too few ephemeral ports",
        "ip_local_port_range is too narrow",
        "local ports are exhausted",
        "pod sysctl limits the local ports",
        "ephemeral port exhaustion",
        "cannot assign requested address",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connect: cannot assign requested address",)
    expected: ClassVar[str] = "enough local ports for the pod's connections"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            first: First port of the range.
            ports: How many there are.
        """

        first: int = Field(default=32000, ge=1024, le=65535)
        ports: int = Field(default=1, ge=1, le=1000)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if component.calls else "it calls nobody"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        value = f"{given.first} {given.first + given.ports - 1}"
        right = right_pod(context).get("securityContext") or {}
        kept = [one for one in right.get("sysctls") or () if one["name"] != _RANGE]
        sysctls = [*kept, {"name": _RANGE, "value": value}]
        return TemplateChange(
            f"securityContext.sysctls[name={_RANGE}]",
            value,
            pod={"securityContext": {**right, "sysctls": sysctls}},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        most = context.parameters.ports
        return [
            f"has the local ports {value} alone"
            for value in _ranges(live.spec)
            if _width(value) <= most
        ]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"sysctl {_RANGE}",)


def _ranges(pod: dict[str, Any]) -> list[str]:
    entries = (pod.get("securityContext") or {}).get("sysctls") or ()
    return [str(one["value"]) for one in entries if one["name"] == _RANGE]


def _width(value: str) -> int:
    low, high = (int(word) for word in value.split())
    return high - low + 1
