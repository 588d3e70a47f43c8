"""A container's memory limit is lower than what its process needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, field_validator
from sregym_core.model import (
    Change,
    Check,
    Component,
    ComponentPart,
    ContainerKind,
    GroundTruth,
)
from sregym_injectors.component_fault import not_custom, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import main_container
from sregym_injectors.quantities import memory_bytes
from sregym_injectors.restarts import TemplateParameters, clients_of
from sregym_injectors.rollouts import chosen_rollout
from sregym_injectors.templates import (
    TemplateFault,
    change_container,
    container_patch,
    repair_commands,
)
from sregym_injectors.workloads import examined_container, restart_rollout
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext

MIB = 2**20
DEFAULT_NEED_MIB = 64


class ResourceLimit(TemplateFault):
    """Lowers the memory limit (and request) of a container and restarts the pods."""

    name: ClassVar[str] = "resource-limit"
    title: ClassVar[str] = "Memory limit too small for the process"
    layer: ClassVar[str] = "kubernetes"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.CONTAINER,)

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            memory: New limit, a quantity.
            needed_mib: Least limit that counts as repaired; None: the request of the manifest
                (what its authors say the process needs), else its limit, else 64.
        """

        memory: str = "10Mi"
        needed_mib: int | None = Field(default=None, ge=1)

        @field_validator("memory")
        @classmethod
        def _is_quantity(cls, value: str) -> str:
            memory_bytes(value)
            return value

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component):
            return reason
        init = component.own_container.kind is ContainerKind.INIT
        return "an init container ends before anything needs its memory" if init else ""

    @override
    def inject(self, context: FaultContext) -> None:
        edits, component = Edits(context), context.component
        memory = context.parameters.memory
        request = _memory(context, "requests")
        resources: dict[str, Any] = {"limits": {"memory": memory}}
        if request and memory_bytes(request) > memory_bytes(memory):
            # The API refuses a request above the limit.
            resources["requests"] = {"memory": memory}
        change_container(edits, component, {"resources": resources}, chosen_rollout(context))
        restart_rollout(edits, clients_of(context))

    @override
    def present(self, context: FaultContext) -> Check:
        needed = _needed_bytes(context)
        expected = f"a memory limit of at least {needed // MIB}Mi, or none"
        return defect_check(expected, _defects(context, needed))

    @override
    def broken_template(self, context: FaultContext) -> GroundTruth:
        component, after = context.component, context.parameters.memory
        return truth_of(
            context,
            component.workload,
            "memory-limit-too-low",
            (
                "memory limit too low",
                "memory limit too small",
                "insufficient memory limit",
                "memory limit is insufficient",
                "memory limit below what the process needs",
                "exceeds its memory limit",
                "not enough memory",
                "undersized memory limit",
                "resource limit too small",
                "misconfigured memory limit",
                "memory limit was lowered",
                f"memory limit of {after}",
                f"limit {after}",
                "exit code 137",
            ),
            Change(
                what=f"containers[name={component.container}].resources.limits.memory",
                before=_memory(context, "limits"),
                after=after,
            ),
            "crash loop",
            "CrashLoopBackOff",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        resources = {
            "limits": {"memory": _memory(context, "limits") or None},
            "requests": {"memory": _memory(context, "requests") or None},
        }
        component = context.component
        patch = container_patch(component, {"resources": resources})
        repair = commands.patch(component.workload, patch, "strategic")
        return (
            *repair_commands(context.application, component, repair, chosen_rollout(context)),
            *commands.restart_and_wait(clients_of(context)),
        )


def _memory(context: FaultContext, side: str) -> str:
    """`limits` or `requests` of memory in the manifest, empty when there is none."""
    resources = main_container(context).get("resources") or {}
    return str((resources.get(side) or {}).get("memory", ""))


def _needed_bytes(context: FaultContext) -> int:
    if context.parameters.needed_mib is not None:
        return int(context.parameters.needed_mib) * MIB
    declared = _memory(context, "requests") or _memory(context, "limits")
    return memory_bytes(declared) if declared else DEFAULT_NEED_MIB * MIB


def _defects(context: FaultContext, needed: int) -> list[str]:
    component, ref = context.component, context.component.workload
    container, defects = examined_container(context.cluster, ref, component.container)
    limit = _live_limit(container)
    if limit and memory_bytes(limit) < needed:
        return [f"{ref} has a memory limit of {limit}"]
    return defects


def _live_limit(container: dict[str, Any]) -> str:
    limits = (container.get("resources") or {}).get("limits") or {}
    return str(limits.get("memory", ""))
