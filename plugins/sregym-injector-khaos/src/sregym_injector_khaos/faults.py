"""The faults of the rows, by name, and how much of what they do their parameters change."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_injectors.edits import Edits
from sregym_injectors.node_faults import NodeSettingFault, fault_of
from sregym_injectors.node_fitting import runs_no_store
from sregym_injectors.workloads import restart_rollout
from sregym_kubernetes.node_settings import LinkState, SystemCall
from typing_extensions import override

from sregym_injector_khaos.rows import ENDING, ROWS
from sregym_injector_khaos.syscall_checks import makes_no_such_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Node, NodeSetting


class KhaosParameters(BaseModel):
    """Parameters.

    Attributes:
        share: Share of the calls or packets; None: that of the table.
    """

    model_config = ConfigDict(extra="forbid")

    share: float | None = Field(default=None, gt=0, le=1)


class KhaosFault(NodeSettingFault):
    """A fault below the processes that a component has on one node."""

    Parameters: ClassVar[type[BaseModel]] = KhaosParameters

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        return super().mismatch_reason(target) or makes_no_such_call(target, self.row.settings)

    @override
    def wanted(self, context: FaultContext) -> tuple[NodeSetting, ...]:
        settings, share = super().wanted(context), context.parameters.share
        return settings if share is None else tuple(_at(one, share) for one in settings)


class EndingFault(KhaosFault):
    """Faults that end connections or meet starting processes: what runs there restarts, or tries to."""

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        return runs_no_store(target, on_volume=True)

    @override
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        component = context.node.component
        assert component is not None  # by `fits`
        edits = Edits(context)
        edits.pause()
        restart_rollout(edits, (component.workload,))


def _at(setting: NodeSetting, share: float) -> NodeSetting:
    """The same for another share of the calls or packets, where it has one."""
    if isinstance(setting, SystemCall) and setting.error:
        return setting.model_copy(update={"share": share})
    if isinstance(setting, LinkState):
        return setting.model_copy(update={"loss": share})
    return setting


FAULTS: Mapping[str, type[NodeSettingFault]] = MappingProxyType(
    {
        row.name: fault_of(row, __name__, EndingFault if row.name in ENDING else KhaosFault)
        for row in ROWS
    }
)


def __getattr__(name: str) -> type[NodeSettingFault]:
    """The class of a row by the row's name, as the plugin offers it."""
    try:
        return FAULTS[name]
    except KeyError:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg) from None
