"""The faults of the rows, by name, and how much of a machine their parameter takes."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_injectors.node_faults import NodeSettingFault, fault_of
from typing_extensions import override

from sregym_injector_stress.rows import AMOUNTS, ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import FaultContext
    from sregym_core.model import NodeSetting


class PressureParameters(BaseModel):
    """Parameters.

    Attributes:
        share: Of what the neighbour of the table takes.
    """

    model_config = ConfigDict(extra="forbid")

    share: float = Field(default=1.0, gt=0, le=1)


class PressureFault(NodeSettingFault):
    """A process beside the pods of a node that takes what they need."""

    Parameters: ClassVar[type[BaseModel]] = PressureParameters

    @override
    def wanted(self, context: FaultContext) -> tuple[NodeSetting, ...]:
        return tuple(_scaled(one, context.parameters.share) for one in super().wanted(context))


def _scaled(setting: NodeSetting, share: float) -> NodeSetting:
    field = AMOUNTS[setting.model_dump()["what"]]
    amount = getattr(setting, field)
    scaled = type(amount)(amount * share)
    return setting.model_copy(update={field: scaled or amount})


FAULTS: Mapping[str, type[NodeSettingFault]] = MappingProxyType(
    {row.name: fault_of(row, __name__, PressureFault) for row in ROWS}
)


def __getattr__(name: str) -> type[NodeSettingFault]:
    """The class of a row by the row's name, as the plugin offers it."""
    try:
        return FAULTS[name]
    except KeyError:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg) from None
