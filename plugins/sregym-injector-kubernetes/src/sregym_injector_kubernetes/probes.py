"""Faults in probes: a handler that no healthy process answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field
from sregym_core.model import ContainerKind
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_container,
)
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("httpGet", "tcpSocket", "exec", "grpc")
# Kinds of components that open files and recover before they listen.
_SLOW = ("datastore", "queue")
# A port that programs seldom have; where one does, the next is taken.
_USUAL = 8080


class ProbeParameters(TemplateParameters):
    """Parameters.

    Attributes:
        by: Kind of the handler: an HTTP request, a connection, or a command.
        path: For `http`.
        port: 0: one at which the container does not listen.
        command: For `exec`.
        delay_s: Seconds after the start of the container.
        period_s: Seconds between two looks.
        failures: After so many in a row it counts.
    """

    by: Literal["http", "tcp", "exec"] = "http"
    path: str = "/healthz"
    port: int = Field(default=0, ge=0, le=65535)
    command: tuple[str, ...] = ("/bin/health-check",)
    delay_s: int = Field(default=5, ge=0)
    period_s: int = Field(default=5, ge=1)
    failures: int = Field(default=1, ge=1)


class _ProbeWrong(PodTemplateFault):
    """Base: another handler in one of the container's probes."""

    probe: ClassVar[str]

    class Parameters(ProbeParameters):
        """As for all probes."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        init = component.own_container.kind is not ContainerKind.CONTAINER
        return "an init container has no such probe" if init else ""

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        wrong = self._wrong(context)
        before = right_container(context).get(self.probe) or {}
        gone = {name: None for name in _HANDLERS if name in before and name not in wrong}
        return TemplateChange(
            f"containers[name={context.component.container}].{self.probe}",
            _told(wrong),
            _told(before),
            container={self.probe: {**wrong, **gone}},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        right, found = right_container(context), live.container.get(self.probe) or {}
        gone = [
            f"has no {probe}"
            for probe in _PROBES
            if probe in right and not live.container.get(probe)
        ]
        wrong = found and _handler(found) == _handler(self._wrong(context))
        return [*gone, f"has the {self.probe} {_told(found)}"] if wrong else gone

    def _wrong(self, context: FaultContext) -> dict[str, Any]:
        given = context.parameters
        port = given.port or _closed_port(context.component)
        handler: dict[str, Any] = {
            "http": {"httpGet": {"path": given.path, "port": port, "scheme": "HTTP"}},
            "tcp": {"tcpSocket": {"port": port}},
            "exec": {"exec": {"command": list(given.command)}},
        }[given.by]
        return {
            **handler,
            "initialDelaySeconds": given.delay_s,
            "periodSeconds": given.period_s,
            "failureThreshold": given.failures,
        }


class LivenessProbeWrong(_ProbeWrong):
    """Gives the container a liveness probe that healthy processes fail."""

    name: ClassVar[str] = "liveness-probe-wrong"
    title: ClassVar[str] = "Liveness probe that a healthy process fails"
    probe: ClassVar[str] = "livenessProbe"
    mechanism: ClassVar[str] = "liveness-probe-misconfigured"
    phrases: ClassVar[tuple[str, ...]] = (
        "liveness probe misconfigured",
        "wrong liveness probe",
        "liveness probe fails",
        "liveness probe checks the wrong port",
        "liveness probe checks an endpoint that does not exist",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("restarts", "CrashLoopBackOff")
    expected: ClassVar[str] = "a liveness probe that the process can pass"


class ReadinessProbeWrong(_ProbeWrong):
    """Gives the container a readiness probe that healthy processes fail."""

    name: ClassVar[str] = "readiness-probe-wrong"
    title: ClassVar[str] = "Readiness probe that a healthy process fails"
    probe: ClassVar[str] = "readinessProbe"
    mechanism: ClassVar[str] = "readiness-probe-misconfigured"
    phrases: ClassVar[tuple[str, ...]] = (
        "readiness probe misconfigured",
        "wrong readiness probe",
        "readiness probe fails",
        "readiness probe checks the wrong port",
        "readiness probe checks an endpoint that does not exist",
        "never becomes ready",
        "Readiness probe failed",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods are not ready", "no ready endpoints")
    expected: ClassVar[str] = "a readiness probe that the process can pass"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        if not component.service:
            return "no Service leads to it, so nobody asks if it is ready"
        found = "its callers find its addresses in a registry, which does not ask if it is ready"
        return found if component.registered else ""


class ProbeImpatient(PodTemplateFault):
    """Gives the container a liveness probe of the right port that does not wait for its start."""

    name: ClassVar[str] = "probe-impatient"
    title: ClassVar[str] = "Liveness probe that kills slow starters"
    mechanism: ClassVar[str] = "liveness-probe-too-aggressive"
    phrases: ClassVar[tuple[str, ...]] = (
        "liveness probe too aggressive",
        "liveness probe misconfigured",
        "liveness probe is too strict",
        "liveness probe is too impatient",
        "liveness probe without initial delay",
        "liveness probe kills the container before it has started",
        "wrong liveness probe timing",
        "liveness probe timing is too tight",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("restarts", "CrashLoopBackOff")
    expected: ClassVar[str] = "a liveness probe that waits until the process has started"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            port: 0: the one of the Service, else the first of the container.
            delay_s: Seconds after the start of the container.
            period_s: Seconds between two looks.
            failures: After so many in a row it counts.
        """

        port: int = Field(default=0, ge=0, le=65535)
        delay_s: int = Field(default=0, ge=0)
        period_s: int = Field(default=1, ge=1)
        failures: int = Field(default=1, ge=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        if component.own_container.kind is not ContainerKind.CONTAINER:
            return "an init container has no such probe"
        if component.kind not in _SLOW:
            return f"a {component.kind} listens soon: no probe is too early for it"
        return "" if open_ports(component) else "it has no port that a probe could look at"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        before = right_container(context).get("livenessProbe") or {}
        gone = {name: None for name in _HANDLERS if name in before and name != "tcpSocket"}
        probe = {
            **gone,
            "tcpSocket": {"port": given.port or open_ports(context.component)[0]},
            "initialDelaySeconds": given.delay_s,
            "periodSeconds": given.period_s,
            "timeoutSeconds": 1,
            "failureThreshold": given.failures,
        }
        return TemplateChange(
            f"containers[name={context.component.container}].livenessProbe",
            _timing(probe),
            _timing(before),
            container={"livenessProbe": probe},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        given, right = context.parameters, right_container(context)
        lost = [
            f"has no {name}" for name in _PROBES if name in right and not live.container.get(name)
        ]
        probe = live.container.get("livenessProbe") or {}
        # A startup probe holds the others back until the process has started.
        if not probe or live.container.get("startupProbe"):
            return lost
        impatient = _grace_s(probe) <= given.delay_s + given.period_s * given.failures
        return [*lost, f"has a livenessProbe with {_timing(probe)}"] if impatient else lost


def open_ports(component: Component) -> tuple[int, ...]:
    """TCP ports on which a component's container listens, that of its Service first."""
    own = component.own_container.ports
    served = [port.container_port for port in component.ports if port.protocol == "TCP"]
    first = [port for port in served if port in own or not own]
    return tuple(dict.fromkeys([*first, *own]))


def _grace_s(probe: dict[str, Any]) -> int:
    """Seconds after which a process that does not answer is killed."""
    period, failures = probe.get("periodSeconds", 10), probe.get("failureThreshold", 3)
    return int(probe.get("initialDelaySeconds", 0)) + int(period) * int(failures)


def _timing(probe: dict[str, Any]) -> str:
    if not probe:
        return ""
    period, failures = probe.get("periodSeconds", 10), probe.get("failureThreshold", 3)
    return (
        f"initialDelaySeconds {probe.get('initialDelaySeconds', 0)}, periodSeconds {period}, "
        f"failureThreshold {failures}"
    )


def _closed_port(component: Component) -> int:
    taken = set(component.own_container.ports) | {port.container_port for port in component.ports}
    return next(port for port in range(_USUAL, 65536) if port not in taken)


def _handler(probe: dict[str, Any]) -> dict[str, Any]:
    return {name: probe[name] for name in _HANDLERS if probe.get(name)}


def _told(probe: dict[str, Any]) -> str:
    if "httpGet" in probe:
        return f"HTTP GET {probe['httpGet'].get('path', '/')} port {probe['httpGet']['port']}"
    if "tcpSocket" in probe:
        return f"connection to port {probe['tcpSocket']['port']}"
    if "exec" in probe:
        return f"command {' '.join(probe['exec']['command'])}"
    return f"gRPC port {probe['grpc']['port']}" if "grpc" in probe else ""
