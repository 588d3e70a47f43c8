"""Faults that are settings of nodes, one row of a table each, and the one fault behind all rows.

A setting is written as `sregym_core.model.parse_setting` reads it, with `{node}` for the one
that is chosen, `{cores}` for its processors and `{memory}` for the bytes of its memory. Commands of a repair run on its host as root.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import (
    Capability,
    Change,
    Check,
    FailureMode,
    GroundTruth,
    Node,
    ObjectRef,
    TargetKind,
)
from sregym_kubernetes.node_settings import parse_setting
from typing_extensions import override

from sregym_injectors.defects import defect_check
from sregym_injectors.node_fitting import runs_no_store, runs_nothing_that_matters
from sregym_injectors.nodes import (
    NodeEdits,
    current,
    from_another_node,
    on_another_node,
    on_host,
    repairs,
    truth_on_node,
)
from sregym_injectors.pressure import after_pressure, restart_store
from sregym_injectors.quantities import memory_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.model import NodeSetting


@dataclass(frozen=True)
class Row:
    """One fault.

    Attributes:
        name: The word for it.
        title: One line for people.
        layer: As in `Fault.layer`.
        setting: What is set.
        actor: Who or what does that on real machines.
        mechanism: `mechanism` of the ground truth.
        phrases: Synonyms of the mechanism in diagnoses.
        symptom: What users and engineers see of it.
        what: Thing that is changed.
        before: How it was.
        after: How it is then.
        runs: Kind of component that the chosen machine must run; empty for any.
        changed: Whether only those users feel it who change what a datastore keeps.
        repair: Commands on the host, with `{node}` for the name of the node.
        pressure: Condition that the kubelet reports until minutes after the repair, or `Ready`; who
            serves is restarted then, since others may have come up without what they had in
            memory. Empty where no pod is evicted.
        of_component: Whether the setting is about the pods of the component on whose account the node
            was chosen, by `namespace` and `labels`, rather than about all processes of the node.
        needs: What the cluster must be able to do besides the setting's own capability.
        enter: `here` by a pod on the node itself; `ssh` from another node, where no pod comes up here;
            `beside` for commands that are meant for another node.
        modes: As in `Fault.modes`.
        restarts: Whether datastores may have ended for want of it; the fix restarts them.
        also: What is set besides, when one part that breaks takes several things with it.
        variant_of: As in `Fault.variant_of`.
    """

    name: str
    title: str
    layer: Literal["os", "hardware", "network"]
    setting: Mapping[str, Any]
    actor: str
    mechanism: str
    phrases: tuple[str, ...]
    symptom: str
    what: str
    before: str
    after: str
    repair: tuple[tuple[str, ...], ...]
    runs: Literal["", "datastore"] = ""
    changed: bool = False
    pressure: Literal["", "DiskPressure", "MemoryPressure", "Ready"] = ""
    of_component: bool = False
    needs: tuple[Capability, ...] = ()
    enter: Literal["here", "ssh", "beside"] = "here"
    modes: tuple[FailureMode, ...] = ()
    restarts: bool = False
    also: tuple[Mapping[str, Any], ...] = ()
    variant_of: str = ""

    @property
    def settings(self) -> tuple[Mapping[str, Any], ...]:
        """All that is set."""
        return (self.setting, *self.also)


class NoParameters(BaseModel):
    """All fields come from the row."""

    model_config = ConfigDict(extra="forbid")


class NodeSettingFault(Fault):
    """A fault that a row defines completely; subclasses are made of rows."""

    row: ClassVar[Row]
    Parameters: ClassVar[type[BaseModel]] = NoParameters

    @override
    def fits(self, target: Node) -> bool:
        return not self.mismatch_reason(target)

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        if self.row.runs:
            return runs_no_store(target, changed=self.row.changed)
        return runs_nothing_that_matters(target)

    @override
    def settings_on(self, node: str) -> tuple[NodeSetting, ...]:
        return tuple(
            parse_setting(_filled(setting, node, "1", str(2**26))) for setting in self.row.settings
        )

    def wanted(self, context: FaultContext) -> tuple[NodeSetting, ...]:
        """What is set."""
        return tuple(_wanted(self.row, setting, context) for setting in self.row.settings)

    @override
    def inject(self, context: FaultContext) -> None:
        edits = NodeEdits(context)
        for setting in self.wanted(context):
            edits.apply(setting)

    @override
    def present(self, context: FaultContext) -> Check:
        broken = any(not current(context, one).is_neutral for one in self.wanted(context))
        found = f"{self.row.what} of node {context.node.name}: {self.row.after}"
        return defect_check(f"{self.row.what}: {self.row.before}", [found] if broken else [])

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        row = self.row
        change = Change(what=row.what, before=row.before, after=row.after)
        return truth_on_node(context, row.mechanism, row.phrases, change, row.symptom)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        enter = _WAYS_IN[self.row.enter]
        name = context.node.name
        usual = [[word.replace("{node}", name) for word in argv] for argv in self.row.repair]
        repair = tuple(
            enter(context, argv) for argv in repairs(context, self.wanted(context), usual)
        )
        if self.row.restarts:
            repair = (*repair, *restart_store(context))
        return (
            (*repair, *after_pressure(context, self.row.pressure)) if self.row.pressure else repair
        )


_WAYS_IN: Mapping[str, Callable[[FaultContext, Sequence[str]], Command]] = MappingProxyType(
    {"here": on_host, "ssh": from_another_node, "beside": on_another_node}
)


def _wanted(row: Row, template: Mapping[str, Any], context: FaultContext) -> NodeSetting:
    node, component = context.node.name, context.node.component
    obj = context.cluster.get(ObjectRef(api_version="v1", kind="Node", name=node)) or {}
    capacity = (obj.get("status") or {}).get("capacity", {})
    size = (capacity.get("cpu", "1"), str(memory_bytes(capacity.get("memory", "1Gi"))))
    setting = parse_setting(_filled(template, node, *size))
    if not row.of_component or component is None:
        return setting
    whose = {"namespace": component.namespace, "labels": component.pod_labels}
    return setting.model_copy(update=whose)


def _filled(template: Any, node: str, cores: str, memory: str) -> Any:
    if isinstance(template, str):
        return template.format(node=node, cores=cores, memory=memory)
    if isinstance(template, dict):
        return {key: _filled(value, node, cores, memory) for key, value in template.items()}
    return template


def _capability(template: Mapping[str, Any]) -> Capability:
    return parse_setting(_filled(template, "any", "1", "1")).capability


def fault_of(
    row: Row, module: str, base: type[NodeSettingFault] = NodeSettingFault
) -> type[NodeSettingFault]:
    """The class of a row, as of a module that offers it by the row's name."""
    own = {
        "__doc__": f"{row.title}: {row.actor}.",
        "__module__": module,
        "name": row.name,
        "title": row.title,
        "layer": row.layer,
        "takes": (TargetKind.NODE,),
        "needs": tuple(dict.fromkeys((*map(_capability, row.settings), *row.needs))),
        "modes": row.modes,
        # Processes of other components on the machine meet nothing of it.
        "breaks": TargetKind.COMPONENT if row.of_component else None,
        "variant_of": row.variant_of,
        "row": row,
    }
    words = "".join(word.capitalize() for word in row.name.split("-"))
    return type(words, (base,), own)
