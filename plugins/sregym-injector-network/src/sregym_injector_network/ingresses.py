"""An Ingress that sends users elsewhere: to another Service, port, host or path, or to no controller."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict
from sregym_core.errors import WorldError
from sregym_core.model import Change, Check, Component, GroundTruth, ObjectRef
from sregym_injectors.component_fault import ComponentFault, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from typing_extensions import override

from sregym_injectors import commands, scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_PATH = "/v2"
# What is told of each kind of change: word of the ground truth, and other ways to say it.
_TOLD: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "service": (
        "ingress-backend-wrong",
        (
            "Ingress routes to the wrong service",
            "wrong backend in the Ingress",
            "Ingress backend is another service",
            "misrouted Ingress path",
        ),
    ),
    "port": (
        "ingress-port-wrong",
        (
            "Ingress backend has the wrong port",
            "Ingress names a port that the service does not have",
            "wrong service port in the Ingress",
        ),
    ),
    "host": (
        "ingress-host-wrong",
        (
            "wrong host in the Ingress",
            "Ingress host is mistyped",
            "Ingress rule does not match the host",
        ),
    ),
    "path": (
        "ingress-path-wrong",
        (
            "wrong path in the Ingress",
            "Ingress rule does not match the path",
            "Ingress path prefix was changed",
        ),
    ),
    "class": (
        "ingress-class-wrong",
        (
            "wrong ingress class",
            "ingressClassName names no controller",
            "no controller serves the Ingress",
        ),
    ),
}


class IngressFault(ComponentFault):
    """Base of faults in the Ingress by which users come to a component."""

    layer: ClassVar[str] = "network"

    @override
    def mismatch_reason(self, component: Component) -> str:
        return not_load(component) or ("" if component.ingresses else "no Ingress leads to it")


def ingress_of(context: FaultContext) -> ObjectRef:
    """The first Ingress that leads to a component that the fault fits."""
    return context.component.ingresses[0].ref


class IngressWrong(IngressFault):
    """Changes one thing in the rules of an Ingress, or its class."""

    name: ClassVar[str] = "ingress-wrong"
    title: ClassVar[str] = "Ingress does not lead to the component"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            field: What is wrong: `service`, `port`, `host`, `path` or `class`.
            service: With `service`, the component whose Service the rules name instead; empty: the
                first other one in the namespace.
        """

        model_config = ConfigDict(extra="forbid")

        field: Literal["service", "port", "host", "path", "class"] = "service"
        service: str = ""

    @override
    def inject(self, context: FaultContext) -> None:
        patch, _, _ = _change(context)
        Edits(context).patch(ingress_of(context), {"spec": patch}, "merge")

    @override
    def present(self, context: FaultContext) -> Check:
        right = manifest_of(context.application, ingress_of(context))
        namespace = ingress_of(context).namespace
        live = context.cluster.list("networking.k8s.io/v1", "Ingress", namespace)
        there = {entry for obj in live for entry in _routes(obj)}
        missing = [entry for entry in _routes(right) if entry not in there]
        found = [
            f"no Ingress of class {class_ or 'default'} leads {host or 'every host'}{path} to "
            f"{service}:{port}"
            for class_, host, path, service, port in missing
        ]
        return defect_check("an Ingress leads to the component as its manifest says", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        mechanism, phrases = _TOLD[context.parameters.field]
        _, before, after = _change(context)
        change = Change(what=_what(context), before=before, after=after)
        seen = "requests through the Ingress end with an error of the proxy"
        return truth_of(context, ingress_of(context), mechanism, phrases, change, seen)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        right = manifest_of(context.application, ingress_of(context))["spec"]
        patch, _, _ = _change(context)
        return (
            commands.patch(
                ingress_of(context), {"spec": {name: right.get(name) for name in patch}}, "merge"
            ),
        )


def _what(context: FaultContext) -> str:
    field = context.parameters.field
    if field == "class":
        return "spec.ingressClassName"
    if field == "host":
        return "spec.rules[].host"
    inner = {"path": "path", "service": "backend.service.name", "port": "backend.service.port"}
    return f"spec.rules[].http.paths[].{inner[field]}"


def _change(context: FaultContext) -> tuple[dict[str, Any], str, str]:
    """A merge patch of the specification, and what it changes from and to, for people."""
    spec = deepcopy(manifest_of(context.application, ingress_of(context))["spec"])
    field = context.parameters.field
    if field == "class":
        before = spec.get("ingressClassName", "")
        return (
            {"ingressClassName": f"{before or 'nginx'}-internal"},
            before,
            f"{before or 'nginx'}-internal",
        )
    said: list[tuple[str, str]] = []
    for rule in spec["rules"]:
        if field == "host":
            said.append((rule.get("host", ""), _mistyped(rule.get("host", ""))))
            rule["host"] = said[-1][1]
            continue
        for entry in (rule.get("http") or {}).get("paths") or ():
            service = entry["backend"].get("service")
            if service is not None and service["name"] in _own(context.component):
                said.append(_changed(context, entry, service))
    befores, afters = (", ".join(dict.fromkeys(texts)) for texts in zip(*said, strict=True))
    return {"rules": spec["rules"]}, befores, afters


def _changed(context: FaultContext, entry: KubeObject, service: KubeObject) -> tuple[str, str]:
    """Change a path of a rule; what it was and what it is, for people."""
    field = context.parameters.field
    if field == "path":
        before = entry.get("path") or "/"
        entry["path"] = f"{before.rstrip('/')}{_PATH}"
        return before, entry["path"]
    before = f"{service['name']}:{_port(service)}"
    if field == "port":
        taken = {port.port for port in context.component.ports}
        first = min(taken, default=80)
        service["port"] = {
            "number": next(n for n in range(first + 1, first + 100) if n not in taken)
        }
    else:
        other = _other(context)
        assert other.service is not None
        service["name"] = other.service.name
        service["port"] = {"number": other.ports[0].port}
    return before, f"{service['name']}:{_port(service)}"


def _own(component: Component) -> set[str]:
    return {use.ref.name for use in component.services}


def _port(service: KubeObject) -> str:
    port = service.get("port") or {}
    return str(port.get("name") or port.get("number"))


def _mistyped(host: str) -> str:
    """A host as another service of the same company would have it."""
    first, dot, rest = host.partition(".")
    return f"{first or 'www'}-new{dot}{rest}"


def _other(context: FaultContext) -> Component:
    """The component whose Service the rules name instead; the same for the same application and parameters."""
    own, wanted = context.component, context.parameters.service
    others = [
        part
        for part in context.application.components()
        if part.name != own.name
        and part.namespace == own.namespace
        and part.kind != scope.LOAD
        and part.service is not None
        and part.ports
        and wanted in ("", part.name)
    ]
    others.sort(key=lambda part: (part.kind != own.kind, part.name))
    if not others:
        raise WorldError(
            f"the Ingress of {own.name!r} cannot lead to {wanted or 'another component'}: namespace "
            f"{own.namespace!r} has no such component with a Service; choose another target or "
            "parameter 'service'"
        )
    return others[0]


def _routes(ingress: KubeObject) -> Iterator[tuple[str, str, str, str, str]]:
    """(class, host, path, Service, port) of each rule."""
    spec = ingress["spec"]
    for rule in spec.get("rules") or ():
        for entry in (rule.get("http") or {}).get("paths") or ():
            service = entry["backend"].get("service")
            if service is not None:
                class_, host = spec.get("ingressClassName", ""), rule.get("host", "")
                yield class_, host, entry.get("path") or "/", service["name"], _port(service)
