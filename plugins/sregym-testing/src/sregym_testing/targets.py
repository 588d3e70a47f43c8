"""Targets of faults for contracts and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.conductor.targets import Chooser
from sregym_core.model import parse_target

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Cluster
    from sregym_core.model import Component, FaultTarget


def choose_target(
    application: Application, target: Any, cluster: Cluster | None = None, seed: int = 7
) -> FaultTarget:
    """The target that a problem file means.

    Args:
        application: The application whose components it may name.
        target: As a problem file says it, or already a value of the model.
        cluster: Where nodes and zones are chosen; None leaves them open.
        seed: Of the choice.
    """

    def named(name: str) -> Component:
        component = application.component(name)
        assert component is not None, f"the application has no component {name!r}"
        return component

    return Chooser(named, cluster, seed).choose(parse_target(target))
