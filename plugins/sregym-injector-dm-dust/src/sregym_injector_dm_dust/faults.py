"""The faults of the rows, by name, and how far their parameter takes them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_injectors.node_faults import NodeSettingFault, fault_of
from sregym_kubernetes.node_settings import DiskDelay
from typing_extensions import override

from sregym_injector_dm_dust.rows import ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import FaultContext
    from sregym_core.model import NodeSetting


class SlowParameters(BaseModel):
    """Parameters.

    Attributes:
        delay_ms: What each access takes besides.
    """

    model_config = ConfigDict(extra="forbid")

    delay_ms: float = Field(default=1500.0, gt=0)


class FlakyParameters(BaseModel):
    """Parameters.

    Attributes:
        share: Of the accesses that fail.
    """

    model_config = ConfigDict(extra="forbid")

    share: float = Field(default=0.5, gt=0, le=1)


class _MappedDiskFault(NodeSettingFault):
    """A table of the device mapper between a file system and its disk."""

    @override
    def wanted(self, context: FaultContext) -> tuple[NodeSetting, ...]:
        given = context.parameters.model_dump()
        return tuple(one.model_copy(update=given) for one in super().wanted(context))


class _SlowDiskFault(_MappedDiskFault):
    Parameters: ClassVar[type[BaseModel]] = SlowParameters


class _FlakyDiskFault(_MappedDiskFault):
    Parameters: ClassVar[type[BaseModel]] = FlakyParameters


FAULTS: Mapping[str, type[NodeSettingFault]] = MappingProxyType(
    {
        row.name: fault_of(
            row,
            __name__,
            _SlowDiskFault
            if row.setting["what"] == DiskDelay(node="any").what
            else _FlakyDiskFault,
        )
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
