"""The one fault behind all rows: makes a setting so, and knows the defect by the setting."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import (
    Change,
    Check,
    GroundTruth,
    Node,
    ObjectRef,
    TargetKind,
    parse_setting,
)
from sregym_injectors.defects import defect_check
from sregym_injectors.nodes import (
    NodeEdits,
    current,
    from_another_node,
    on_host,
    truth_on_node,
)
from typing_extensions import override

from sregym_injector_node.fitting import runs_something_that_matters
from sregym_injector_node.pressure import after_pressure
from sregym_injector_node.rows import ROWS, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.model import NodeSetting


class NoParameters(BaseModel):
    """A row says all."""

    model_config = ConfigDict(extra="forbid")


class NodeSettingFault(Fault):
    """A fault of which a row says all; subclasses are made of rows."""

    row: ClassVar[Row]
    Parameters: ClassVar[type[BaseModel]] = NoParameters

    @override
    def fits(self, target: Node) -> bool:
        component = target.component
        wanted = component is not None and self.row.runs in ("", component.kind)
        return wanted and runs_something_that_matters(target)

    @override
    def inject(self, context: FaultContext) -> None:
        NodeEdits(context).apply(_wanted(self.row, context))

    @override
    def present(self, context: FaultContext) -> Check:
        setting = current(context, _wanted(self.row, context))
        found = f"{self.row.what} of node {context.node.name}: {self.row.after}"
        return defect_check(
            f"{self.row.what}: {self.row.before}", [] if setting.is_neutral else [found]
        )

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        row = self.row
        change = Change(what=row.what, before=row.before, after=row.after)
        return truth_on_node(context, row.mechanism, row.phrases, change, row.symptom)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        enter = from_another_node if self.row.enter == "ssh" else on_host
        repair = tuple(enter(context, argv) for argv in self.row.repair)
        return (
            (*repair, *after_pressure(context, self.row.pressure)) if self.row.pressure else repair
        )


def _wanted(row: Row, context: FaultContext) -> NodeSetting:
    node = context.node.name
    obj = context.cluster.get(ObjectRef(api_version="v1", kind="Node", name=node)) or {}
    cores = (obj.get("status") or {}).get("capacity", {}).get("cpu", "1")
    return parse_setting(_filled(row.setting, node, cores))


def _filled(template: Any, node: str, cores: str) -> Any:
    if isinstance(template, str):
        return template.format(node=node, cores=cores)
    if isinstance(template, dict):
        return {key: _filled(value, node, cores) for key, value in template.items()}
    return template


def _fault_of(row: Row) -> type[NodeSettingFault]:
    own = {
        "__doc__": f"{row.title}: {row.actor}.",
        "__module__": __name__,
        "name": row.name,
        "title": row.title,
        "layer": row.layer,
        "takes": (TargetKind.NODE,),
        "needs": (parse_setting(_filled(row.setting, "any", "1")).capability,),
        "row": row,
    }
    words = "".join(word.capitalize() for word in row.name.split("-"))
    return type(words, (NodeSettingFault,), own)


FAULTS: Mapping[str, type[NodeSettingFault]] = MappingProxyType(
    {row.name: _fault_of(row) for row in ROWS}
)


def __getattr__(name: str) -> type[NodeSettingFault]:
    """The class of a row by the row's name, as the plugin offers it."""
    try:
        return FAULTS[name]
    except KeyError:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg) from None
