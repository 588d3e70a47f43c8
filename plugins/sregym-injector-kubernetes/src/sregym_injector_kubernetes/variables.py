"""Faults in environment variables that name where something is."""

from __future__ import annotations

import re
from abc import abstractmethod
from base64 import b64decode
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.model import ObjectRef
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_pod,
)
from typing_extensions import override

from sregym_injector_kubernetes.image_reference import mistyped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Cluster, FaultContext
    from sregym_core.model import Component

# What a program finds others by.
_ADDRESS = re.compile(
    r"://|[a-z0-9-]:\d{2,5}\b|\.svc\b|^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$"
)
_NAMED = re.compile(r"(ADDR(ESS)?|HOST(NAME)?|URL|URI|DSN|ENDPOINT|PORT)S?$", re.IGNORECASE)
_PORT = re.compile(r":(\d{2,5})\b")
_HOST = re.compile(r"(?:.*@|.*://|\.)?([a-z][a-z0-9-]+)")


class VariableParameters(TemplateParameters):
    """Parameters.

    Attributes:
        variable: Name of the variable; empty: the first that says where something is.
    """

    variable: str = ""


class _VariableFault(PodTemplateFault):
    """Base: another environment for the container.

    Attributes:
        spared: What the programs do that it does nothing to, as the end of a sentence.
    """

    spared: ClassVar[str] = "reads none of the variables that say where something is"

    class Parameters(VariableParameters):
        """As for all."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        if not located(component):
            return "no variable of it says where something is"
        if not self.usable(component):
            return f"its program {self.spared}"
        return ""

    def usable(self, component: Component) -> list[str]:
        """Variables with which the fault does something, in their order."""
        read = component.defaults
        return [
            name
            for name in located(component)
            if read is None or self.matters(component, name, read)
        ]

    def matters(self, component: Component, name: str, read: Mapping[str, str | None]) -> bool:
        """Whether a variable is one that the program reads."""
        return name in read

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, name = context.component, self.variable(context)
        what = f"containers[name={component.container}].env[name={name}]"
        return TemplateChange(
            what, self.after(context), component.env[name], pod=self._pod(context), whole=True
        )

    def variable(self, context: FaultContext) -> str:
        """Name of the variable."""
        component = context.component
        name = context.parameters.variable or next(iter(self.usable(component)), "")
        if name not in component.env:
            known = ", ".join(component.env) or "none"
            msg = f"component {component.name!r} has no variable {name!r}; it has: {known}"
            raise UsageError(msg)
        return str(name)

    def after(self, context: FaultContext) -> str:
        """Its value with the fault."""
        return ""

    @abstractmethod
    def entries(self, context: FaultContext, right: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The container's list of variables with the fault."""

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        name = self.variable(context)
        found = value_of(live.cluster, live.container, context.component.namespace, name)
        if found is None and not self.after(context):
            return [f"has no variable {name}"]
        wrong = found == self.after(context) or (found is None and bool(self.after(context)))
        return [f"has the variable {name} with {found!r}"] if wrong else []

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"environment variable {self.variable(context)}",)

    def _pod(self, context: FaultContext) -> dict[str, Any]:
        """The lists of containers of the manifest, with other variables in the component's own."""
        own, changed = context.component.container, {}
        for kind in ("initContainers", "containers"):
            given = right_pod(context).get(kind) or []
            if any(entry["name"] == own for entry in given):
                changed[kind] = [
                    {**entry, "env": self.entries(context, list(entry.get("env") or ()))}
                    if entry["name"] == own
                    else entry
                    for entry in given
                ]
        return changed


class EnvMissing(_VariableFault):
    """Takes a variable away."""

    name: ClassVar[str] = "env-missing"
    title: ClassVar[str] = "Environment variable is missing"
    mechanism: ClassVar[str] = "environment-variable-missing"
    phrases: ClassVar[tuple[str, ...]] = (
        "missing environment variable",
        "environment variable is not set",
        "environment variable was removed",
        "env var missing",
        "lacks an environment variable",
        "required environment variable is gone",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("container does not start", "connection errors")
    expected: ClassVar[str] = "the variable of the manifest"
    spared: ClassVar[str] = "takes the same of itself for all that its variables say of places"

    @override
    def matters(self, component: Component, name: str, read: Mapping[str, str | None]) -> bool:
        """Whether the program reads it, and would find something else without it."""
        value = component.env.get(name, "")
        if not read.get(name) and value in search_domains(component.namespace):
            return False  # names that lack it are completed with it
        return name in read and read[name] != value

    @override
    def entries(self, context: FaultContext, right: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [entry for entry in right if entry["name"] != self.variable(context)]


class _WrongParameters(VariableParameters):
    """Parameters.

    Attributes:
        variable: Name of the variable; empty: the first that says where something is.
        value: The wrong one; empty: another port, or the host mistyped.
    """

    value: str = ""


class EnvWrong(_VariableFault):
    """Changes host or port in a variable."""

    name: ClassVar[str] = "env-wrong"
    title: ClassVar[str] = "Environment variable has a wrong address"
    mechanism: ClassVar[str] = "environment-variable-wrong"
    phrases: ClassVar[tuple[str, ...]] = (
        "wrong environment variable",
        "environment variable has a wrong value",
        "incorrect environment variable",
        "environment variable is misconfigured",
        "env var points to the wrong port",
        "env var points to the wrong host",
        "environment variable with a typo",
        "wrong address in an environment variable",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connection refused", "host not found")
    expected: ClassVar[str] = "the variable of the manifest"

    class Parameters(_WrongParameters):
        """As above."""

    @override
    def after(self, context: FaultContext) -> str:
        right = context.component.env[self.variable(context)]
        return str(context.parameters.value) or mistyped_address(right)

    @override
    def entries(self, context: FaultContext, right: list[dict[str, Any]]) -> list[dict[str, Any]]:
        wrong = {"name": self.variable(context), "value": self.after(context)}
        return [wrong if entry["name"] == wrong["name"] else entry for entry in right]


class EnvShadowed(EnvWrong):
    """Lists a variable a second time, with another value: the last one counts."""

    name: ClassVar[str] = "env-shadowed"
    title: ClassVar[str] = "Environment variable is shadowed by a second entry"
    mechanism: ClassVar[str] = "environment-variable-shadowed"
    phrases: ClassVar[tuple[str, ...]] = (
        "environment variable shadowed",
        "duplicate environment variable",
        "environment variable defined twice",
        "environment variable is overridden",
        "second entry overrides the environment variable",
        "later env entry overrides the first",
        "environment variable has a wrong value",
    )

    @override
    def entries(self, context: FaultContext, right: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*right, {"name": self.variable(context), "value": self.after(context)}]


def search_domains(namespace: str) -> tuple[str, ...]:
    """What is appended to names of Services, and by the resolver of each pod to names without it."""
    return tuple(f".{namespace}{rest}" for rest in ("", ".svc", ".svc.cluster.local"))


def located(component: Component) -> tuple[str, ...]:
    """Names of a component's variables that say where something is."""
    return tuple(
        name
        for name, value in component.env.items()
        if value and (_ADDRESS.search(value) or _NAMED.search(name))
    )


def mistyped_address(address: str) -> str:
    """A plausible wrong address: with another port, else with the host mistyped."""
    if port := _PORT.search(address):
        moved = int(port[1]) + (2 if int(port[1]) < 65000 else -2)
        return f"{address[: port.start(1)]}{moved}{address[port.end(1) :]}"
    if address.isdigit():
        return str(int(address) + 2)
    if host := _HOST.match(address):
        return f"{address[: host.start(1)]}{mistyped(host[1])}{address[host.end(1) :]}"
    return mistyped(address)


def value_of(cluster: Cluster, container: dict[str, Any], namespace: str, name: str) -> str | None:
    """The value that a container's process gets for a variable; None when it has none."""
    entries = [entry for entry in container.get("env") or () if entry["name"] == name]
    if entries and "valueFrom" not in entries[-1]:
        return str(entries[-1].get("value", ""))
    if entries:
        given = entries[-1]["valueFrom"]
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            if field in given:
                return _looked_up(
                    cluster, kind, namespace, given[field]["name"], given[field]["key"]
                )
        return None
    value = None
    for source in container.get("envFrom") or ():
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            key = name.removeprefix(source.get("prefix", ""))
            if field in source:
                found = _looked_up(cluster, kind, namespace, source[field]["name"], key)
                value = found if found is not None else value
    return value


def _looked_up(cluster: Cluster, kind: str, namespace: str, name: str, key: str) -> str | None:
    obj = cluster.get(ObjectRef(api_version="v1", kind=kind, namespace=namespace, name=name))
    data = (obj or {}).get("data") or {}
    if key not in data:
        return None
    return b64decode(data[key]).decode() if kind == "Secret" else str(data[key])
