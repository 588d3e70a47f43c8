"""Generated configuration that has grown beyond what a process can be started with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode, ObjectRef
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_container,
)
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

# Of one variable with its name, in bytes: the kernel refuses to start a program with more.
_LONGEST = 131_071
_KIB = 1024
_KEY = "FEATURE_RULES"
_ENTRY = "segment-{number:05d}:weight=0.5;"


class ConfigOversized(PodTemplateFault):
    """Lets a container have variables of a generated ConfigMap of which one is too long for any program."""

    name: ClassVar[str] = "config-oversized"
    title: ClassVar[str] = "Generated configuration is larger than a process can take"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    mechanism: ClassVar[str] = "config-oversized"
    phrases: ClassVar[tuple[str, ...]] = (
        "oversized configuration",
        "configuration is too large",
        "ConfigMap is too large for an environment variable",
        "environment variable too long",
        "argument list too long",
        "E2BIG",
        "generated file exceeds a limit",
        "generated configuration grew beyond a limit",
        "feature file too large",
        "environment is too large",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("CrashLoopBackOff", "argument list too long")
    expected: ClassVar[str] = "variables that a program can be started with"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            kib: Size of what is generated.
            config: Name of the ConfigMap; empty: that of the component and `-rules`.
        """

        kib: int = Field(default=192, ge=129, le=900)
        config: str = Field(default="", pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$")

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, added = context.component, _generated(context)
        name = added["metadata"]["name"]
        present: list[dict[str, Any]] = list(right_container(context).get("envFrom") or ())
        kib = context.parameters.kib
        return TemplateChange(
            f"containers[name={component.container}].envFrom",
            f"ConfigMap {name}, whose {_KEY} has {kib} KiB",
            container={"envFrom": [*present, {"configMapRef": {"name": name}}]},
            objects=(added,),
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = []
        for source in live.container.get("envFrom") or ():
            name = (source.get("configMapRef") or {}).get("name", "")
            obj = live.cluster.get(_ref(context, name)) if name else None
            found += [
                f"has variable {key} of {len(value)} bytes from ConfigMap {name}"
                for key, value in ((obj or {}).get("data") or {}).items()
                if len(f"{key}={value}".encode()) > _LONGEST
            ]
        return found

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"{_KEY} is too large", f"ConfigMap {_name(context)} is too large")

    @override
    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        return (commands.delete(_ref(context, _name(context))),)


def _name(context: FaultContext) -> str:
    return str(context.parameters.config or f"{context.component.name}-rules")


def _ref(context: FaultContext, name: str) -> ObjectRef:
    namespace = context.component.namespace
    return ObjectRef(api_version="v1", kind="ConfigMap", namespace=namespace, name=name)


def _generated(context: FaultContext) -> KubeObject:
    ref, size = _ref(context, _name(context)), context.parameters.kib * _KIB
    each = len(_ENTRY.format(number=0))
    text = "".join(_ENTRY.format(number=number) for number in range(size // each + 1))[:size]
    metadata = {"name": ref.name, "namespace": ref.namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {_KEY: text}}
