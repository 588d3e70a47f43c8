"""Which nodes faults fit: those that run a workload whose loss users notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_injectors import scope

if TYPE_CHECKING:
    from sregym_core.model import Node


def runs_nothing_that_matters(node: Node) -> str:
    """Why no user would notice the loss of a node; empty where one does."""
    component = node.component
    if component is None:
        return "it is not said which component of the application runs there (`runs`)"
    if component.kind == scope.LOAD:
        return f"{component.name} is the load generator, which stands for users"
    if not component.operations:
        return f"no request of users passes through {component.name}"
    if component.needed is False:
        return f"users do without {component.name}"
    return ""


def runs_no_store(node: Node, *, on_volume: bool = False, changed: bool = False) -> str:
    """Why a fault of disks has no effect there; empty where a datastore runs that users meet.

    Args:
        node: Which.
        on_volume: Whether it must keep its files on a claim, and with that on this node.
        changed: Whether only those feel it who change what it keeps.
    """
    if reason := runs_nothing_that_matters(node):
        return reason
    component = node.component
    assert component is not None  # by the above
    if component.kind != "datastore":
        return f"{component.name} is no datastore"
    if on_volume and not component.volumes:
        return f"{component.name} has no claim that keeps it on its node"
    if changed and component.changed is False:
        return f"hardly any request of users changes what {component.name} keeps"
    return ""
