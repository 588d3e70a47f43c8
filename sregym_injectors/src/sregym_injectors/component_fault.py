"""Base of faults on components: which ones they fit, and the reason why not."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from sregym_core.interfaces import Fault
from sregym_core.model import BATCH_KINDS, ROLLING_KINDS, WORKLOAD_KINDS
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from sregym_core.model import Component


class ComponentFault(Fault):
    """Base of faults whose `mismatch_reason` alone decides which components they fit."""

    @override
    def fits(self, component: Component) -> bool:
        return not self.mismatch_reason(component)

    @override
    @abstractmethod
    def mismatch_reason(self, component: Component) -> str:
        """Why it does not fit, as the end of a sentence; empty when it does."""


def not_load(component: Component) -> str:
    """Why the load generator is spared; empty for every other component."""
    return (
        "it is the load generator, which stands for users" if component.kind == scope.LOAD else ""
    )


def by_service(component: Component) -> str:
    """Why no client reaches a component by its Service; empty when one may."""
    if component.own_service is None:
        return "no Service leads to it"
    if component.registered:
        return "its callers find its addresses in a registry, not by its Service"
    return ""


def not_custom(component: Component) -> str:
    """Why what a component's pods are made from cannot be changed; empty when it can."""
    kind = component.workload.kind
    if kind in WORKLOAD_KINDS:
        return ""
    return f"the operator of {kind} puts back what is changed in the workloads that it makes"


def not_changed(component: Component) -> str:
    """Why no user notices that a store takes no changes; empty where one may."""
    return "hardly any request of users changes what it keeps" if component.changed is False else ""


def article(kind: str) -> str:
    """A kind with its article: `a Job`."""
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


def not_rolling(component: Component) -> str:
    """Why its pods cannot be restarted; empty when one of them can be."""
    if any(ref.kind in ROLLING_KINDS for ref in component.workloads):
        return ""
    kind = component.workload.kind
    ends = " ends by itself" if kind in BATCH_KINDS else " has no rollout"
    return f"{article(kind)}{ends}: there is nothing to restart"
