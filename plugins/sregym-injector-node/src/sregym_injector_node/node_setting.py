"""The faults of the rows, by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_injectors.node_faults import fault_of

from sregym_injector_node.rows import ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_injectors.node_faults import NodeSettingFault

FAULTS: Mapping[str, type[NodeSettingFault]] = MappingProxyType(
    {row.name: fault_of(row, __name__) for row in ROWS}
)


def __getattr__(name: str) -> type[NodeSettingFault]:
    """The class of a row by the row's name, as the plugin offers it."""
    try:
        return FAULTS[name]
    except KeyError:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg) from None
