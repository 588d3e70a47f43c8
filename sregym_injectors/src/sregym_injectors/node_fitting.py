"""Which nodes faults fit: those that run something whose loss users notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_injectors import scope

if TYPE_CHECKING:
    from sregym_core.model import Node


def runs_something_that_matters(node: Node) -> bool:
    """Whether a component of the application runs there through which users' requests pass."""
    component = node.component
    return component is not None and component.kind != scope.LOAD and bool(component.operations)
